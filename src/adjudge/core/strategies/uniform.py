"""Ask every pair equally often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.estimate import (
    Estimate,
    inverse_variance_weights,
    learned_estimate,
    plain_estimate,
)
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, equal_counts, total_budget
from adjudge.core.variance import sample_variance


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniform:
    """Every pair equally often; the money left buys one more call of random pairs.

    The score is the mean of the judges' means with the panel's weights, or with inverse sample
    variances as weights (Graybill and Deal's estimator).
    """

    by_inverse_variance: bool = False

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from equal counts."""
        budget = total_budget(problem, evidence, remaining)
        wanted = equal_counts(problem, problem.mask, evidence.calls, budget, rng)
        return difference(problem, wanted, evidence.calls, budget)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """Weighted mean of the judges' means."""
        scores = evidence.pooled
        if not self.by_inverse_variance:
            return plain_estimate(problem, scores)
        weights = inverse_variance_weights(scores, sample_variance(problem, scores))
        return learned_estimate(problem, scores, weights)
