"""What is known of the hosts of chat endpoints."""

from __future__ import annotations

_OPENAI = "api.openai.com"
_FREE_FAILURES = (
    _OPENAI,
    "api.anthropic.com",
    "generativelanguage.googleapis.com",
    "openrouter.ai",
    "openai.azure.com",
)
"""They bill answers, not failures; hosts below these names count too."""

_BY_DEPLOYMENT = ("openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com")


def fails_for_free(host: str | None) -> bool:
    """Whether a request that this host answers with a failure is known to cost nothing."""
    return any(_is_below(host, name) for name in _FREE_FAILURES)


def needs_service_tier(host: str | None) -> bool:
    """Whether a request without a service tier is billed by one that is set elsewhere."""
    return _is_below(host, _OPENAI)


def serves_by_deployment(host: str | None) -> bool:
    """Whether this host takes names that its customers chose for models, and lists others."""
    return any(_is_below(host, name) for name in _BY_DEPLOYMENT)


def _is_below(host: str | None, name: str) -> bool:
    host = (host or "").lower().rstrip(".")
    return host == name or host.endswith(f".{name}")
