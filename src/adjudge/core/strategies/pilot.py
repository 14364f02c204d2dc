"""The number of pilot calls per pair in the paper's algorithms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.core.apportionment import fits, whole_multiples
from adjudge.core.problem import Problem
from adjudge.core.variance import log_pairs, variance_margin
from adjudge.errors import BudgetError

LEAST = 2
"""A variance needs two scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotRule:
    """The theorem's number of pilot calls per pair, N0, and the budget it requires.

    N0 depends on the units of money and of scores. Unless `raw_units` is set, scores are in units
    of their range and money in units of the mean price, so that currency and scale do not matter.
    """

    gaussian: bool
    raw_units: bool = False

    def calls(self, problem: Problem, budget: float) -> int:
        r"""N0 for this budget, rounded up and at least 2.

        With :math:`L = \log(4KJ/\delta)`, for bounded scores (Theorem 4.1)

        .. math:: N_0 = (2B)^{1/3} (R^2 L)^{2/3} \quad (p \ge 2),\qquad
                  N_0 = 2^{\frac{p}{2p+2}} R^{\frac{3p+2}{2p+2}} L^{\frac{3p+2}{4p+4}}
                        B^{\frac{p+2}{4p+4}} \quad (p < 2)

        and :math:`N_0 = 1 + \lceil 16 L \rceil` for Gaussian ones (Theorem F.4).
        """
        log_term = log_pairs(problem)
        if self.gaussian:
            return 1 + math.ceil(16 * log_term)
        width = problem.score_width if self.raw_units else 1.0
        money = budget if self.raw_units else budget / problem.average_cost
        p = problem.norm
        real: float
        if p >= 2:
            real = (2 * money) ** (1 / 3) * (width**2 * log_term) ** (2 / 3)
        else:
            real = (
                2 ** (p / (2 * p + 2))
                * width ** ((3 * p + 2) / (2 * p + 2))
                * log_term ** ((3 * p + 2) / (4 * p + 4))
                * money ** ((p + 2) / (4 * p + 4))
            )
        return max(LEAST, math.ceil(real))

    def margin(self, problem: Problem, calls: int) -> float:
        """The margin τ for bounded scores; 0 for Gaussian ones."""
        return 0.0 if self.gaussian else variance_margin(problem, pilot=calls)

    def least_budget(self, problem: Problem) -> float:
        """The smallest budget for which the theorem's conditions hold.

        Bounded: 2 N0 calls of every pair. Gaussian: N0 of every pair and one more call per item,
        for the second phase.
        """
        every_pair = problem.cost_of_every_pair
        if self.gaussian:
            return self.calls(problem, every_pair) * every_pair + problem.cost_of_every_item
        # N0 grows more slowly than the budget: find the first N0 that pays for itself.
        few, many = LEAST - 1, LEAST
        while self.calls(problem, 2 * many * every_pair) > many:
            few, many = many, 2 * many
        while many - few > 1:
            middle = (few + many) // 2
            if self.calls(problem, 2 * middle * every_pair) > middle:
                few = middle
            else:
                many = middle
        return 2 * many * every_pair

    def check(self, problem: Problem, budget: float) -> None:
        """Refuse a budget below the theorem's condition."""
        needed = self.least_budget(problem)
        if not fits(needed, budget):
            raise BudgetError.too_small(
                budget,
                "the theorem's pilot",
                needed=needed,
                otherwise=", or reduced_pilot, which gives up the guarantee",
            )

    def reduced_calls(self, problem: Problem, budget: float) -> int:
        """N0 limited to half of the budget, but at least 2; this voids the guarantee."""
        affordable = whole_multiples(budget / 2, problem.cost_of_every_pair)
        needed = LEAST * problem.cost_of_every_pair + problem.cost_of_every_item
        if not fits(needed, budget):
            raise BudgetError.too_small(budget, "two pilot calls of every pair", needed=needed)
        return min(self.calls(problem, budget), max(LEAST, affordable))
