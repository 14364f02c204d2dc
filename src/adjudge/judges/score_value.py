"""Parsing of written scores: `7`, `7/10`, `0,25`, or a label."""

from __future__ import annotations

import re

from adjudge.judges.scale import Scale

_NUMBER = r"[-+]?\d{1,40}(?:\.\d{1,40}|,\d{1,2}(?!\d))?"
_LEADING_NUMBER = re.compile(
    rf"({_NUMBER})(?:\s{{0,9}}(?:/|out of)\s{{0,9}}({_NUMBER}))?"
    r"(?![\w%]|[.,]\d|\s{0,9}(?:/|-|–|to\b|out of)\s{0,9}\d)",
    re.IGNORECASE,
)
TRIMMED = " \t\r\n*_`\"'“”.!()[]"
"""Characters that may surround a score."""


def value_at(text: str, at: int, scale: Scale) -> tuple[float | None, int] | None:
    """The score at this index, and the index of its end; a score off the scale may be None."""
    number = _LEADING_NUMBER.match(text, at)
    if number is not None:
        return _of_number(number, scale), number.end()
    found = None
    for label, value in scale.labels:
        end = at + len(label)
        same = text[at:end].casefold() == label.casefold()
        if same and not text[end : end + 1].isalnum() and (found is None or end > found[1]):
            found = value, end
    return found


def whole_value(text: str, scale: Scale) -> tuple[float | None] | None:
    """The score, if the whole text is one, in a tuple; otherwise None."""
    bare = text.strip(TRIMMED)
    found = value_at(bare, 0, scale)
    if found is None or found[1] != len(bare):
        return None
    return (found[0],)


def value_of(given: object, scale: Scale) -> float | None:
    """The score in a JSON value; None if it is not a score of this scale's kind."""
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int | float):
        try:
            return None if scale.labels else float(given)
        except OverflowError:
            return None
    if isinstance(given, str):
        found = whole_value(given, scale)
        return None if found is None else found[0]
    return None


def _of_number(found: re.Match[str], scale: Scale) -> float | None:
    """The score in `7` or `7/10`; None if the denominator is not the top of the scale."""
    if scale.labels:
        return None
    if found[2] is not None and _decimal(found[2]) != scale.high:
        return None
    return _decimal(found[1])


def _decimal(digits: str) -> float:
    return float(digits.replace(",", "."))
