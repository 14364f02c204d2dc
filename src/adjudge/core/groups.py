"""Means over groups of items, and differences between groups, such as systems under test."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.finite_population import (
    RandomSample,
    SampledDifference,
    Sampling,
    are_yes_or_no,
)
from adjudge.core.panel.summary import PanelEstimate
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupMean:
    """The mean score of a group of items, or the mean difference between two groups."""

    mean: float
    """Mean of the asked items."""
    standard_error: float
    """Standard error of the mean of the asked items."""
    items: int
    """Number of items, or pairs of items, used."""
    unasked: int
    """Number of items, or pairs, without a score."""
    freedom: float
    """Degrees of freedom of the standard error."""
    error_if_all_asked: float
    """Standard error if every item had been measured like the asked ones."""
    sampling: Sampling = field(compare=False)
    """Sampling error: how far the mean of the asked items may be from that of all items."""
    limits: tuple[float, float]
    """Lowest and highest possible value."""
    confidence: float
    """Default level of its interval."""

    def interval(self, level: float | None = None) -> tuple[float, float]:
        r"""Interval for the mean of all these items, clipped to the limits.

        With probability `level` it covers the mean that the whole panel, asked infinitely often,
        would give these items, asked or not; with `population`, the mean of the population they
        were drawn from. If all items were asked it is :math:`\bar s \pm t \cdot se`. Otherwise it
        is a random-sampling interval for any distribution (`core.finite_population`), extended at
        both ends by the error of measuring all items, and never shorter than that of the asked
        items.
        """
        level = self.confidence if level is None else level
        if not 0 < level < 1:
            raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
        factor = float(stdtrit(self.freedom, (1 + level) / 2))
        measured = factor * self.standard_error
        below, above = self.sampling.reach(level)
        beyond = factor * self.error_if_all_asked
        low = self.mean - max(measured, below + beyond)
        high = self.mean + max(measured, above + beyond)
        return max(low, self.limits[0]), min(high, self.limits[1])


def group_mean(
    estimate: Estimate, members: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    r"""The mean score of these items, by index (or a mask over all items).

    .. math:: \bar s = \frac1n\sum_{k} \hat s_k,\qquad
              se^2 = \operatorname{Var}_b(\bar s^{(b)}) + \frac1n \cdot \frac1n\sum_k V_k

    over the asked items. This is the measurement error; `RandomSample` adds the sampling error if
    some items were not asked. The interval is for these very items. With `population` they are a
    random sample, and the interval is for the population mean, never shorter than that of these
    items: the variance of the scores over items, which includes both errors, replaces the mean
    :math:`V_k` if it is larger. Yes-or-no scores get the exact binomial interval, others
    Student's, which needs more items the more skewed the scores are.

    The first term is the shared error of the fitted panel: scores are corrected by estimated
    differences between the judges' means. It does not fall with the size of the group.

    Scores are unshrunk. The estimate's scores are shrunk towards the mean of all items, which
    improves each of them but biases the mean of a group that differs from the rest.
    Estimates of strategies other than the panel have only one kind of score and no shared error.
    """
    raw = _Raw.of(estimate)
    chosen = checked_members("members", members, raw.score.size)
    asked = chosen[raw.seen[chosen]]
    if not asked.size:
        raise InputError("members", "none of them was asked", "ask about the items first")
    found = _Part.of(raw, asked, of=chosen.size, population=population)
    unasked = chosen.size - asked.size
    return found.summary(raw, asked.size, unasked, limits=raw.score_range)


def paired_difference(
    estimate: Estimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
) -> GroupMean:
    r"""Mean of first minus second over pairs of items, such as two systems' answers to a prompt.

    .. math:: \bar d = \frac1n\sum_i (\hat s_{a_i} - \hat s_{b_i}),\qquad
              se^2 = \operatorname{Var}_b(\bar s_a^{(b)} - \bar s_b^{(b)})
                     + \frac1{n^2}\sum_i (V_{a_i} + V_{b_i})

    for these very pairs. With `population` the pairs are a random sample, for example of prompts,
    and the variance of the differences over pairs replaces the measurement error. Hard prompts are
    hard for both systems: what a pair has in common cancels, so the interval is shorter than that
    of `difference`. Pairs with an item never asked are inferred from the others.
    """
    raw = _Raw.of(estimate)
    a, b = checked_apart(first, second, raw.score.size)
    if a.size != b.size:
        raise InputError("second", f"{b.size} items", f"give {a.size}, one for each of `first`")
    both = raw.seen[a] & raw.seen[b]
    if not both.any():
        raise InputError("first", "no pair was asked on both sides", "ask about the items first")
    found = _Part.of(raw, a[both], minus=b[both], of=a.size, population=population)
    pairs = int(both.sum())
    return found.summary(raw, pairs, a.size - pairs, limits=raw.limits_of_a_difference)


def difference(
    estimate: Estimate,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    population: bool = False,
) -> GroupMean:
    r"""Mean of the first group minus mean of the second, for disjoint groups.

    .. math:: se^2 = \operatorname{Var}_b(\bar s_a^{(b)} - \bar s_b^{(b)})
                     + \bar V_a / n_a + \bar V_b / n_b

    with Welch's degrees of freedom; shared error counts only where it differs between the groups.
    With `population` the groups are independent random samples of two populations.
    """
    raw = _Raw.of(estimate)
    first_items, second_items = checked_apart(first, second, raw.score.size)
    a = first_items[raw.seen[first_items]]
    b = second_items[raw.seen[second_items]]
    if not (a.size and b.size):
        raise InputError(
            "second" if a.size else "first", "no item of it was asked", "ask about the items first"
        )
    found = _Part.of(raw, a, of=first_items.size, population=population).without(
        _Part.of(raw, b, of=second_items.size, population=population)
    )
    asked = a.size + b.size
    unasked = first_items.size + second_items.size - asked
    return found.summary(raw, asked, unasked, limits=raw.limits_of_a_difference)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Raw:
    """Unshrunk scores and their errors, the input to means."""

    score: FloatArray
    """Shape (K,)."""
    variance: FloatArray
    """Shape (K,)."""
    draws: FloatArray
    """Shared part of the errors in each posterior draw of the panel; (B, K)."""
    seen: BoolArray
    """Which items were asked about; shape (K,)."""
    freedom: FloatArray
    """Shape (K,)."""
    score_range: tuple[float, float]
    confidence: float

    @classmethod
    def of(cls, estimate: Estimate) -> _Raw:
        """Unshrunk scores of a panel's estimate, or the scores of another strategy's."""
        variance, draws = estimate.variance, np.zeros((1, estimate.score.size))
        if isinstance(estimate, PanelEstimate):
            variance, draws = estimate.raw_variance, estimate.raw_draws
        return cls(
            score=estimate.unbiased_score,
            variance=variance,
            draws=draws,
            seen=estimate.asked,
            freedom=estimate.freedom,
            score_range=estimate.score_range,
            confidence=estimate.confidence,
        )

    @property
    def limits_of_a_difference(self) -> tuple[float, float]:
        """Lowest and highest difference of two scores."""
        width = self.score_range[1] - self.score_range[0]
        return -width, width


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """A mean over items or pairs, with its two kinds of error."""

    mean: float
    own_error: float
    """Squared standard error from independent item errors; it falls with their number."""
    error_of_all: float
    """The same, if all items had been asked."""
    sampling: Sampling
    freedom: float
    """Degrees of freedom of the own error."""
    shared: FloatArray
    """Shared part of the error in each posterior draw of the panel; shape (B,)."""

    @classmethod
    def of(
        cls,
        raw: _Raw,
        items: IntArray,
        *,
        of: int,
        minus: IntArray | None = None,
        population: bool,
    ) -> _Part:
        """The mean over these items out of `of`, or over these items minus their partners."""
        sides = [items] if minus is None else [items, minus]
        limits = raw.score_range if minus is None else raw.limits_of_a_difference
        score, draws = raw.score[items], raw.draws[:, items]
        if minus is not None:
            score, draws = score - raw.score[minus], draws - raw.draws[:, minus]
        number = items.size
        noise = sum(float(raw.variance[side].mean()) for side in sides)
        own_error = noise / number
        # All items use the same fit of the panel, so more items add no degrees of freedom.
        freedom = min(float(raw.freedom[side].min()) for side in sides)
        if len(raw.draws) > 1:
            freedom = min(float(raw.freedom[side].mean()) for side in sides)
        if population:
            if number < 2:
                raise InputError(
                    "population", "one item was asked", "the spread over items needs two or more"
                )
            own_error = max(float(score.var(ddof=1)) / number, own_error)
            freedom = min(number - 1.0, freedom)
        return cls(
            mean=float(score.mean()),
            own_error=own_error,
            error_of_all=noise / of,
            sampling=RandomSample(
                scores=score,
                population=math.inf if population and are_yes_or_no(score, limits) else of,
                score_range=limits,
            ),
            freedom=freedom,
            shared=draws.mean(axis=1),
        )

    def without(self, other: _Part) -> _Part:
        r"""The mean minus that of other items.

        Degrees of freedom by Welch and Satterthwaite: :math:`(a + b)^2 / (a^2/d_a + b^2/d_b)`.
        """
        a, b = self.own_error, other.own_error
        parts = a**2 / self.freedom + b**2 / other.freedom
        return _Part(
            mean=self.mean - other.mean,
            own_error=a + b,
            error_of_all=self.error_of_all + other.error_of_all,
            sampling=SampledDifference(first=self.sampling, second=other.sampling),
            freedom=(a + b) ** 2 / parts if parts > 0 else min(self.freedom, other.freedom),
            shared=self.shared - other.shared,
        )

    def summary(
        self, raw: _Raw, items: int, unasked: int, *, limits: tuple[float, float]
    ) -> GroupMean:
        """The mean, clipped to the limits, with both errors."""
        draws = max(self.shared.size - 1, 1)
        shared = float(self.shared @ self.shared) / draws
        total = self.own_error + shared
        parts = self.own_error**2 / self.freedom + shared**2 / draws
        return GroupMean(
            mean=min(max(self.mean, limits[0]), limits[1]),
            standard_error=math.sqrt(total),
            error_if_all_asked=math.sqrt(self.error_of_all + shared),
            sampling=self.sampling,
            items=items,
            unasked=unasked,
            freedom=total**2 / parts if parts > 0 else self.freedom,
            limits=limits,
            confidence=raw.confidence,
        )


def checked_members(field: str, members: npt.ArrayLike, size: int) -> IntArray:
    """Item indices, from indices or a mask over all `size` items."""
    given = np.asarray(members)
    if given.dtype == np.bool_ and given.shape == (size,):
        given = np.flatnonzero(given)
    if given.ndim != 1 or not given.size:
        raise InputError(field, f"shape {given.shape}", "give a list of at least one item")
    if not np.issubdtype(given.dtype, np.integer):
        raise InputError(field, f"values of type {given.dtype}", "give integer indices")
    outside = given[(given < 0) | (given >= size)]
    if outside.size:
        raise InputError(field, f"item {outside[0]}", f"items are numbered 0 to {size - 1}")
    if np.unique(given).size < given.size:
        raise InputError(field, "an item occurs twice", "give every item once")
    return given.astype(np.int64)


def checked_apart(
    first: npt.ArrayLike, second: npt.ArrayLike, size: int
) -> tuple[IntArray, IntArray]:
    """The indices of both groups, which must be disjoint."""
    a, b = checked_members("first", first, size), checked_members("second", second, size)
    shared = np.intersect1d(a, b)
    if shared.size:
        raise InputError(
            "second", f"item {shared[0]} is in `first` too", "the groups must not overlap"
        )
    return a, b
