"""How further calls would reduce the error of predicted labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.learning import Learned
from adjudge.core.panel.plan import best_calls
from adjudge.core.people.column import people_column
from adjudge.core.problem import Evidence, Moments, Problem

_MOST_ITEMS = 1_000
"""Above so many items, plans are made for a sample of them."""
_LEARNED = 2.0
"""Parameters of level and slope: with n labels the variance is 1 + 2/n of the residual one."""
BIAS = 0.15
"""Standard deviation of people's level above the panel before any label, on the scale 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedCalls:
    """Variance of labels that further calls would leave, planned for a sample of the items."""

    learned: Learned
    """With people in its last column."""
    price: FloatArray
    """Per score, infinite for people; shape (sample, J + 1)."""
    share: float
    """Of the items that are in the sample."""
    norm: float

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence) -> PlannedCalls:
        """Learned from the evidence."""
        rng = np.random.default_rng(0)
        learned = people_column(problem, evidence, draws=8, rng=rng)
        rows = np.sort(rng.permutation(problem.items)[:_MOST_ITEMS])
        price = np.full((problem.items, problem.judges + 1), math.inf)
        heeded = problem.with_judges(learned.follow[:-1])
        price[:, :-1] = heeded.price / evidence.answer_rate
        return cls(
            learned=learned.part(rows),
            price=price[rows],
            share=rows.size / problem.items,
            norm=problem.norm,
        )

    @staticmethod
    def doubt(variance: FloatArray, labels: int) -> FloatArray:
        """Variance of level and slope after so many labels, for items of these variances."""
        # It is at most the prior variance of the level.
        return np.minimum(_LEARNED * variance / max(labels, 1), BIAS**2)

    def left_open(self, money: float) -> tuple[FloatArray, float]:
        """Variances of the labels around predictions after the best calls for further money.

        Of the sampled items, on the scale 0 to 1, and the number of scores for all items.
        """
        model, scores = self.learned.model, self.learned.scores
        planned = best_calls(model, scores.n, self.price, money * self.share, norm=self.norm)
        nothing = np.zeros(planned.shape)
        after = Moments(n=scores.n + planned, mean=nothing, m2=nothing)
        return model.posterior(after).variance, float(planned.sum()) / self.share
