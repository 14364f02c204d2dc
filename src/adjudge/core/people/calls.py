"""Expected error of predicted labels after further calls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Evidence, Moments
from adjudge.core.panel.learning import Learned
from adjudge.core.panel.plan import best_calls
from adjudge.core.people.column import people_column
from adjudge.core.problem import Problem

_MOST_ITEMS = 1_000
"""Maximum number of items in a plan; larger problems are sampled."""
_LEARNED = 2.0
"""Number of parameters, level and slope: n labels inflate the variance by 1 + 2/n."""
BIAS = 0.15
"""Prior standard deviation of people's level above the panel, on the scale 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlannedCalls:
    """Prediction variance of labels after further calls, planned for a sample of the items."""

    learned: Learned
    """The fitted panel, with people in its last column."""
    price: FloatArray
    """Price per score, infinite for people; shape (sample, J + 1)."""
    share: float
    """Share of the items in the sample."""
    norm: float

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence) -> PlannedCalls:
        """The planner for this evidence."""
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
        """Variance due to level and slope after this many labels, for items of these variances."""
        # At most the prior variance of the level.
        return np.minimum(_LEARNED * variance / max(labels, 1), BIAS**2)

    def left_open(self, money: float) -> tuple[FloatArray, float]:
        """Prediction variances of the sampled items after the best calls for further money.

        On the scale 0 to 1; also returns the number of scores for all items.
        """
        model, scores = self.learned.model, self.learned.scores
        planned = best_calls(model, scores.n, self.price, money * self.share, norm=self.norm)
        nothing = np.zeros(planned.shape)
        after = Moments(n=scores.n + planned, mean=nothing, m2=nothing)
        return model.posterior(after).variance, float(planned.sum()) / self.share
