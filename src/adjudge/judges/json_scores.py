"""The scores that JSON objects give."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from adjudge.judges.scale import Scale
from adjudge.judges.score_value import value_of

_KEYS = ("score", "rating", "label", "choice", "verdict")
_ATTEMPTS = 200
"""Most braces at which JSON is looked for; bounds the time that a hostile answer can take."""


_BLANK = " \t\n\r"
"""What may follow JSON."""


class _Pairs(list[tuple[str, Any]]):
    """An object with every key as often as it was given."""


# Models put line breaks into strings; a key given twice must not be taken once.
_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_Pairs)


def scores_of_json(text: str, scale: Scale) -> list[float | None] | None:
    """The scores of a text that is JSON and nothing else; None if it is not."""
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
    """The text with each JSON object in it replaced by what stands for its scores."""
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
    """The scores of an object, or, if it has none, of those within it; never those in strings."""
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
    """What the first of our keys holds, and whatever the others hold that is a score as well."""
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
