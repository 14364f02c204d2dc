"""Judges whose scores do not follow the others must not take the budget, nor count."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.problem import Moments

_SHARED = 20
"""Shared items before a judge that varies can be switched off."""
_BY_CHANCE = 1e-3
"""Probability of always the same answer below which it is no chance."""
_SLOPE = 0.25
"""Rise of a judge's answer with the others', below which it does not follow them."""
_SURE = 2.5
"""Standard errors by which the slope must be below."""


def followers(moments: Moments, covariance: FloatArray, noise: FloatArray) -> BoolArray:
    """Which judges follow the others, or were not yet shown not to; shape (J,).

    A judge is switched off if it gave one and the same answer to so many items that others would
    hardly have done so by chance; or if, on twenty or more shared items, its slope on the mean of
    the others lies below 0.25 by more than two and a half standard errors. Slopes come from the
    learned covariance (J, J), which the noise (J,) of few calls does not flatten.
    """
    seen = moments.n > 0
    judges = seen.shape[1]
    follow = np.ones(judges, dtype=bool)
    if judges < 3:
        # Of two judges nobody can say which one does not follow the other.
        return follow
    for j in range(judges):
        others = np.flatnonzero(np.arange(judges) != j)
        shared = np.flatnonzero(seen[:, j] & seen[:, others].any(axis=1))
        if shared.size and _never_varies(moments, shared, j):
            follow[j] = _same_by_chance(moments, shared, others) >= _BY_CHANCE
        elif shared.size >= _SHARED:
            together = seen[shared][:, others].sum(axis=0)
            slope, error = _slope(covariance, noise, j, others, together)
            follow[j] = slope + _SURE * error >= _SLOPE
    return follow if follow.sum() >= 2 else np.ones(judges, dtype=bool)


def _never_varies(moments: Moments, items: IntArray, judge: int) -> bool:
    return bool(
        np.ptp(moments.mean[items, judge]) < 1e-9 and moments.m2[items, judge].max() < 1e-12
    )


def _same_by_chance(moments: Moments, items: IntArray, judges: IntArray) -> float:
    r"""Probability that one of these judges gives all these items the same answer.

    With z the share of two answers that are the same, :math:`z^{m-1}` for m items: six ratings
    alike, where a quarter are, say as much as eleven times yes, where half of the answers are.
    """
    own = moments.n[np.ix_(items, judges)] > 0
    answers = moments.mean[np.ix_(items, judges)][own]
    _, count = np.unique(np.round(answers, 9), return_counts=True)
    same = float(((count / answers.size) ** 2).sum())
    return float(same ** (items.size - 1))


def _slope(
    covariance: FloatArray, noise: FloatArray, judge: int, others: IntArray, together: IntArray
) -> tuple[float, float]:
    r"""Slope of the judge's long-run answer on the others' mean, and its standard error.

    With c the judge's mean covariance with the others and t the variance of their mean, the slope
    is :math:`c/t`. Each covariance is known as well as the items `together`, (J - 1,), tell it, so
    that items shared with one judge say nothing of the others.
    """
    spread = float(covariance[np.ix_(others, others)].mean())
    slope = float(covariance[judge, others].mean()) / spread
    residual = float(covariance[judge, judge]) - slope**2 * spread + float(noise[judge])
    answers = np.diag(covariance)[others] + noise[others]
    squares = max(residual, 0.0) * float((answers / np.maximum(together, 1)).sum())
    return slope, math.sqrt(squares) / (others.size * spread)
