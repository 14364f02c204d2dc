"""A group of items whose mean is inferred from a sample of labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.finite_population import RandomSample
from adjudge.core.people.estimate import PeopleEstimate

_RARE = 5
"""Number of minority labels below which the normal approximation is not used."""

_NOTHING = 1e-15
"""Variances of predictions up to this, on the scale 0 to 1, count as zero."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """A group of items, with the sign of its mean."""

    sign: float
    items: IntArray
    place: IntArray
    """Indices of the labelled items within `items`; shape (n,)."""
    label: FloatArray
    """Shape (n,)."""
    predicted: FloatArray
    """Predictions for all items; shape (N,)."""
    weight: FloatArray
    """w, the inverse-probability weights; shape (n,)."""
    chance: FloatArray
    """π, the inclusion probabilities; shape (n,)."""
    score_range: tuple[float, float]

    @classmethod
    def of(cls, estimate: PeopleEstimate, items: IntArray, sign: float) -> Side:
        """The items' labels and predictions."""
        labels = estimate.labels
        place = np.flatnonzero(labels.is_labelled[items])
        own = items[place]
        chance = np.full(own.size, own.size / items.size)
        if labels.inclusion is not None:
            chance = labels.inclusion[own]
        weight = 1 / chance
        return cls(
            sign=sign,
            items=items,
            place=place,
            label=labels.mean[own],
            predicted=estimate.predicted[items],
            weight=weight / max(float(weight.sum()), math.ulp(0.0)),
            chance=chance,
            score_range=estimate.score_range,
        )

    @property
    def n(self) -> int:
        """Number of labelled items."""
        return self.place.size

    @property
    def is_rare(self) -> bool:
        """Whether the labels hardly vary: at most two values, and few of the rarer one."""
        _, count = np.unique(self.label, return_counts=True)
        return self.n < self.items.size and self.n - int(count.max()) < _RARE and count.size < 3

    @property
    def tuning(self) -> float:
        """λ, the weight of the predictions, from 0 to N/(N - n)."""
        # The variance is estimated from all items, not only the labelled ones.
        squares = float(self.predicted.var(ddof=1))
        low, high = self.score_range
        if squares <= _NOTHING * (high - low) ** 2:
            return 0.0
        most = self.items.size / max(self.items.size - self.n, 1)
        return min(max(self.covariance / squares, 0.0), most)

    def rest(self, tuning: float) -> FloatArray:
        """Residuals y - λf of the labels; shape (n,)."""
        return self.label - tuning * self.predicted[self.place]

    def mean(self, tuning: float) -> float:
        """The mean θ."""
        return tuning * float(self.predicted.mean()) + float(self.weight @ self.rest(tuning))

    @property
    def covariance(self) -> float:
        """Weighted covariance of labels and predictions."""
        centered = self.label - float(self.weight @ self.label)
        return float(self.weight @ (centered * self.predicted[self.place]))

    def influence(self, values: FloatArray) -> FloatArray:
        """Signed influence of each labelled item on the mean of `values` (n,); shape (n,)."""
        centered = values - float(self.weight @ values)
        scale = np.sqrt(self.n / (self.n - 1) * (1 - self.chance))
        return self.sign * scale * self.weight * centered

    def sampling(self, *, population: bool) -> RandomSample:
        """Sampling error of the labels alone, for any distribution of scores."""
        return RandomSample(
            scores=self.label,
            population=math.inf if population else self.items.size,
            score_range=self.score_range,
        )
