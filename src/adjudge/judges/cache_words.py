"""Whether a user's own request fields ask for a longer cache."""

from __future__ import annotations

from collections.abc import Mapping

_SHORT = frozenset({"5m", "30m"})
"""Cache lifetimes with the ordinary price of writing."""


def asks_for_long_cache(
    value: object, keys: tuple[str, ...] = ("ttl", "prompt_cache_retention")
) -> bool:
    """Whether one of these fields, at any depth, asks for a longer cache lifetime."""
    if isinstance(value, Mapping):
        named = (value.get(key) for key in keys)
        return any(one is not None and one not in _SHORT for one in named) or any(
            asks_for_long_cache(part, keys) for part in value.values()
        )
    return isinstance(value, list) and any(asks_for_long_cache(part, keys) for part in value)
