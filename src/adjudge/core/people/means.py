"""Means and differences of people's labels, valid even if the predictions are wrong."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adjudge.core import groups
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.finite_population import SampledDifference, Sampling
from adjudge.core.groups import GroupMean
from adjudge.core.people.estimate import PeopleEstimate
from adjudge.core.people.sides import Side
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleMean(GroupMean):
    """A mean, or a difference of means, of people's labels."""

    labelled: int
    """Number of labelled items in the group or groups."""
    lent: bool
    """Whether labels of other groups were used, because a group has fewer than two of its own."""
    tuning: float
    """λ, the weight of the predictions: 0 for labels alone; the average over two groups."""
    labels_alone_error: float
    """Standard error from the labels alone; nan with fewer than two."""

    @property
    def worth_of_a_label(self) -> float:
        """How many labels without judges equal one label with judges; nan if unknown."""
        if not self.standard_error > 0:
            return math.nan
        return (self.labels_alone_error / self.standard_error) ** 2


def group_mean(
    estimate: Estimate, members: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    r"""The mean score of these items; of people's labels for a `PeopleEstimate`.

    With n of N items labelled, each with inclusion probability :math:`\pi_i` (n/N if unknown), and
    :math:`f_k` the predictions, made without the item's own label,

    .. math:: \theta = \frac\lambda N\sum_k f_k + \sum_i w_i (y_i - \lambda f_i),\qquad
              se^2 = \frac{n}{n-1}\sum_i (1 - \pi_i)\, w_i^2 (r_i - \bar r)^2,

    where the :math:`w_i \propto 1/\pi_i` sum to 1 and :math:`r = y - \lambda f`; Student's t
    with n - 1 degrees of freedom. It is valid even if the predictions are wrong, provided the
    labelled items are a random sample. :math:`\lambda = \mathrm{Cov}(y, f)/\mathrm{Var}(f)`,
    clipped to [0, N/(N - n)], follows PPI++ (Angelopoulos, Duchi and Zrnic 2023): useless
    predictions get no weight. With `population`, the target is the mean of the population the
    items were drawn from, and Var(y)/N is added. If the labels hardly vary, the interval is the
    exact one for random sampling, from the labels alone.
    """
    if not isinstance(estimate, PeopleEstimate):
        return groups.group_mean(estimate, members, population=population)
    chosen = groups.checked_members("members", members, estimate.score.size)
    return _inferred(estimate, [Side.of(estimate, chosen, 1.0)], population=population)


def difference(
    estimate: Estimate, first: npt.ArrayLike, second: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    """Mean of the first group minus mean of the second, for disjoint groups.

    The difference of two independent `group_mean`s, with Welch's degrees of freedom. Labels of one
    group never correct the predictions for the other.
    """
    if not isinstance(estimate, PeopleEstimate):
        return groups.difference(estimate, first, second, population=population)
    a, b = groups.checked_apart(first, second, estimate.score.size)
    return _inferred(
        estimate,
        [Side.of(estimate, a, 1.0), Side.of(estimate, b, -1.0)],
        population=population,
    )


def paired_difference(
    estimate: Estimate, first: npt.ArrayLike, second: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    """Mean of first minus second over pairs of items, such as two systems' answers to a prompt.

    Pairs are clusters: errors common to both items cancel where both are labelled. Pairs with only
    one label count too.
    """
    if not isinstance(estimate, PeopleEstimate):
        return groups.paired_difference(estimate, first, second, population=population)
    a, b = groups.checked_apart(first, second, estimate.score.size)
    if a.size != b.size:
        raise InputError("second", f"{b.size} items", f"give {a.size}, one for each of `first`")
    return _inferred(
        estimate,
        [Side.of(estimate, a, 1.0), Side.of(estimate, b, -1.0)],
        population=population,
        paired=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Exact:
    """No sampling error beyond the standard error."""

    def reach(self, level: float) -> tuple[float, float]:
        """Zero on both sides."""
        return 0.0, 0.0


def _inferred(
    estimate: PeopleEstimate, sides: Sequence[Side], *, population: bool, paired: bool = False
) -> PeopleMean:
    """The signed sum of the sides' means."""
    if any(side.n < 2 for side in sides):
        if len(sides) == 1:
            return _lent(estimate, sides[0], population=population)
        return _apart(estimate, sides, population=population)
    rare = any(side.is_rare for side in sides)
    tuning = [0.0 if rare else side.tuning for side in sides]
    cluster, number = _clusters(sides, paired=paired)
    of_labels = _by_cluster(sides, cluster, number, [side.label for side in sides])
    left = [side.rest(own) for side, own in zip(sides, tuning, strict=True)]
    of_rest = _by_cluster(sides, cluster, number, left)
    beyond = _variance_over_items(sides, paired=paired) if population else 0.0
    sampling: Sampling = _Exact()
    if rare:
        parts = [side.sampling(population=population) for side in sides]
        sampling = parts[0]
        if len(parts) > 1:
            sampling = SampledDifference(first=parts[0], second=parts[1])
    return _summary(
        estimate,
        sides,
        mean=sum(side.sign * side.mean(own) for side, own in zip(sides, tuning, strict=True)),
        error=math.sqrt(float((of_rest**2).sum()) + beyond),
        freedom=_freedom(sides, paired=paired, clusters=number),
        sampling=sampling,
        tuning=float(np.mean(tuning)),
        labels_alone_error=math.sqrt(float((of_labels**2).sum()) + beyond),
    )


def _clusters(sides: Sequence[Side], *, paired: bool) -> tuple[list[IntArray], int]:
    """The cluster index of each side's labelled items, and the number of clusters."""
    if not paired:
        ends = np.cumsum([side.n for side in sides])
        return np.split(np.arange(ends[-1]), ends[:-1]), int(ends[-1])
    known, place = np.unique(np.concatenate([side.place for side in sides]), return_inverse=True)
    return np.split(place, [sides[0].n]), known.size


def _by_cluster(
    sides: Sequence[Side], cluster: Sequence[IntArray], number: int, values: Sequence[FloatArray]
) -> FloatArray:
    """Influences summed within each cluster; shape (clusters,)."""
    total = np.zeros(number)
    for side, own, value in zip(sides, cluster, values, strict=True):
        np.add.at(total, own, side.influence(value))
    return total


def _variance_over_items(sides: Sequence[Side], *, paired: bool) -> float:
    """Variance of these items' mean around the population mean."""
    if paired:
        first, second = sides
        _, one, other = np.intersect1d(first.place, second.place, return_indices=True)
        if one.size > 1:
            apart = first.label[one] - second.label[other]
            return float(apart.var(ddof=1)) / first.items.size
    return sum(float(side.label.var(ddof=1)) / side.items.size for side in sides)


def _freedom(sides: Sequence[Side], *, paired: bool, clusters: int) -> float:
    """Degrees of freedom: pairs minus 1 if all are complete, else Welch's."""
    if len(sides) == 1:
        return sides[0].n - 1.0
    if paired and clusters == sides[0].n == sides[1].n:
        return clusters - 1.0
    parts = [float((side.influence(side.label) ** 2).sum()) for side in sides]
    squares = sum(part**2 / (side.n - 1) for part, side in zip(parts, sides, strict=True))
    return sum(parts) ** 2 / squares if squares > 0 else min(side.n for side in sides) - 1.0


def _apart(estimate: PeopleEstimate, sides: Sequence[Side], *, population: bool) -> PeopleMean:
    """The difference of two means, taken as independent; at least one has lent labels."""
    means = [
        _inferred(estimate, [replace(side, sign=1.0)], population=population) for side in sides
    ]
    squares = [mean.standard_error**2 for mean in means]
    doubt = sum(own**2 / mean.freedom for own, mean in zip(squares, means, strict=True))
    return _summary(
        estimate,
        sides,
        mean=sum(side.sign * own.mean for side, own in zip(sides, means, strict=True)),
        error=math.sqrt(sum(squares)),
        freedom=sum(squares) ** 2 / doubt if doubt > 0 else min(mean.freedom for mean in means),
        sampling=SampledDifference(first=means[0].sampling, second=means[1].sampling),
        tuning=float(np.mean([mean.tuning for mean in means])),
        labels_alone_error=math.nan,
        lent=True,
    )


def _lent(estimate: PeopleEstimate, side: Side, *, population: bool) -> PeopleMean:
    """The mean of the scores, for a group that relies on labels of other groups."""
    labels = estimate.labels.labelled.size
    # Labelled items have no error; the others share the error of the calibration.
    unlabelled = 1 - side.n / side.items.size
    usual = float(estimate.predicted_variance[side.items].mean())
    error = usual * unlabelled * (1 / side.items.size + unlabelled / labels)
    if population:
        error += float(estimate.score[side.items].var()) / side.items.size
    return _summary(
        estimate,
        [side],
        mean=float(estimate.score[side.items].mean()),
        error=math.sqrt(error),
        freedom=labels + 1.0,
        sampling=_Exact(),
        tuning=1.0,
        labels_alone_error=math.nan,
        lent=True,
    )


def _summary(
    estimate: PeopleEstimate,
    sides: Sequence[Side],
    *,
    mean: float,
    error: float,
    freedom: float,
    sampling: Sampling,
    tuning: float,
    labels_alone_error: float,
    lent: bool = False,
) -> PeopleMean:
    """The result, with the mean clipped to the possible range."""
    low, high = estimate.score_range
    limits = (low, high) if len(sides) == 1 else (low - high, high - low)
    return PeopleMean(
        mean=min(max(mean, limits[0]), limits[1]),
        standard_error=error,
        items=sum(side.items.size for side in sides),
        unasked=0,
        freedom=freedom,
        error_if_all_asked=0.0,
        sampling=sampling,
        limits=limits,
        confidence=estimate.confidence,
        labelled=sum(side.n for side in sides),
        lent=lent,
        tuning=tuning,
        labels_alone_error=labels_alone_error,
    )
