"""Reading the score out of what a judge wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.judges.scale import Scale
from adjudge.records import Reason

_KEYS = ("score", "rating", "label", "choice", "verdict")
_NUMBER = r"[-+]?\d+(?:\.\d+|,\d{1,2}(?!\d))?"
# What follows is looked at and not consumed, so that a second score in the same line is seen.
_NAMED = re.compile(
    r"\b(?:score|rating|verdict|label)\b[\s*_`\"']*(?:is|of|[:=])[\s*_`\"']*(?=([^\n]{1,80}))",
    re.IGNORECASE,
)
_LEADING_NUMBER = re.compile(
    rf"^({_NUMBER})(?:\s*(?:/|out of)\s*({_NUMBER}))?"
    r"(?![\w%]|[.,]\d|\s*(?:/|-|–|to\b|out of)\s*\d)",
    re.IGNORECASE,
)
_LONGEST = 100_000
"""Characters of an answer that are read, its last; no score stands in front of so much."""
_ATTEMPTS = 200
"""Braces at which JSON is looked for; keeps a hostile answer from taking the run's time."""
_DECODER = json.JSONDecoder()
_TRIMMED = " \t\r\n*_`\"'.!()[]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The score that was read, or why there is none."""

    score: float | None = None
    reason: Reason | None = None


def read_score(text: str, scale: Scale) -> Reading:
    """The one score that the text gives on this scale.

    In this order, the first that gives anything decides: the text as JSON, JSON objects within it,
    `score: x` lines, the text as a bare number or label. Different scores at the same level
    contradict each other; a guess is never made.
    """
    thoughts, _, text = text[-_LONGEST:].rpartition("</think>")
    text = text.strip()
    if not text:
        return Reading(reason=Reason.EMPTY)
    if not thoughts and text.startswith("<think>"):
        return Reading(reason=Reason.CUT_SHORT)
    for level in (_from_json, _from_named, _from_bare):
        found = list(level(text, scale))
        if found:
            return _agreed(found, scale)
    return Reading(reason=Reason.UNREADABLE)


def _agreed(found: list[float | None], scale: Scale) -> Reading:
    """None among what was found stands for a score that is not on the scale."""
    if any(score is None or not scale.holds(score) for score in found):
        return Reading(reason=Reason.OUT_OF_RANGE)
    if len(set(found)) > 1:
        return Reading(reason=Reason.CONTRADICTING)
    return Reading(score=found[0])


def _from_json(text: str, scale: Scale) -> Iterator[float | None]:
    """The scores of the outermost JSON objects in the text, fenced or amid prose."""
    position = text.find("{")
    for _ in range(_ATTEMPTS):
        if position < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            for key in _KEYS:
                given = [v for name, v in value.items() if name.casefold() == key]
                if given:
                    yield from (_as_score(v, scale) for v in given)
                    break
        position = text.find("{", end)


def _from_named(text: str, scale: Scale) -> Iterator[float | None]:
    """The scores of phrases like `Score: 7/10`."""
    for match in _NAMED.finditer(text):
        phrase = match[1].strip(_TRIMMED)
        number = _LEADING_NUMBER.match(phrase)
        if number:
            yield _of_fraction(number, scale)
            continue
        label = _label_value(phrase.split(",")[0].split(";")[0], scale)
        if label is not None:
            yield label


def _from_bare(text: str, scale: Scale) -> Iterator[float | None]:
    """The score, if the text is nothing but one."""
    bare = text.strip(_TRIMMED)
    number = _LEADING_NUMBER.match(bare)
    if number and number.end() == len(bare):
        yield _of_fraction(number, scale)
    elif (label := _label_value(bare, scale)) is not None:
        yield label


def _as_score(value: object, scale: Scale) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return None if scale.labels else _float(value)
    if isinstance(value, str):
        for found in _from_bare(value, scale):
            return found
    return None


def _of_fraction(match: re.Match[str], scale: Scale) -> float | None:
    """`7` or `7/10`; a fraction of something else than the scale's end is another scale."""
    if scale.labels:
        return None
    if match[2] is not None and _decimal(match[2]) != scale.high:
        return None
    return _decimal(match[1])


def _label_value(text: str, scale: Scale) -> float | None:
    wanted = text.strip(_TRIMMED).casefold()
    for label, value in scale.labels:
        if label.casefold() == wanted:
            return value
    return None


def _decimal(digits: str) -> float:
    return float(digits.replace(",", "."))


def _float(value: int | float) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None
