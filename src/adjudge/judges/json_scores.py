"""The scores that JSON objects give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from adjudge.judges.scale import Scale
from adjudge.judges.score_value import value_of

_KEYS = ("score", "rating", "label", "choice", "verdict")
_ATTEMPTS = 200
"""Braces at which JSON is looked for; keeps a hostile answer from taking the run's time."""


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
    return list(_scores(value, scale)) if not text[end:].strip(_BLANK) else None


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
            kept += [text[taken:position], replacement(list(_scores(value, scale)))]
            taken = end
        position = text.find("{", end)
    return "".join(kept) + text[taken:]


def _scores(value: object, scale: Scale) -> Iterator[float | None]:
    """The scores of an object, or, if it has none, of those within it; never those in strings."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, _Pairs):
            own = list(_own_scores(value, scale))
            yield from own
            if not own:
                waiting += [part for _, part in value]
        elif isinstance(value, list):
            waiting += value


def _own_scores(pairs: _Pairs, scale: Scale) -> Iterator[float | None]:
    """What the first of our keys holds, and whatever the others hold that is a score as well."""
    named: dict[str, list[object]] = {}
    for name, part in pairs:
        named.setdefault(name.casefold(), []).append(part)
    given = [named[key] for key in _KEYS if key in named]
    for part in given[0] if given else ():
        yield value_of(part, scale)
    for parts in given[1:]:
        for part in parts:
            score = value_of(part, scale)
            if score is not None and scale.holds(score):
                yield score
