"""What is known of the hosts of chat endpoints."""

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
"""Hosts that bill answers, not failures; subdomains count too."""

_PUBLIC_PRICES = MappingProxyType(
    {
        _OPENAI: "openai",
        "api.anthropic.com": "anthropic",
        "generativelanguage.googleapis.com": "gemini",
        "openrouter.ai": "openrouter",
        "api.typesafe.ai": "typesafe",
    }
)
"""Hosts that bill by public prices, and what model names of theirs begin with.

Others of the same company may be dearer: OpenAI asks more for data that stay in a region.
"""
_BEDROCK = re.compile(r"bedrock-runtime\.[a-z0-9-]+\.amazonaws\.com")

_BY_DEPLOYMENT = ("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com")


def fails_for_free(host: str | None) -> bool:
    """Whether a request that this host answers with a failure is known to cost nothing."""
    return is_bedrock(host) or any(is_below(host, name) for name in _FREE_FAILURES)


def is_bedrock(host: str | None) -> bool:
    """Whether this host runs models on Amazon Bedrock; each region has one."""
    return (host or "").lower().startswith("bedrock-runtime") and is_below(host, "amazonaws.com")


def needs_service_tier(host: str | None) -> bool:
    """Whether a request without a service tier is billed by one that is set elsewhere."""
    return is_below(host, _OPENAI)


def serves_by_deployment(host: str | None) -> bool:
    """Whether this host takes names that its customers chose for models, and lists others."""
    return any(is_below(host, name) for name in _BY_DEPLOYMENT)


def public_provider(host: str | None) -> str | None:
    """What names of models at this host begin with in price lists; None for any other host."""
    host = (host or "").lower().rstrip(".")
    return "bedrock" if _BEDROCK.fullmatch(host) else _PUBLIC_PRICES.get(host)


def is_below(host: str | None, name: str) -> bool:
    """Whether the host has this name, or one below it."""
    host = (host or "").lower().rstrip(".")
    return host == name or host.endswith(f".{name}")
