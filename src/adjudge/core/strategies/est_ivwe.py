"""Estimate-then-IVWE: estimate the variances in a pilot, then allocate as the oracle would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.apportionment import fits
from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.estimate import Estimate, inverse_variance_weights
from adjudge.core.evidence import Allocation, Evidence, Moments, Phase, total_cost
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, total_budget
from adjudge.core.strategies.pilot import PilotRule
from adjudge.core.variance import optimistic_variance
from adjudge.core.whole_calls import whole_calls


@dataclass(frozen=True, slots=True, kw_only=True)
class EstIvwe:
    r"""Algorithms 1 (bounded) and 2 (Gaussian) of the paper.

    N0 pilot calls of every pair give :math:`\bar\sigma^2 = (\hat\sigma + \tau)^2` (τ = 0 for
    Gaussian scores). The rest is allocated as the oracle would with these variances, and only its
    scores are averaged, so that the result is unbiased given the pilot.
    """

    gaussian: bool = False
    reduced_pilot: bool = False
    """Reduce the pilot to what the budget allows instead of refusing; this voids the guarantee."""
    raw_units: bool = False
    """Use money and scores in their given units, as the paper's experiments do."""
    whole_budget: ClassVar[bool] = True
    """The pilot is a share of the whole budget; see `Strategy`."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from the pilot, or from the second phase."""
        budget = total_budget(problem, evidence, remaining)
        calls = self._pilot_calls(problem, budget)
        asked = evidence.asked[Phase.PILOT]
        wanted = np.where(problem.mask, calls, 0)
        pilot = difference(problem, wanted, asked, budget, Phase.PILOT)
        if pilot:
            return pilot
        rest = budget - total_cost(asked, problem.price_per_call)
        if not fits(problem.cost_of_every_item, rest):
            return Allocation.nothing(problem)
        wanted = whole_calls(problem, self._variance(problem, evidence, calls), rest)
        return difference(problem, wanted, evidence.asked[Phase.MAIN], rest)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """IVWE of the second phase, or of the pilot for items without a second-phase score."""
        pilot, main = evidence.moments[Phase.PILOT], evidence.moments[Phase.MAIN]
        calls = int(evidence.asked[Phase.PILOT].max())
        variance = self._variance(problem, evidence, max(calls, 2))
        weights = inverse_variance_weights(main, variance)
        waiting: BoolArray = weights.sum(axis=1, keepdims=True) == 0
        weights = np.where(waiting, inverse_variance_weights(pilot, variance), weights)
        scores = Moments(
            n=np.where(waiting, pilot.n, main.n),
            mean=np.where(waiting, pilot.mean, main.mean),
            m2=np.where(waiting, pilot.m2, main.m2),
        )
        return Estimate.of(problem, weights, scores, variance)

    def least_budget(self, problem: Problem) -> float:
        """The smallest budget for which the theorem holds."""
        return self._rule.least_budget(problem)

    def check_budget(self, problem: Problem, budget: float) -> None:
        """Refuse a budget for which the first batch would fail."""
        self._pilot_calls(problem, budget)

    @property
    def _rule(self) -> PilotRule:
        return PilotRule(gaussian=self.gaussian, raw_units=self.raw_units)

    def _pilot_calls(self, problem: Problem, budget: float) -> int:
        if self.reduced_pilot:
            return self._rule.reduced_calls(problem, budget)
        self._rule.check(problem, budget)
        return self._rule.calls(problem, budget)

    def _variance(self, problem: Problem, evidence: Evidence, calls: int) -> FloatArray:
        margin = self._rule.margin(problem, calls)
        return optimistic_variance(problem, evidence.moments[Phase.PILOT], margin)
