"""The providers that a model's name may begin with, as `anthropic/...`."""

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
"""No key goes to a provider by itself over a connection that anybody can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Where a provider's models are asked, and how."""

    name: str
    """What a model's name begins with."""
    protocol: ChatProtocol = CHAT
    base_url: str | None = None
    """Up to the API's version, with `${NAME}` for a variable; None if each customer has one."""
    example: str = ""
    """What a customer's own address looks like."""
    key: str | None = None
    """The variable that holds the key; None for none."""
    host: str = ""
    """Its hosts have this name, or one below it; empty for a server on this machine."""

    def has(self, url: str) -> bool:
        """Whether this address is the provider's."""
        found = _HOST.match(url)  # not parsed as a URL: variables may stand in it
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
"""By the names that run files have for them."""
