"""How people's labels are read, and what to do about labels that are off the scale."""

from __future__ import annotations

import math

from adjudge.dataset import LabelReading
from adjudge.judges import Scale

_YES, _NO = {"yes", "true"}, {"no", "false"}
_BLANK = {"na", "nan", "none", "null", "nil"}
"""Words that mean "no label"."""


def label_reading(scale: Scale) -> LabelReading:
    """How labels on this scale are read: numbers, the scale's own words, yes or no."""
    words = {label.casefold(): value for label, value in scale.labels}

    def parse(given: object) -> float | None:
        text = str(given).strip().casefold()
        if text in words:
            return words[text]
        if scale.yes_or_no and text in _YES | _NO:
            return scale.high if text in _YES else scale.low
        try:
            number = float(text.replace(",", ".")) if not isinstance(given, bool) else None
        except ValueError:
            return None
        return number if number is not None and scale.holds(number) else None

    return LabelReading(
        parse=parse,
        words=scale.words,
        remedy=lambda given: _remedy(given, scale),
    )


def _remedy(given: object, scale: Scale) -> str:
    """What to do about a label off this scale."""
    other = _likely_scale(str(given).strip().casefold(), scale)
    if other is None:
        return "correct it, or leave it empty if nobody labelled the item"
    return f"correct it, leave it empty, or say how people score, as labels: {{scale: {other}}}"


def _likely_scale(text: str, scale: Scale) -> str | None:
    """A scale that this label probably has, as written in a run file; None if none fits."""
    if text in _YES | _NO:
        return "{labels: {no: 0, yes: 1}}"
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        is_word = text.isalpha() and text not in _BLANK
        return "{labels: {poor: 0, fair: 1, good: 2}}" if is_word else None
    if not (math.isfinite(number) and 0 <= number <= 100):
        return None
    if scale.low <= number <= scale.high:
        return f"{scale.low:.1f}..{scale.high:.1f}"
    ends = {"0.0..1.0": (0, 1), "1..5": (1, 5), "1..7": (1, 7), "1..10": (1, 10)}
    return next((name for name, (a, b) in ends.items() if a <= number <= b), "0..100")
