"""Known providers: the prefixes of model names, such as `anthropic/...`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType

from adjudge.judges.hosts import is_bedrock, is_below
from adjudge.judges.protocol import ChatProtocol
from adjudge.judges.protocol_chat import AZURE, CHAT, OPENROUTER
from adjudge.judges.protocol_converse import CONVERSE
from adjudge.judges.protocol_decisions import DECISIONS
from adjudge.judges.protocol_generate import GENERATE
from adjudge.judges.protocol_messages import MESSAGES
from adjudge.judges.protocol_systemone import SYSTEM_ONE

_HOST = re.compile(r"https://([^/?#:@]+)(?::\d+)?(?=[/?#]|$)", re.IGNORECASE)
"""Only https: a provider's default key is never sent unencrypted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider's address, protocol and key."""

    name: str
    """Prefix of its model names."""
    protocol: ChatProtocol = CHAT
    base_url: str | None = None
    """URL up to the API version, with `${NAME}` for variables; None if customers have their own."""
    example: str = ""
    """Example of a customer's own URL."""
    key: str | None = None
    """The environment variable that holds the key; None if no key is needed."""
    host: str = ""
    """Host name of the provider; subdomains count too; empty for a server on this machine."""

    def has(self, url: str) -> bool:
        """Whether this URL is the provider's."""
        found = _HOST.match(url)  # not parsed as a URL: it may contain variables
        host = "" if found is None else found[1]
        if self.protocol is CONVERSE:
            return is_bedrock(host)
        return bool(self.host) and is_below(host, self.host)


_ALL = (
    Provider(
        name="openai",
        base_url="https://api.openai.com/v1",
        key="OPENAI_API_KEY",
        host="api.openai.com",
    ),
    Provider(
        name="anthropic",
        protocol=MESSAGES,
        base_url="https://api.anthropic.com/v1",
        key="ANTHROPIC_API_KEY",
        host="api.anthropic.com",
    ),
    Provider(
        name="gemini",
        protocol=GENERATE,
        base_url="https://generativelanguage.googleapis.com/v1beta",
        key="GEMINI_API_KEY",
        host="generativelanguage.googleapis.com",
    ),
    Provider(
        name="bedrock",
        protocol=CONVERSE,
        base_url="https://bedrock-runtime.${AWS_REGION}.amazonaws.com",
        key="AWS_BEARER_TOKEN_BEDROCK",
    ),
    Provider(
        name="azure",
        protocol=AZURE,
        example="https://NAME.openai.azure.com/openai/v1",
        key="AZURE_OPENAI_API_KEY",
        host="azure.com",
    ),
    Provider(
        name="openrouter",
        protocol=OPENROUTER,
        base_url="https://openrouter.ai/api/v1",
        key="OPENROUTER_API_KEY",
        host="openrouter.ai",
    ),
    Provider(
        name="typesafe",
        protocol=SYSTEM_ONE,
        base_url="https://api.typesafe.ai/v1",
        key="TYPESAFE_API_KEY",
        host="api.typesafe.ai",
    ),
    Provider(name="ollama", base_url="http://localhost:11434/v1"),
    Provider(name="vllm", base_url="http://localhost:8000/v1"),
    Provider(name="llamacpp", base_url="http://localhost:8080/v1"),
)
PROVIDERS = MappingProxyType({one.name: one for one in _ALL})
_PROTOCOLS = CHAT, MESSAGES, GENERATE, CONVERSE, OPENROUTER, AZURE, DECISIONS, SYSTEM_ONE
PROTOCOLS = MappingProxyType({one.name: one for one in _PROTOCOLS})
"""Protocols by their names in run files."""
