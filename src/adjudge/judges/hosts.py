"""Known hosts of chat endpoints: their billing, and their names of models."""

from __future__ import annotations

import re
from types import MappingProxyType

_OPENAI = "api.openai.com"
_FREE_FAILURES = (
    _OPENAI,
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
    "openai.azure.com",
)
"""Hosts that do not bill failed requests; subdomains count too."""

_PUBLIC_PRICES = MappingProxyType(
    {
        _OPENAI: "openai",
        "api.anthropic.com": "anthropic",
        "generativelanguage.googleapis.com": "gemini",
        "openrouter.ai": "openrouter",
        "api.typesafe.ai": "typesafe",
    }
)
"""Hosts with public prices, and the prefix of their model names in price lists.

Other hosts of the same company may cost more, as OpenAI's for data that stay in a region.
"""
_BEDROCK = re.compile(r"bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com")

_BY_DEPLOYMENT = ("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com")


def fails_for_free(host: str | None) -> bool:
    """Whether failed requests to this host are known to be free."""
    return is_bedrock(host) or any(is_below(host, name) for name in _FREE_FAILURES)


def is_bedrock(host: str | None) -> bool:
    """Whether this is a host of Amazon Bedrock; each region has one."""
    return (host or "").lower().startswith("bedrock-runtime") and is_below(host, "amazonaws.com")


def needs_service_tier(host: str | None) -> bool:
    """Whether requests without a service tier are billed by a tier that is set elsewhere."""
    return is_below(host, _OPENAI)


def serves_by_deployment(host: str | None) -> bool:
    """Whether models have names chosen by the customer, which the host's list does not contain."""
    return any(is_below(host, name) for name in _BY_DEPLOYMENT)


def public_provider(host: str | None) -> str | None:
    """Prefix of this host's model names in price lists; None if it has no public prices."""
    host = (host or "").lower().rstrip(".")
    return "bedrock" if _BEDROCK.fullmatch(host) else _PUBLIC_PRICES.get(host)


def is_below(host: str | None, name: str) -> bool:
    """Whether the host is this name or a subdomain of it."""
    host = (host or "").lower().rstrip(".")
    return host == name or host.endswith(f".{name}")
