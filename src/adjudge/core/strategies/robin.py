"""ROBIN and ROBIN-HOOD, for a single judge (Saha, Wagde, Kveton 2026)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import apportion, fits
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.estimate import Estimate, plain_estimate, plain_weights
from adjudge.core.evidence import Allocation, Evidence, Moments, total_cost
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, equal_counts, total_budget
from adjudge.core.strategies.single import judge_of_each_item, one_pair_each


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Robin:
    """Each next call to the item with the largest σ²/n, for known variances.

    The order of calls does not matter, so all are planned at once.
    """

    judge: int
    variance: FloatArray
    """True variance of a score; shape (K, J)."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from the final counts."""
        judge = judge_of_each_item(problem, self.judge)
        budget = total_budget(problem, evidence, remaining)
        price = problem.price_of(judge)
        asked = evidence.calls
        if not fits(float(price.sum()), budget):
            pairs = one_pair_each(problem, judge)
            return difference(
                problem, equal_counts(problem, pairs, asked, budget, rng), asked, budget
            )
        rows = np.arange(problem.items)
        own = self.variance[rows, judge]
        if not own.any():
            own = np.ones_like(own)
        counts = np.zeros_like(asked)
        one_each = np.ones(problem.items, np.int64)
        counts[rows, judge] = apportion(own, price, budget, math.inf, start=one_each)
        return difference(problem, counts, asked, budget)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The judge's mean."""
        scores = evidence.pooled
        return Estimate.of(problem, plain_weights(problem, scores), scores, self.variance)


@dataclass(frozen=True, slots=True, kw_only=True)
class RobinHood:
    r"""ROBIN with variances estimated along the way.

    Every item is asked in turn while :math:`\lfloor t/K \rfloor \le 4\log(1/\delta)`; then each
    next call goes to :math:`\arg\max_k V_k/n_k` with
    :math:`V_k = \hat\sigma_k^2 / (1 - 2\sqrt{\log(1/\delta)/n_k})`. Calls are made in rounds, each
    a tenth of what was spent before; V is updated between rounds, not after every call.
    """

    judge: int
    growth: float = 1.1
    """Total spend at the end of a round divided by that at its start."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The rest of the first passes, or of the current round."""
        judge = judge_of_each_item(problem, self.judge)
        pairs = one_pair_each(problem, judge)
        asked = evidence.calls
        budget = total_budget(problem, evidence, remaining)
        price = problem.price_of(judge)
        passes = math.floor(4 * math.log(1 / problem.delta)) + 1
        first = passes * float(price.sum())
        turns = equal_counts(problem, pairs, asked, min(budget, first), rng)
        opening = difference(problem, np.minimum(turns, passes), asked, budget)
        if opening or not fits(first, budget):
            return opening
        rows = np.arange(problem.items)
        own = asked[rows, judge]
        spent = total_cost(asked, problem.price_per_call)
        other = spent - float(price @ own)
        ideal = _inflated_variance(problem, evidence.pooled, judge)
        end = first
        while True:
            end = min(budget, end * self.growth)
            if end > spent or end == budget:
                counts = asked.copy()
                counts[rows, judge] = apportion(ideal, price, end - other, math.inf, start=own)
                batch = difference(problem, counts, asked, budget)
                if batch or end == budget:
                    return batch

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The judge's mean."""
        return plain_estimate(problem, evidence.pooled)


def _inflated_variance(problem: Problem, scores: Moments, judge: IntArray) -> FloatArray:
    """V of each item: its sample variance, inflated more the fewer its scores; shape (K,)."""
    rows = np.arange(problem.items)
    n, m2 = scores.n[rows, judge], scores.m2[rows, judge]
    sample = m2 / np.maximum(n - 1, 1)
    # Failed calls can leave an item with fewer scores than the first passes, where V is undefined.
    shrink = 1 - 2 * np.sqrt(math.log(1 / problem.delta) / np.maximum(n, 1))
    inflated = sample / np.maximum(shrink, 1e-3)
    inflated[n < 2] = inflated.max(initial=0.0)
    return inflated if inflated.any() else np.ones(problem.items)
