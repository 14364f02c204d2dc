"""The alternative-annotator test: whether a judge could replace a human rater."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels

_EDGE = 0.15
"""Cost-benefit margin: a judge's share of wins may be lower by this much, as it is cheaper."""
_SIGNIFICANCE = 0.05
_FEWEST_ITEMS = 10
"""Minimum number of items shared with other raters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTest:
    """The alternative-annotator test (Calderon, Reichart and Dror 2025)."""

    raters: int
    """Number of raters tested."""
    winning_rate: float
    """Share of the raters that the judge does at least as well as."""
    passes: bool
    """Whether the winning rate is at least one half."""


def alternative_test(scores: FloatArray, labels: Labels) -> AlternativeTest | None:
    r"""The test of scores, (K,) in units of the labels; None if there are too few raters.

    Each rater is left out in turn. On an item the judge wins if it is at least as close to the
    mean of the other raters as the left-out rater is, and vice versa. The judge is as good as the
    rater if the rater's share of wins minus the judge's is significantly below 0.15 by a t test,
    with control of the false discovery rate (Benjamini and Yekutieli 2001). A rater is tested on
    the items that at least two others rated, if there are ten; the test needs three such raters.
    """
    chances = []
    for rater in np.unique(labels.rater):
        apart = _rater_less_judge(scores, labels, int(rater))
        if apart.size >= _FEWEST_ITEMS:
            error = float(apart.std(ddof=1)) / math.sqrt(apart.size)
            distance = float(apart.mean()) - _EDGE
            # With zero variance the sign decides.
            t = distance / error if error > 0 else math.copysign(1e9, distance)
            chances.append(float(stdtr(apart.size - 1, t)))
    if len(chances) < 3:
        return None
    won = _discoveries(np.sort(chances)) / len(chances)
    return AlternativeTest(raters=len(chances), winning_rate=won, passes=won >= 0.5)


def _rater_less_judge(scores: FloatArray, labels: Labels, rater: int) -> FloatArray:
    """Rater's win minus judge's win on each item that at least two others rated."""
    own = labels.rater == rater
    item, value = labels.item[own], labels.value[own]
    others = labels.n[item] - 1
    known = (others >= 2) & np.isfinite(scores[item])
    item, value, others = item[known], value[known], others[known]
    mean = (labels.mean[item] * (others + 1) - value) / others
    rater_miss, judge_miss = np.abs(value - mean), np.abs(scores[item] - mean)
    near = 1e-9 * labels.width
    rater_wins = rater_miss <= judge_miss + near
    judge_wins = judge_miss <= rater_miss + near
    apart: FloatArray = rater_wins.astype(np.float64) - judge_wins
    return apart


def _discoveries(chances: FloatArray) -> int:
    """Number of rejected hypotheses, from sorted p-values (m,)."""
    m = chances.size
    harmonic = float((1 / np.arange(1, m + 1)).sum())
    limits = np.arange(1, m + 1) / m * _SIGNIFICANCE / harmonic
    below = np.flatnonzero(chances <= limits)
    return int(below[-1]) + 1 if below.size else 0
