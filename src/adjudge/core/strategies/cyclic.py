"""One judge per item and pass, in rotation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import fits
from adjudge.core.arrays import IntArray
from adjudge.core.estimate import Estimate, plain_estimate
from adjudge.core.evidence import Allocation, Evidence, total_cost
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, once_more, total_budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Cyclic:
    """Every pass asks every item once; the judge rotates from item to item and from pass to pass.

    Money left after the last whole pass goes to random items of the next one.
    """

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from the passes that the budget pays for."""
        budget = total_budget(problem, evidence, remaining)
        rotation = _Rotation.of(problem)
        passes = rotation.affordable_passes(problem, budget)
        counts = rotation.counts(passes)
        upcoming = np.flatnonzero(rotation.counts(passes + 1) > counts)
        order = rng.permutation(upcoming)
        wanted = once_more(problem, counts, order, evidence.calls, budget)
        return difference(problem, wanted, evidence.calls, budget)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """Weighted mean of the judges' means."""
        return plain_estimate(problem, evidence.pooled)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rotation:
    turn: IntArray
    """Pass in which a pair is first asked, never reached if it may not be asked; shape (K, J)."""
    length: IntArray
    """Period of an item's rotation, in passes; shape (K, 1)."""

    @classmethod
    def of(cls, problem: Problem) -> _Rotation:
        length = problem.mask.sum(axis=1, keepdims=True)
        rank = np.cumsum(problem.mask, axis=1) - 1
        first = np.arange(problem.items)[:, None] % length
        return cls(
            turn=np.where(problem.mask, (rank - first) % length, np.iinfo(np.int64).max),
            length=length,
        )

    def counts(self, passes: int) -> IntArray:
        """Calls of each pair after this many passes; shape (K, J)."""
        beyond = np.maximum(passes - np.minimum(self.turn, passes), 0)
        counts: IntArray = -(-beyond // self.length)
        return counts

    def affordable_passes(self, problem: Problem, budget: float) -> int:
        """The largest number of whole passes within the budget."""
        few, many = 0, 1
        while fits(total_cost(self.counts(many), problem.price_per_call), budget):
            few, many = many, 2 * many
        while many - few > 1:
            middle = (few + many) // 2
            if fits(total_cost(self.counts(middle), problem.price_per_call), budget):
                few = middle
            else:
                many = middle
        return few
