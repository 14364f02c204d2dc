"""The tokens of one call, by how they are billed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_MOST_TOKENS = 10**9
"""A number of tokens above this is not a number of tokens."""


class Usage(NamedTuple):
    """Tokens of one call."""

    prompt: int
    """All tokens of the prompt, those of the next three fields included."""
    output: int
    """All tokens of the answer, reasoning included."""
    cached: int = 0
    """Those of the prompt that were in the provider's cache."""
    written: int = 0
    """Those of the prompt that were written to the provider's cache."""
    long_written: int = 0
    """Those of `written` that the cache keeps for an hour or longer, at a higher price."""


def part(counts: Mapping[str, object], name: str) -> Mapping[str, object]:
    """The object of this name; an empty one if there is none."""
    found = counts.get(name)
    return found if isinstance(found, dict) else {}


def count(counts: Mapping[str, object], name: str) -> int | None:
    """The tokens of this name, None if not stated; ValueError if it is no number of tokens."""
    value = counts.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        raise ValueError(f"{name} is no number of tokens")
    return value


def largest(*stated: tuple[Mapping[str, object], str]) -> int:
    """The most that one of these counts has under its name, 0 if none has; see `count`."""
    most = 0
    for counts, name in stated:
        if name in counts:
            most = max(count(counts, name) or 0, most)
    return most


def believed(counts: Mapping[str, object], name: str) -> int:
    """Tokens that make an answer cheaper; 0 where the number is not credible."""
    try:
        return count(counts, name) or 0
    except ValueError:
        return 0
