"""Coverage of the intervals that a user would see."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from itertools import combinations

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.groups import GroupMean, difference, group_mean, paired_difference
from adjudge.errors import InputError
from adjudge.simulate import Outcome
from adjudge.worlds import Instance

ROUNDING = 1e-9
"""Tolerance for rounding errors, as a share of the score range."""
FEWEST_PAIRS, PAIRED = 2, 0.5
"""Groups are compared by prompt if at least this many pairs, and this share of items, are asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Shares of intervals that cover the truth; nan if there are no such intervals."""

    item: float
    """Items' intervals."""
    mean: float
    """The interval of the mean of all items, for exactly these items."""
    group: float
    """Intervals of group means; groups are the world's own, or the two halves of the file."""
    difference: float
    """Intervals of differences between any two groups, by prompt if they share prompts."""
    by_score: float
    """The interval of the difference between the lower and upper half of the items by truth."""

    @classmethod
    def of(cls, outcome: Outcome, instance: Instance, level: float) -> Coverage:
        """The coverage of a strategy's intervals at this level."""
        seen = _Seen.of(outcome, instance, level)
        labels = group_labels(instance)
        groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        upper = instance.truth > np.median(instance.truth)
        return cls(
            item=seen.items(),
            mean=seen.holds(group_mean, np.arange(upper.size)),
            group=_share(seen.holds(group_mean, members) for members in groups),
            difference=_share(
                seen.holds_between(one, other, instance.prompts)
                for one, other in combinations(groups, 2)
            ),
            by_score=seen.holds(difference, np.flatnonzero(~upper), np.flatnonzero(upper)),
        )

    def as_dict(self) -> dict[str, float]:
        """Every share by name."""
        return asdict(self)


def group_labels(instance: Instance) -> IntArray:
    """The world's own groups, or the two halves of the file; shape (K,)."""
    if instance.groups is not None:
        return instance.groups
    items = instance.truth.size
    return (2 * np.arange(items) // items).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Seen:
    """An estimate and the truth.

    If judges have no noise and all were asked, an item is settled: its interval has width zero and
    always covers. Settled items, and means of only settled items, do not count.
    """

    estimate: Estimate
    truth: FloatArray
    asked: BoolArray
    """Items with a score of their own; shape (K,)."""
    unsettled: BoolArray
    """Items that are not settled; shape (K,)."""
    slack: float
    level: float

    @classmethod
    def of(cls, outcome: Outcome, instance: Instance, level: float) -> _Seen:
        scores = outcome.evidence.pooled.n > 0
        settled = (scores & (instance.variance == 0)) | ~instance.mask
        low, high = instance.score_range
        return cls(
            estimate=outcome.estimate,
            truth=instance.truth,
            asked=scores.any(axis=1),
            unsettled=~settled.all(axis=1),
            slack=ROUNDING * (high - low),
            level=level,
        )

    def items(self) -> float:
        """Share of the unsettled items whose interval covers the truth."""
        interval = self.estimate.interval(self.level)
        above = interval.low - self.slack <= self.truth
        held = above & (self.truth <= interval.high + self.slack)
        return float(held[self.unsettled].mean()) if self.unsettled.any() else math.nan

    def holds(self, function: Callable[..., GroupMean], *members: IntArray) -> float:
        """1 if the interval of this mean or difference covers the truth, 0 if not; nan if none."""
        if not all(own.size for own in members):
            return math.nan
        if not self.unsettled[np.concatenate(members)].any():
            return math.nan
        value = self.truth[members[0]].mean() - sum(self.truth[own].mean() for own in members[1:])
        try:
            low, high = function(self.estimate, *members).interval(self.level)
        except InputError:
            # No item of a group was asked: a user gets an error and no interval.
            return math.nan
        return float(low - self.slack <= value <= high + self.slack)

    def holds_between(self, one: IntArray, other: IntArray, prompts: IntArray | None) -> float:
        """The same for two groups' difference, which is paired if the report would pair it."""
        if prompts is not None:
            _, first, second = np.intersect1d(prompts[one], prompts[other], return_indices=True)
            pairs = np.count_nonzero(self.asked[one[first]] & self.asked[other[second]])
            fewest = min(np.count_nonzero(self.asked[own]) for own in (one, other))
            if pairs >= max(FEWEST_PAIRS, PAIRED * fewest):
                return self.holds(paired_difference, one[first], other[second])
        return self.holds(difference, one, other)


def _share(values: Iterable[float]) -> float:
    """Mean of the values that are not nan."""
    found = [value for value in values if not math.isnan(value)]
    return float(np.mean(found)) if found else math.nan
