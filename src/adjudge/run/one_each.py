"""The strategy of a probe: one call of every judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.estimate import Estimate
from adjudge.core.problem import Allocation, Evidence, Problem
from adjudge.core.strategies import Strategy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneEach:
    """One call of every judge, about the item that costs it least."""

    rest: Strategy
    """Says what the answers mean."""
    asked: Callable[[], BoolArray]
    """Tells which judges were asked since, whatever became of it; shape (J,). What a strategy is
    shown leaves out items that no judge will take any more, and with them their calls."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The judges that were not asked since."""
        counts = np.zeros(problem.price_per_call.shape, np.int64)
        waiting = np.flatnonzero(~self.asked())
        cheapest = problem.price.argmin(axis=0)[waiting]
        within = np.cumsum(problem.price_per_call[cheapest, waiting]) <= remaining
        counts[cheapest[within], waiting[within]] = 1
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """What the plan's own strategy makes of it."""
        return self.rest.estimate(problem, evidence)
