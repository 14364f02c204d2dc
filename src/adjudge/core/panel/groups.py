"""Means over groups of items, and differences between groups: how good is a system?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.summary import PanelEstimate
from adjudge.errors import InputError


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

        In so many runs of a hundred it holds the mean that the whole panel, asked for ever, would
        give these very items; with `population` the mean over all items of their kind.
        """
        level = self.confidence if level is None else level
        if not 0 < level < 1:
            raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
        half = float(stdtrit(self.freedom, (1 + level) / 2)) * self.standard_error
        return max(self.mean - half, self.limits[0]), min(self.mean + half, self.limits[1])


def group_mean(
    estimate: PanelEstimate, members: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    r"""The mean score of these items, by index (or a mask over all items).

    .. math:: \bar s = \frac1n\sum_{k} \hat s_k,\qquad
              se^2 = \frac1{n^2}\sum_k V_k \quad\text{or}\quad
              se^2 = \frac1n\max\Big(\mathrm{var}(\hat s), \frac1n\sum_k V_k\Big)

    The first error is of measurement alone: the interval is for these very items. With
    `population` the items are a random sample, and the interval is for the mean over all such
    items; the variance of the scores over items holds both errors, so that none is added twice.

    Scores are the raw ones. Those of the estimate are drawn towards the mean of all items, which
    makes each better and a group that differs from the rest look less different than it is.
    """
    asked, unasked = _asked(estimate, _members("members", members, estimate.raw_score.size))
    score, variance = estimate.raw_score[asked], estimate.raw_variance[asked]
    error, freedom = _squared_error(score, variance, _freedom(estimate, asked), population)
    return GroupMean(
        mean=float(score.mean()),
        standard_error=math.sqrt(error),
        items=asked.size,
        unasked=unasked,
        freedom=freedom,
        limits=estimate.score_range,
        confidence=estimate.confidence,
    )


def paired_difference(
    estimate: PanelEstimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
) -> GroupMean:
    r"""Mean of first minus second over pairs of items, such as two systems' answers to a prompt.

    .. math:: \bar d = \frac1n\sum_i (\hat s_{a_i} - \hat s_{b_i}),\qquad
              se^2 = \frac1{n^2}\sum_i (V_{a_i} + V_{b_i})

    With `population` the pairs are a random sample of prompts, and the variance of the differences
    over pairs takes the place of measurement error. Hard prompts are hard for both: what a pair
    has in common cancels, and the interval is shorter than that of `difference`.
    Pairs of which one item was never asked are left out.
    """
    size = estimate.raw_score.size
    firsts, seconds = _members("first", first, size), _members("second", second, size)
    if firsts.size != seconds.size:
        raise InputError(
            "second", f"{seconds.size} items", f"give {firsts.size}, one for each item of `first`"
        )
    _check_apart(firsts, seconds)
    both = _seen(estimate, firsts) & _seen(estimate, seconds)
    if not both.any():
        raise InputError("first", "no pair was asked on both sides", "ask about the items first")
    a, b = firsts[both], seconds[both]
    error, freedom = _squared_error(
        estimate.raw_score[a] - estimate.raw_score[b],
        estimate.raw_variance[a] + estimate.raw_variance[b],
        _freedom(estimate, np.concatenate([a, b])),
        population,
    )
    return GroupMean(
        mean=float((estimate.raw_score[a] - estimate.raw_score[b]).mean()),
        standard_error=math.sqrt(error),
        items=a.size,
        unasked=firsts.size - a.size,
        freedom=freedom,
        limits=_limits_of_a_difference(estimate),
        confidence=estimate.confidence,
    )


def difference(
    estimate: PanelEstimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
) -> GroupMean:
    r"""Mean of the first group minus mean of the second, which have no item in common.

    .. math:: se^2 = se_a^2 + se_b^2

    with the errors of `group_mean`, and Welch's degrees of freedom. With `population` the groups
    are independent random samples of two kinds of items.
    """
    size = estimate.raw_score.size
    _check_apart(_members("first", first, size), _members("second", second, size))
    one = group_mean(estimate, first, population=population)
    other = group_mean(estimate, second, population=population)
    return GroupMean(
        mean=one.mean - other.mean,
        standard_error=math.hypot(one.standard_error, other.standard_error),
        items=one.items + other.items,
        unasked=one.unasked + other.unasked,
        freedom=_freedom_of_both(one, other),
        limits=_limits_of_a_difference(estimate),
        confidence=estimate.confidence,
    )


def _squared_error(
    score: FloatArray, variance: FloatArray, freedom: float, population: bool
) -> tuple[float, float]:
    """Squared standard error of a mean of scores with these variances; degrees of freedom."""
    number = score.size
    measurement = float(variance.mean()) / number
    if not population:
        return measurement, freedom
    if number < 2:
        raise InputError(
            "population", "one item was asked", "the spread over items needs two or more"
        )
    return max(float(score.var(ddof=1)) / number, measurement), number - 1.0


def _freedom_of_both(one: GroupMean, other: GroupMean) -> float:
    r"""Welch and Satterthwaite: :math:`(a + b)^2 / (a^2/d_a + b^2/d_b)` for squared errors."""
    a, b = one.standard_error**2, other.standard_error**2
    parts = a**2 / one.freedom + b**2 / other.freedom
    return (a + b) ** 2 / parts if parts > 0 else min(one.freedom, other.freedom)


def _freedom(estimate: PanelEstimate, items: IntArray) -> float:
    """The evidence behind the panel is shared by all items: more items do not add to it."""
    return float(estimate.freedom[items].min())


def _asked(estimate: PanelEstimate, members: IntArray) -> tuple[IntArray, int]:
    """The members of which something was seen, and the number of the others."""
    asked = members[_seen(estimate, members)]
    if not asked.size:
        raise InputError("members", "none of them was asked", "ask about the items first")
    return asked, members.size - asked.size


def _seen(estimate: PanelEstimate, members: IntArray) -> BoolArray:
    return ~np.isnan(estimate.raw_score[members])


def _members(field: str, members: npt.ArrayLike, size: int) -> IntArray:
    """Indices of items, from indices or a mask over all items."""
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


def _check_apart(first: IntArray, second: IntArray) -> None:
    shared = np.intersect1d(first, second)
    if shared.size:
        raise InputError("second", f"item {shared[0]} is in `first` too", "the two must be apart")


def _limits_of_a_difference(estimate: PanelEstimate) -> tuple[float, float]:
    width = estimate.score_range[1] - estimate.score_range[0]
    return -width, width
