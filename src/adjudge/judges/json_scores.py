"""Scores in JSON objects."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from adjudge.judges.scale import Scale
from adjudge.judges.score_value import value_of

_KEYS = ("score", "rating", "label", "choice", "verdict")
_ATTEMPTS = 200
"""Maximum number of braces tried as the start of JSON; bounds the time for a hostile answer."""


_BLANK = " \t\n\r"
"""What may follow JSON."""


class _Pairs(list[tuple[str, Any]]):
    """An object that keeps duplicate keys."""


# Not strict: models put line breaks into strings. Duplicate keys must not hide a second score.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_Pairs)


def scores_of_json(text: str, scale: Scale) -> list[float | None] | None:
    """The scores of a text that is only JSON; None if it is not."""
    if not text.startswith(("{", "[")):
        return None
    try:
        value, end = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return _scores(value, scale) if end == len(text) or not text[end:].strip(_BLANK) else None


def begins_with_json(text: str) -> bool:
    """Whether the text begins with a whole JSON object."""
    try:
        _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return False
    return True


def with_objects_replaced(
    text: str, scale: Scale, replacement: Callable[[list[float | None]], str]
) -> str:
    """The text with each JSON object replaced by the `replacement` for its scores."""
    kept: list[str] = []
    taken = 0
    position = text.find("{")
    for _ in range(_ATTEMPTS):
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            kept += [text[taken:position], replacement(_scores(value, scale))]
            taken = end
        position = text.find("{", end)
    return "".join(kept) + text[taken:]


def _scores(value: object, scale: Scale) -> list[float | None]:
    """The scores of an object or, if it has none, of the objects in it; strings are ignored."""
    found: list[float | None] = []
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, _Pairs):
            own = _own_scores(value, scale)
            found += own
            if not own:
                waiting += [part for _, part in value]
        elif isinstance(value, list):
            waiting += value
    return found


def _own_scores(pairs: _Pairs, scale: Scale) -> list[float | None]:
    """Values of the first of `_KEYS` that occurs, and those of the others that are scores."""
    given: dict[str, list[object]] = {}
    for name, part in pairs:
        key = name.casefold()
        if key in _KEYS:
            given.setdefault(key, []).append(part)
    found: list[float | None] = []
    for key in sorted(given, key=_KEYS.index) if len(given) > 1 else given:
        values = [value_of(part, scale) for part in given[key]]
        if found:
            values = [score for score in values if score is not None and scale.holds(score)]
        found += values
    return found
