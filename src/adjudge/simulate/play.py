"""The loop of a run on a simulated world: one strategy, one budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Strategy
from adjudge.errors import SimulationError
from adjudge.worlds import World

LEVEL = 0.9
"""Level of the intervals whose coverage is reported."""
_ROUNDING = 1e-9
"""Tolerance on the scale 0 to 1, so that an interval of width zero can cover its score."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """The result of a strategy on one world."""

    estimate: Estimate
    evidence: Evidence
    spent: float

    @property
    def calls(self) -> int:
        """Calls paid for."""
        return int(self.evidence.calls.sum())

    def error(self, truth: FloatArray, norm: float) -> float:
        """‖ŝ - s‖_p."""
        return float(np.linalg.norm(self.estimate.score - truth, ord=norm))

    def coverage(self, truth: FloatArray) -> float:
        """Share of the items whose 90 % interval holds their score, up to rounding errors."""
        interval = self.estimate.interval(LEVEL)
        low, high = self.estimate.score_range
        slack = _ROUNDING * (high - low)
        held = (interval.low <= truth + slack) & (truth - slack <= interval.high)
        return float(held.mean())


def play(
    strategy: Strategy,
    problem: Problem,
    world: World,
    budget: float,
    *,
    rng: np.random.Generator,
) -> Outcome:
    """Run a strategy on a world until it asks for nothing more."""
    for_strategy, for_world = rng.spawn(2)
    evidence = Evidence.none(problem)
    remaining = budget
    while batch := strategy.next_batch(problem, evidence, remaining, for_strategy):
        cost = batch.cost(problem)
        if cost > remaining + DUST * budget:
            raise SimulationError(
                f"{type(strategy).__name__} asked for {cost:.9g} with {remaining:.9g} left; "
                "a strategy must stay within its budget"
            )
        evidence = evidence.plus(batch, world.draw(batch, for_world))
        remaining -= cost
    return Outcome(
        estimate=strategy.estimate(problem, evidence),
        evidence=evidence,
        spent=evidence.cost(problem),
    )
