"""The paper's oracle: it knows every variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Estimate, inverse_variance_weights
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, total_budget
from adjudge.core.whole_calls import whole_calls


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Oracle:
    """IVWE with the optimal allocation of known variances (Theorem 3.2)."""

    variance: FloatArray
    """True variance of a score; shape (K, J)."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from the optimal allocation."""
        budget = total_budget(problem, evidence, remaining)
        wanted = whole_calls(problem, self.variance, budget)
        return difference(problem, wanted, evidence.calls, budget)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """IVWE with the known variances."""
        scores = evidence.pooled
        weights = inverse_variance_weights(scores, self.variance)
        return Estimate.of(problem, weights, scores, self.variance)
