"""Expected scores, from log-probabilities or from a distribution over levels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.judges.scale import Scale
from adjudge.judges.score_value import TRIMMED, whole_value

EXPECTED = "expected score, from log-probabilities"
_LEAST_MASS = 0.95
"""Minimum total probability of the listed scores for their mean to be used."""
_ROUNDING = 0.01
_NAMED = re.compile(
    r"(?:score|rating|label|choice|verdict)[\"'*_\s]{0,20}[:=][\"'*_\s]{0,20}\Z", re.IGNORECASE
)
_NEAR = 20
"""Number of tokens before and after a number that decide whether it is the score."""
_LATEST = 2000
"""Number of tokens searched, from the end of an answer."""
_GOES_ON = re.compile(r"[\d.,]*\d")


class Token(NamedTuple):
    """A token of an answer, with its alternatives."""

    text: str
    likely: Sequence[tuple[str, float]]
    """The most likely tokens at its position, with their log-probabilities."""


class Expectation(NamedTuple):
    """The expected score; None if unknown, and the note says why."""

    score: float | None
    note: str


def expected_score(tokens: Sequence[Token] | None, sampled: float, scale: Scale) -> Expectation:
    r"""The mean over the possible scores at the position of the sampled one.

    .. math:: \hat s = \sum_v p_v v / \sum_v p_v

    over the tokens that are scores of the scale. None unless these have 0.95 of the probability
    and every score is a single token; the note then says why the sampled score is kept.
    """
    if not tokens:
        return Expectation(None, "sampled score: no log-probabilities came")
    place = _place(tokens, sampled, scale)
    if place is None:
        return Expectation(None, "sampled score: it is not one token")
    values: dict[float, float] = {}
    for text, logarithm in tokens[place].likely:
        if not -math.inf <= logarithm <= _ROUNDING:
            return Expectation(None, "sampled score: its log-probabilities are none")
        value = _value(text, scale)
        if value is not None:
            values[value] = values.get(value, 0.0) + math.exp(logarithm)
    mass = sum(values.values())
    if not _LEAST_MASS <= mass <= 1 + len(values) * _ROUNDING:
        return Expectation(None, f"sampled score: {mass:.2f} of the probability is seen")
    if _is_ambiguous(values, scale):
        return Expectation(None, "sampled score: a score may be more than one token")
    mean = sum(value * share for value, share in values.items()) / mass
    return Expectation(min(max(mean, scale.low), scale.high), EXPECTED)


def mean_decision(decided: Sequence[Sequence[tuple[str, float]]], scale: Scale) -> float | None:
    """The mean over the questions of each distribution's mean; None if one is not valid."""
    means = [_mean_level(levels, scale) for levels in decided]
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if known and len(known) == len(means) else None


def shown_decision(decided: Sequence[Sequence[tuple[str, float]]]) -> str:
    """The distributions for people to read."""
    return "; ".join(_shown_levels(levels) for levels in decided)


def _mean_level(levels: Sequence[tuple[str, float]], scale: Scale) -> float | None:
    """The mean of a distribution over the levels of the scale; None if it is not valid."""
    known = [(_value(label, scale), share) for label, share in levels]
    if any(value is None or not 0 <= share <= 1 for value, share in known):
        return None
    mass = sum(share for _, share in known)
    if abs(mass - 1) > 2 * _ROUNDING:
        return None
    mean = sum((value or 0.0) * share for value, share in known) / mass
    return min(max(mean, scale.low), scale.high)


def _shown_levels(levels: Sequence[tuple[str, float]]) -> str:
    """The distribution for people to read."""
    return ", ".join(f"{label}: {share:.3f}" for label, share in levels)


def _place(tokens: Sequence[Token], sampled: float, scale: Scale) -> int | None:
    """Index of the last token that is the sampled score: named as such, or the first text."""
    texts = [token.text for token in tokens]
    begun = next((k for k, text in enumerate(texts) if text.strip(TRIMMED)), len(texts))
    for place in range(len(texts) - 1, max(-1, len(texts) - _LATEST), -1):
        if _value(texts[place], scale) == sampled:
            before = "".join(texts[max(place - _NEAR, 0) : place])
            after = "".join(texts[place + 1 : place + _NEAR])
            named = place == begun or _NAMED.search(before) is not None
            if named and not _GOES_ON.match(after):
                return place
    return None


def _value(text: str, scale: Scale) -> float | None:
    found = whole_value(text, scale)
    value = None if found is None else found[0]
    return value if value is not None and scale.holds(value) else None


def _is_ambiguous(seen: dict[float, float], scale: Scale) -> bool:
    """Whether a token taken for a score may be the start of a longer score."""
    names = [str(name) for name in scale.few_values or ()]
    longer = {name for name in names for short in names if name != short and name.startswith(short)}
    return any(_value(name, scale) not in seen for name in longer)
