"""Measures of agreement between scores and labels, each with an interval."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri, stdtrit

from adjudge.core.arrays import BoolArray, FloatArray, IntArray

_FARTHEST = 1 - 1e-9
"""Correlations are clipped to this before the artanh transform."""
_NO_SPREAD = 1e-12
"""Variances up to this count as zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value with its interval at the problem's confidence; nan where unknown."""

    value: float
    low: float
    high: float

    @classmethod
    def unknown(cls) -> Figure:
        """The unknown figure: nan throughout."""
        return cls(value=math.nan, low=math.nan, high=math.nan)


def mean_figure(values: FloatArray, level: float, *, least: float = -math.inf) -> Figure:
    """A mean with Student's interval, clipped at `least`; values (n,)."""
    if not values.size:
        return Figure.unknown()
    mean = float(values.mean())
    if values.size < 2:
        return Figure(value=mean, low=math.nan, high=math.nan)
    half = float(stdtrit(values.size - 1, (1 + level) / 2) * values.std(ddof=1))
    half /= math.sqrt(values.size)
    return Figure(value=mean, low=max(mean - half, least), high=mean + half)


def share_figure(hits: BoolArray, level: float) -> Figure:
    """A proportion with the exact interval of Clopper and Pearson; hits (n,)."""
    n, yes = hits.size, int(np.count_nonzero(hits))
    if not n:
        return Figure.unknown()
    tail = (1 - level) / 2
    low = float(betaincinv(yes, n - yes + 1, tail)) if yes else 0.0
    high = float(betaincinv(yes + 1, n - yes, 1 - tail)) if yes < n else 1.0
    return Figure(value=yes / n, low=low, high=high)


def spearman_figure(scores: FloatArray, labels: FloatArray, level: float) -> Figure:
    r"""Spearman's rank correlation with mean ranks for ties; both (n,).

    :math:`\operatorname{artanh} \rho` has the variance :math:`(1 + \rho^2/2)/(n - 3)` (Bonett and
    Wright 2000).
    """
    if not scores.size:
        return Figure.unknown()
    sums = _moments(_ranks(scores), _ranks(labels)).sum(axis=1, keepdims=True)
    value = float(_pearson(sums)[0])
    if scores.size < 4 or math.isnan(value):
        return Figure(value=value, low=math.nan, high=math.nan)
    half = float(ndtri((1 + level) / 2)) * math.sqrt((1 + value**2 / 2) / (scores.size - 3))
    center = math.atanh(min(max(value, -_FARTHEST), _FARTHEST))
    return Figure(value=value, low=math.tanh(center - half), high=math.tanh(center + half))


def pearson_figure(
    scores: FloatArray, labels: FloatArray, level: float, *, item: IntArray | None = None
) -> Figure:
    """Pearson correlation; `item` is the item of each row if items have several; all (n,)."""
    return _jackknifed(_pearson, scores, labels, level, item)


def kappa_figure(
    scores: FloatArray, labels: FloatArray, level: float, *, item: IntArray | None = None
) -> Figure:
    r"""Quadratic-weighted kappa (Cohen 1968); all (n,).

    .. math:: \kappa = 1 - \frac{\sum_i (s_i - y_i)^2 / n}{\sum_{ij} (s_i - y_j)^2 / n^2}

    This form needs no classes and equals the concordance correlation of Lin (1989).
    """
    return _jackknifed(_kappa, scores, labels, level, item)


def _jackknifed(
    figure: Callable[[FloatArray], FloatArray],
    scores: FloatArray,
    labels: FloatArray,
    level: float,
    item: IntArray | None,
) -> Figure:
    """A function of sums over rows, with a jackknife interval on the artanh scale."""
    if not scores.size:
        return Figure.unknown()
    own = _moments(scores, labels)
    if item is not None:
        known, place = np.unique(item, return_inverse=True)
        own = np.stack([np.bincount(place, row, known.size) for row in own])
    total = own.sum(axis=1, keepdims=True)
    value = float(figure(total)[0])
    n = own.shape[1]
    if n < 4 or math.isnan(value):
        return Figure(value=value, low=math.nan, high=math.nan)
    without = np.arctanh(np.clip(figure(total - own), -_FARTHEST, _FARTHEST))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = float(stdtrit(n - 1, (1 + level) / 2)) * error
    center = math.atanh(min(max(value, -_FARTHEST), _FARTHEST))
    return Figure(value=value, low=math.tanh(center - half), high=math.tanh(center + half))


def _moments(scores: FloatArray, labels: FloatArray) -> FloatArray:
    """Number, sums, squares and products of every row; shape (6, n)."""
    # Centred, so that squares of large numbers do not cancel.
    s, y = scores - scores.mean(), labels - labels.mean()
    shift = np.full_like(s, scores.mean() - labels.mean())
    return np.stack([np.ones_like(s), s + shift, y, (s + shift) ** 2, y**2, (s + shift) * y])


def _spreads(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Variances of scores and labels, their covariance, and the squared distance of the means."""
    n, s, y, ss, yy, sy = sums
    first, second = ss / n - (s / n) ** 2, yy / n - (y / n) ** 2
    return first, second, sy / n - s * y / n**2, ((s - y) / n) ** 2


def _pearson(sums: FloatArray) -> FloatArray:
    """Pearson correlation from sums (6, n); nan where a variance is zero."""
    first, second, together, _ = _spreads(sums)
    varies = np.minimum(first, second) > _NO_SPREAD
    spread = np.sqrt(np.where(varies, first * second, 1.0))
    unknown = np.full(varies.shape, np.nan)
    found: FloatArray = np.divide(together, spread, out=unknown, where=varies)
    return np.clip(found, -1.0, 1.0)


def _kappa(sums: FloatArray) -> FloatArray:
    """Quadratic-weighted kappa from sums (6, n); nan where a variance is zero."""
    first, second, together, apart = _spreads(sums)
    varies = np.minimum(first, second) > _NO_SPREAD
    unknown = np.full(varies.shape, np.nan)
    found: FloatArray = np.divide(2 * together, first + second + apart, out=unknown, where=varies)
    return found


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; ties get their mean rank; shape (n,)."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    ranks: FloatArray = (last - (count - 1) / 2)[place]
    return ranks
