"""The strategy of a probe: one call of every judge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Strategy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OneEach:
    """One call of every judge, about its cheapest item."""

    rest: Strategy
    """The strategy that estimates scores from the answers."""
    asked: Callable[[], BoolArray]
    """Returns the judges already asked, whatever the outcome; shape (J,). The evidence does not
    show this: it leaves out items that no judge takes any more, with their calls."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """One call of each judge that was not yet asked, as far as the money suffices."""
        counts = np.zeros(problem.price_per_call.shape, np.int64)
        waiting = np.flatnonzero(~self.asked())
        cheapest = problem.price.argmin(axis=0)[waiting]
        within = np.cumsum(problem.price_per_call[cheapest, waiting]) <= remaining
        counts[cheapest[within], waiting[within]] = 1
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The estimate by the plan's own strategy."""
        return self.rest.estimate(problem, evidence)
