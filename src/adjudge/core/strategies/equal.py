"""Equal numbers of calls for a set of pairs, for the uniform, single-judge and cyclic plans."""

from __future__ import annotations

import numpy as np

from adjudge.core.apportionment import DUST, first_that_fit, whole_multiples
from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.evidence import Allocation, Evidence, Phase, total_cost
from adjudge.core.problem import Problem


def total_budget(problem: Problem, evidence: Evidence, remaining: float) -> float:
    """The total budget of the run: money remaining plus money spent."""
    return remaining + evidence.cost(problem)


def difference(
    problem: Problem,
    wanted: IntArray,
    asked: IntArray,
    budget: float,
    phase: Phase = Phase.MAIN,
) -> Allocation:
    """The wanted calls not yet made; `budget` includes the cost of those made."""
    counts = np.maximum(wanted - asked, 0)
    cost = total_cost(counts, problem.price_per_call)
    left = budget - total_cost(asked, problem.price_per_call)
    if cost > left + DUST * budget:
        # Prices have risen since the plan was made: scale all counts down.
        counts = np.floor(counts * (max(left, 0) / cost)).astype(np.int64)
    return Allocation(counts=counts, phase=phase)


def equal_counts(
    problem: Problem,
    pairs: BoolArray,
    asked: IntArray,
    budget: float,
    rng: np.random.Generator,
) -> IntArray:
    """Equal counts for these pairs, and one more call for a random part of them; (K, J).

    Pairs that already had the extra call count toward the random part.
    """
    unit = float(np.sum(problem.price_per_call, where=pairs))
    passes = whole_multiples(budget, unit)
    counts = np.where(pairs, passes, 0)
    order = rng.permutation(np.flatnonzero(pairs))
    return once_more(problem, counts, order, asked, budget)


def once_more(
    problem: Problem, counts: IntArray, order: IntArray, asked: IntArray, budget: float
) -> IntArray:
    """Counts with one more call for the first pairs in `order` (flat indices) that fit."""
    flat = counts.ravel().copy()
    before = np.minimum(asked.ravel()[order], flat[order] + 1) > flat[order]
    flat[order[before]] += 1
    left = budget - total_cost(flat.reshape(counts.shape), problem.price_per_call)
    waiting = order[~before]
    price = problem.price_per_call[np.unravel_index(waiting, counts.shape)]
    flat[waiting[first_that_fit(price, left)]] += 1
    return flat.reshape(counts.shape)
