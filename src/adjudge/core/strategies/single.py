"""Ask one judge about everything."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.estimate import Estimate, plain_estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies.equal import difference, equal_counts, total_budget
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleJudge:
    """Asks the same judge about every item equally often.

    Items it may not be asked about go to their cheapest judge.
    """

    judge: int

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """Calls still missing from equal counts."""
        budget = total_budget(problem, evidence, remaining)
        pairs = one_pair_each(problem, judge_of_each_item(problem, self.judge))
        wanted = equal_counts(problem, pairs, evidence.calls, budget, rng)
        return difference(problem, wanted, evidence.calls, budget)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The judge's mean."""
        return plain_estimate(problem, evidence.pooled)


def cheapest_judge(problem: Problem) -> int:
    """The judge with the lowest mean price over the items it may be asked about."""
    allowed = problem.mask.sum(axis=0)
    total = np.sum(problem.price_per_call, axis=0, where=problem.mask)
    return int(np.argmin(np.where(allowed > 0, total / np.maximum(allowed, 1), np.inf)))


def judge_of_each_item(problem: Problem, judge: int) -> IntArray:
    """The judge, or the item's cheapest if this one may not be asked; shape (K,)."""
    if not 0 <= judge < problem.judges:
        raise InputError("judge", f"{judge}", f"give an index from 0 to {problem.judges - 1}")
    cheapest = problem.price.argmin(axis=1)
    return np.where(problem.mask[:, judge], np.int64(judge), cheapest)


def one_pair_each(problem: Problem, judge: IntArray) -> BoolArray:
    """The pairs of each item with its judge; shape (K, J)."""
    pairs: BoolArray = judge[:, None] == np.arange(problem.judges)
    return pairs
