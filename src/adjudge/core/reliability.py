"""Reliability: how well judges tell items apart, beyond noise and disagreement."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Moments

_LEVEL = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """The share of the variance of mean answers that is between items."""

    share: float
    low: float
    """Lower end of its 90 % interval."""
    high: float
    items: int
    """Number of items with an answer."""
    repeats: int
    """Within-item degrees of freedom: answers minus items, minus one per further judge."""


def reliability(moments: Moments) -> Reliability | None:
    r"""Reliability from an analysis of variance of answers centred by judge.

    .. math:: 1 - 1/F,\qquad F = \frac{\sum_k n_k (\bar y_k - \bar y)^2 / (K - 1)}
              {\sum_{ki} (y_{ki} - \bar y_k)^2 / f}

    with F quantiles for its interval. The variance within items includes call noise and the
    disagreement of judges, but not their offsets. 0 if all answers are equal. None if no item has
    two answers, or fewer than two items have one.
    """
    n = moments.n.astype(np.float64)
    answered = n.any(axis=1)
    items = int(np.count_nonzero(answered))
    judges = int(np.count_nonzero(n.any(axis=0)))
    repeats = int(n.sum()) - items - (judges - 1)
    if items < 2 or repeats < 1:
        return None
    n, mean = n[answered], moments.mean[answered]
    centered = mean - _weighted(mean, n, axis=0)
    own = _weighted(centered, n, axis=1)
    within = float(moments.m2[answered].sum() + (n * (centered - own[:, None]) ** 2).sum())
    size = n.sum(axis=1)
    between = float((size * (own - np.average(own, weights=size)) ** 2).sum())
    if between <= 1e-12:
        return Reliability(share=0.0, low=0.0, high=0.0, items=items, repeats=repeats)
    ratio = math.inf if within <= 1e-12 else (between / (items - 1)) / (within / repeats)
    few, many = (fdtri(items - 1, repeats, p) for p in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2))
    return Reliability(
        share=max(1 - 1 / ratio, 0.0),
        low=max(1 - float(many) / ratio, 0.0),
        high=max(1 - float(few) / ratio, 0.0),
        items=items,
        repeats=repeats,
    )


def _weighted(values: FloatArray, weights: FloatArray, *, axis: int) -> FloatArray:
    """Weighted means along an axis; 0 where the weights are all 0."""
    total = weights.sum(axis=axis)
    sums = (weights * values).sum(axis=axis)
    means: FloatArray = np.divide(sums, total, out=np.zeros(total.shape), where=total > 0)
    return means
