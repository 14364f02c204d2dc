"""Token counts of one call, by price."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

_MOST_TOKENS = 10**9
"""Maximum credible number of tokens."""


class Usage(NamedTuple):
    """Token counts of one call."""

    prompt: int
    """All tokens of the prompt, including cached and written ones."""
    output: int
    """All tokens of the answer, reasoning included."""
    cached: int = 0
    """Prompt tokens read from the provider's cache."""
    written: int = 0
    """Prompt tokens written to the provider's cache."""
    long_written: int = 0
    """Part of `written`: tokens cached for an hour or longer, at a higher price."""


def part(counts: Mapping[str, object], name: str) -> Mapping[str, object]:
    """The object under this name; an empty mapping if there is none."""
    found = counts.get(name)
    return found if isinstance(found, dict) else {}


def count(counts: Mapping[str, object], name: str) -> int | None:
    """The number of tokens under this name; None if missing, ValueError if not credible."""
    value = counts.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        raise ValueError(f"{name} is no number of tokens")
    return value


def largest(*stated: tuple[Mapping[str, object], str]) -> int:
    """The largest of these counts, or 0; see `count`."""
    most = 0
    for counts, name in stated:
        if name in counts:
            most = max(count(counts, name) or 0, most)
    return most


def believed(counts: Mapping[str, object], name: str) -> int:
    """A number of tokens that lowers the bill; 0 if missing or not credible."""
    try:
        return count(counts, name) or 0
    except ValueError:
        return 0
