"""Expected scores, by log-probabilities or by a distribution over levels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from adjudge.judges.scale import Scale
from adjudge.judges.score_value import TRIMMED, whole_value

EXPECTED = "expected score, from log-probabilities"
_LEAST_MASS = 0.95
"""Least total probability of the scores seen for their mean to be used."""
_ROUNDING = 0.01
_NAMED = re.compile(
    r"(?:score|rating|label|choice|verdict)[\"'*_\s]{0,20}[:=][\"'*_\s]{0,20}\Z", re.IGNORECASE
)
_NEAR = 20
"""Tokens before and after a score that tell whether it is one."""
_LATEST = 2000
"""Tokens of an answer that are looked at, its last."""
_GOES_ON = re.compile(r"[\d.,]*\d")


class Token(NamedTuple):
    """A token of an answer, and what might have stood in its place."""

    text: str
    likely: Sequence[tuple[str, float]]
    """The likeliest tokens there, with their log-probabilities."""


class Expectation(NamedTuple):
    """The mean, or why there is none."""

    score: float | None
    note: str


def expected_score(tokens: Sequence[Token] | None, sampled: float, scale: Scale) -> Expectation:
    r"""The mean over the scores that might have stood in the place of the sampled one.

    .. math:: \hat s = \sum_v p_v v / \sum_v p_v

    over the tokens that are scores of the scale. Believed if they hold 0.95 of the probability,
    and if every score is one token: else the note says why the sampled one stands.
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
    """The mean over the questions of the means of their distributions; None if one has none."""
    means = [_mean_level(levels, scale) for levels in decided]
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if known and len(known) == len(means) else None


def shown_decision(decided: Sequence[Sequence[tuple[str, float]]]) -> str:
    """The distributions for people to read."""
    return "; ".join(_shown_levels(levels) for levels in decided)


def _mean_level(levels: Sequence[tuple[str, float]], scale: Scale) -> float | None:
    """The mean of a distribution over the levels of the scale; None if it is none."""
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
    """The last token that is the sampled score, named as one or alone."""
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
    """Whether a token that was taken for a score may be the beginning of a longer one."""
    names = [str(name) for name in scale.few_values or ()]
    longer = {name for name in names for short in names if name != short and name.startswith(short)}
    return any(_value(name, scale) not in seen for name in longer)
