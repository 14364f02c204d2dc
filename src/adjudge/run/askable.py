"""Asking a strategy about the items that can still be asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Strategy


def batch_for(
    strategy: Strategy,
    problem: Problem,
    evidence: Evidence,
    remaining: float,
    rng: np.random.Generator,
    *,
    may_ask: BoolArray,
) -> Allocation:
    """The strategy's next calls; `may_ask` (K, J) needs at least one true entry.

    Every item of a problem needs a judge. So the strategy does not see items without an entry in
    `may_ask`: no judge takes them, or no call about them is affordable.
    """
    rows: BoolArray = np.any(may_ask, axis=1)
    part = askable_part(problem, may_ask)
    if rows.all():
        return strategy.next_batch(part, evidence, remaining, rng)
    batch = strategy.next_batch(part, evidence.part(rows), remaining, rng)
    counts = np.zeros(problem.price_per_call.shape, np.int64)
    counts[rows] = batch.counts
    return Allocation(counts=counts, phase=batch.phase)


def askable_part(problem: Problem, may_ask: BoolArray) -> Problem:
    """The problem restricted to these pairs, of shape (K, J), and to the items that have one."""
    if may_ask.all():
        return problem
    rows: BoolArray = np.any(may_ask, axis=1)
    return replace(problem.part(rows), mask=may_ask[rows])
