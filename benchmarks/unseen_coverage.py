"""Which of the intervals that a user would see hold the truth of a world."""

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
"""Of the score range: how far an interval may miss the truth by rounding alone."""
FEWEST_PAIRS, PAIRED = 2, 0.5
"""Groups are compared by prompts from so many pairs, and so large a share of the items, on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Shares of intervals that hold; nan where there is no interval to speak of."""

    item: float
    """Of the items."""
    mean: float
    """Of the mean of all items, on these items."""
    group: float
    """Of the means of groups: the world's own, or the two halves of the file."""
    difference: float
    """Of the differences between any two groups, by prompts where they share prompts."""
    by_score: float
    """Of the difference between the lower and the upper half of the items by true score."""

    @classmethod
    def of(cls, outcome: Outcome, instance: Instance, level: float) -> Coverage:
        """What a strategy's intervals at this level hold."""
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
        """Every share by its name."""
        return asdict(self)


def group_labels(instance: Instance) -> IntArray:
    """The world's own groups, or the two halves of the file; shape (K,)."""
    if instance.groups is not None:
        return instance.groups
    items = instance.truth.size
    return (2 * np.arange(items) // items).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Seen:
    """An estimate beside the truth.

    Where judges have no noise and all were asked, an item is settled: an interval that says so
    always holds, at any level. Such items, and means of nothing else, do not count.
    """

    estimate: Estimate
    truth: FloatArray
    asked: BoolArray
    """Items with a score of their own; shape (K,)."""
    unsettled: BoolArray
    """Items that are not known for certain; shape (K,)."""
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
        """Share of the items that their intervals hold."""
        interval = self.estimate.interval(self.level)
        above = interval.low - self.slack <= self.truth
        held = above & (self.truth <= interval.high + self.slack)
        return float(held[self.unsettled].mean()) if self.unsettled.any() else math.nan

    def holds(self, function: Callable[..., GroupMean], *members: IntArray) -> float:
        """1 if the interval of this mean, or of this difference, holds, 0 if not."""
        if not all(own.size for own in members):
            return math.nan
        if not self.unsettled[np.concatenate(members)].any():
            return math.nan
        value = self.truth[members[0]].mean() - sum(self.truth[own].mean() for own in members[1:])
        try:
            low, high = function(self.estimate, *members).interval(self.level)
        except InputError:
            # Nothing of a group was asked: a user is told so, and gets no interval.
            return math.nan
        return float(low - self.slack <= value <= high + self.slack)

    def holds_between(self, one: IntArray, other: IntArray, prompts: IntArray | None) -> float:
        """The same of two groups, pair by pair where the report would compare them so."""
        if prompts is not None:
            _, first, second = np.intersect1d(prompts[one], prompts[other], return_indices=True)
            pairs = np.count_nonzero(self.asked[one[first]] & self.asked[other[second]])
            fewest = min(np.count_nonzero(self.asked[own]) for own in (one, other))
            if pairs >= max(FEWEST_PAIRS, PAIRED * fewest):
                return self.holds(paired_difference, one[first], other[second])
        return self.holds(difference, one, other)


def _share(values: Iterable[float]) -> float:
    """Mean of those that are numbers."""
    found = [value for value in values if not math.isnan(value)]
    return float(np.mean(found)) if found else math.nan
