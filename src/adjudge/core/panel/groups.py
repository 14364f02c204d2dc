"""Means over groups of items, and differences between groups, such as systems under test."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.learning import Target, learn
from adjudge.core.panel.summary import PanelEstimate, unit_moments
from adjudge.core.problem import Evidence, Problem
from adjudge.errors import InputError

_DIFFUSE = 1e3
"""Variance of items that draws no score towards the mean, on the scale 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """The mean score of a group of items, or the mean difference between two groups."""

    mean: float
    standard_error: float
    items: int
    """Items, or pairs of items, that it rests on."""
    unasked: int
    """Items, or pairs, left out because nothing was seen of them."""
    freedom: float
    """Degrees of freedom of the standard error."""
    limits: tuple[float, float]
    """Lowest and highest value that it can take."""
    confidence: float
    """The level of its interval unless another is asked for."""

    def interval(self, level: float | None = None) -> tuple[float, float]:
        r"""The range :math:`\bar s \pm t \cdot se`, cut to what is possible.

        With the probability `level` it holds the mean that the whole panel, asked for ever, would
        give these very items; with `population`, the mean over all items of their kind.
        """
        level = self.confidence if level is None else level
        if not 0 < level < 1:
            raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.standard_error
        return max(self.mean - half, self.limits[0]), min(self.mean + half, self.limits[1])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelError:
    """The error that items share, because one learned panel stands behind them all."""

    lever: FloatArray
    """How far an error of each judge's mean moves an item's raw score; shape (K, J)."""
    covariance: FloatArray
    """Of the errors of the judges' means; shape (J, J)."""

    @classmethod
    def of(
        cls, problem: Problem, evidence: Evidence, *, target: Target = Target.PANEL
    ) -> PanelError:
        r"""What the evidence leaves unknown of the judges' means.

        An item that one judge saw tells what the others would say by the difference of the judges'
        means: :math:`\ell_k = \pi - g_k`, with the gains :math:`g_k` of the raw score.
        """
        scores = unit_moments(problem, evidence.pooled)
        learned = learn(scores, problem.weights, target)
        model = learned.model
        raw = replace(model, covariance=model.covariance + _DIFFUSE).posterior(scores)
        return cls(
            lever=model.weights - raw.gain,
            covariance=problem.score_width**2 * learned.mean_error,
        )

    def of_mean(self, items: IntArray, minus: IntArray | None = None) -> float:
        r"""Its part in the variance of a mean, or of a difference of means: :math:`\ell'E\ell`."""
        lever = self.lever[items].mean(axis=0)
        if minus is not None:
            lever = lever - self.lever[minus].mean(axis=0)
        return float(lever @ self.covariance @ lever)


def group_mean(
    estimate: PanelEstimate,
    members: npt.ArrayLike,
    *,
    population: bool = False,
    panel: PanelError | None = None,
) -> GroupMean:
    r"""The mean score of these items, by index (or a mask over all items).

    .. math:: \bar s = \frac1n\sum_{k} \hat s_k,\qquad
              se^2 = \bar\ell^\top E\,\bar\ell + \frac1n \cdot \frac1n\sum_k V_k

    This is the error of measurement: the interval is for these very items. With `population` they
    are a random sample, and the interval is for the mean over all such items: the variance of the
    scores over items, which holds both errors, takes the place of the mean :math:`V_k` where it is
    larger, so that none is counted twice.

    The first term is the error that items share; it does not fall with the size of the group, and
    counts only if `panel` is given. Without it, intervals of large groups hold the truth less
    often than they say, the more so the fewer calls there were; differences hardly need it.

    Scores are the raw ones. Those of the estimate are drawn towards the mean of all items, which
    makes each better and a group that differs from the rest look less different than it is.
    """
    chosen = _members("members", members, estimate)
    asked = chosen[_seen(estimate, chosen)]
    if not asked.size:
        raise InputError("members", "none of them was asked", "ask about the items first")
    part = _part(estimate, asked, population)
    shared = 0.0 if panel is None else panel.of_mean(asked)
    return GroupMean(
        mean=float(estimate.raw_score[asked].mean()),
        standard_error=math.sqrt(part.squared_error + shared),
        items=asked.size,
        unasked=chosen.size - asked.size,
        freedom=part.freedom,
        limits=estimate.score_range,
        confidence=estimate.confidence,
    )


def paired_difference(
    estimate: PanelEstimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
    panel: PanelError | None = None,
) -> GroupMean:
    r"""Mean of first minus second over pairs of items, such as two systems' answers to a prompt.

    .. math:: \bar d = \frac1n\sum_i (\hat s_{a_i} - \hat s_{b_i}),\qquad
              se^2 = \frac1{n^2}\sum_i (V_{a_i} + V_{b_i})

    for these very pairs. With `population` the pairs are a random sample, of prompts say, and the
    variance of the differences over pairs takes the place of measurement. Hard prompts are hard
    for both: what the two of a pair have in common cancels, and the interval is shorter than that
    of `difference`. Pairs of which one item was never asked are left out.
    """
    a, b = _apart(estimate, first, second)
    if a.size != b.size:
        raise InputError("second", f"{b.size} items", f"give {a.size}, one for each of `first`")
    both = _seen(estimate, a) & _seen(estimate, b)
    if not both.any():
        raise InputError("first", "no pair was asked on both sides", "ask about the items first")
    pairs, a, b = a.size, a[both], b[both]
    score = estimate.raw_score[a] - estimate.raw_score[b]
    variance = estimate.raw_variance[a] + estimate.raw_variance[b]
    freedom = float(min(estimate.freedom[a].min(), estimate.freedom[b].min()))
    part = _Part.of(score, variance, freedom, population)
    return GroupMean(
        mean=float(score.mean()),
        standard_error=math.sqrt(part.squared_error + _shared(panel, a, b)),
        items=a.size,
        unasked=pairs - a.size,
        freedom=part.freedom,
        limits=_limits_of_a_difference(estimate),
        confidence=estimate.confidence,
    )


def difference(
    estimate: PanelEstimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
    panel: PanelError | None = None,
) -> GroupMean:
    r"""Mean of the first group minus mean of the second, which have no item in common.

    .. math:: se^2 = se_a^2 + se_b^2

    with the errors of `group_mean`, but that shared error counts only as far as it differs, and
    Welch's degrees of freedom. With `population` the groups are independent random samples of two
    kinds of items.
    """
    first_items, second_items = _apart(estimate, first, second)
    a = first_items[_seen(estimate, first_items)]
    b = second_items[_seen(estimate, second_items)]
    if not (a.size and b.size):
        raise InputError(
            "second" if a.size else "first", "no item of it was asked", "ask about the items first"
        )
    one, other = _part(estimate, a, population), _part(estimate, b, population)
    error = one.squared_error + other.squared_error + _shared(panel, a, b)
    return GroupMean(
        mean=float(estimate.raw_score[a].mean() - estimate.raw_score[b].mean()),
        standard_error=math.sqrt(error),
        items=a.size + b.size,
        unasked=first_items.size + second_items.size - a.size - b.size,
        freedom=_freedom_of_both(one, other),
        limits=_limits_of_a_difference(estimate),
        confidence=estimate.confidence,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """The part of an error that falls with the number of items."""

    squared_error: float
    freedom: float

    @classmethod
    def of(cls, score: FloatArray, variance: FloatArray, freedom: float, population: bool) -> _Part:
        """The error of a mean of scores with these variances."""
        number = score.size
        measurement = float(variance.mean()) / number
        if not population:
            return cls(squared_error=measurement, freedom=freedom)
        if number < 2:
            raise InputError(
                "population", "one item was asked", "the spread over items needs two or more"
            )
        spread = float(score.var(ddof=1)) / number
        return cls(squared_error=max(spread, measurement), freedom=min(number - 1.0, freedom))


def _part(estimate: PanelEstimate, items: IntArray, population: bool) -> _Part:
    # All items rest on the same evidence of the panel: more items add no degrees of freedom.
    freedom = float(estimate.freedom[items].min())
    return _Part.of(estimate.raw_score[items], estimate.raw_variance[items], freedom, population)


def _shared(panel: PanelError | None, first: IntArray, second: IntArray) -> float:
    return 0.0 if panel is None else panel.of_mean(first, minus=second)


def _freedom_of_both(one: _Part, other: _Part) -> float:
    r"""Welch and Satterthwaite: :math:`(a + b)^2 / (a^2/d_a + b^2/d_b)` for squared errors."""
    a, b = one.squared_error, other.squared_error
    parts = a**2 / one.freedom + b**2 / other.freedom
    return (a + b) ** 2 / parts if parts > 0 else min(one.freedom, other.freedom)


def _seen(estimate: PanelEstimate, items: IntArray) -> BoolArray:
    seen: BoolArray = ~np.isnan(estimate.raw_score[items])
    return seen


def _members(field: str, members: npt.ArrayLike, estimate: PanelEstimate) -> IntArray:
    """Indices of items, from indices or a mask over all items."""
    size = estimate.raw_score.size
    given = np.asarray(members)
    if given.dtype == np.bool_ and given.shape == (size,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or not given.size:
        raise InputError(field, f"shape {given.shape}", "give a list of one item or more")
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError(field, f"values of type {given.dtype}", "give whole numbers, the indices")
    outside = given[(given < 0) | (given >= size)]
    if outside.size:
        raise InputError(field, f"item {outside[0]}", f"items are numbered 0 to {size - 1}")
    if np.unique(given).size < given.size:
        raise InputError(field, "an item occurs twice", "give every item once")
    return given.astype(np.int64)


def _apart(
    estimate: PanelEstimate, first: npt.ArrayLike, second: npt.ArrayLike
) -> tuple[IntArray, IntArray]:
    """Both groups, of which no item is in the other."""
    a, b = _members("first", first, estimate), _members("second", second, estimate)
    shared = np.intersect1d(a, b)
    if shared.size:
        raise InputError("second", f"item {shared[0]} is in `first` too", "the two must be apart")
    return a, b


def _limits_of_a_difference(estimate: PanelEstimate) -> tuple[float, float]:
    width = estimate.score_range[1] - estimate.score_range[0]
    return -width, width
