"""The strategy of a probe: one call of every judge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.problem import Allocation, Evidence, Problem
from adjudge.core.strategies import Strategy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneEach:
    """One more call of every judge than was made before, about the item that costs it least."""

    rest: Strategy
    """Says what the answers mean."""
    made: IntArray
    """Calls that every judge had been asked before; shape (J,)."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The judges that were not asked since."""
        counts = np.zeros(problem.cost.shape, np.int64)
        waiting = np.flatnonzero(evidence.calls.sum(axis=0) <= self.made)
        cheapest = problem.price.argmin(axis=0)[waiting]
        within = np.cumsum(problem.cost[cheapest, waiting]) <= remaining
        counts[cheapest[within], waiting[within]] = 1
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """What the plan's own strategy makes of it."""
        return self.rest.estimate(problem, evidence)
