"""The oracle's allocation in whole calls."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.allocation import best_judges, item_shares
from adjudge.core.apportionment import apportion, fits
from adjudge.core.arrays import FloatArray, IntArray, check_budget
from adjudge.core.integer_optimum import integer_optimum
from adjudge.core.problem import Problem
from adjudge.errors import BudgetError


def whole_calls(problem: Problem, variance: FloatArray, budget: float) -> IntArray:
    r"""The whole calls closest to the oracle's allocation; shape (K, J).

    Minimises :math:`\sum_k I_k^{-p/2}` with :math:`I_k = \sum_j N_{kj}/\sigma^2_{kj}` (the largest
    :math:`1/I_k` for p = inf) over integers :math:`N_{kj}` with at least one call per item, within
    the budget. Small instances get the exact optimum. Others get the oracle's one judge per item
    with the best integer counts; money stays unspent only if it pays for no further useful call.
    """
    check_budget(budget)
    judge, hardness = best_judges(problem, variance)
    needed = problem.cost_of_every_item
    if not fits(needed, budget):
        raise BudgetError(
            f"{budget:.6g} is below one call per item",
            f"{problem.items} items need at least {needed:.6g}",
            needed=needed,
        )
    exact = integer_optimum(problem, variance, budget)
    if exact is not None:
        return exact
    rows = np.arange(problem.items)
    price = problem.price_of(judge)
    if not fits(float(price.sum()), budget):
        judge = _judges_for_one_call(problem, variance, budget)
        price = problem.price_of(judge)
        hardness = price * variance[rows, judge]
    ideal = item_shares(hardness, problem.norm) / price
    counts = np.zeros(problem.price_per_call.shape, np.int64)
    counts[rows, judge] = apportion(
        ideal, price, budget, problem.norm, start=np.ones(problem.items, np.int64)
    )
    return counts


def _judges_for_one_call(problem: Problem, variance: FloatArray, budget: float) -> IntArray:
    r"""A judge per item if one call each of the oracle's choice is too expensive; shape (K,).

    The judge with the smallest :math:`\sigma_{kj}^p + \lambda c_{kj}`, with the smallest Lagrange
    multiplier λ at which one call each fits; for p = inf the cheapest judge whose variance is
    below a level, the lowest one that fits.
    """
    price = problem.price / problem.average_cost
    loss: FloatArray = variance / (float(variance.max()) or 1.0)

    def at_price(exponent: float) -> IntArray:
        total = loss ** (problem.norm / 2) + 10.0**exponent * price
        best: IntArray = total.argmin(axis=1)
        return best

    def within_level(level: float) -> IntArray:
        best: IntArray = np.where(loss <= level, price, math.inf).argmin(axis=1)
        return best

    choose = within_level if problem.norm == math.inf else at_price
    # Losses and prices are of order 1: at these limits the best or the cheapest judges win.
    low, high = (float(loss.min(axis=1).max()), 1.0) if problem.norm == math.inf else (-15.0, 15.0)
    best: IntArray = price.argmin(axis=1)
    for _ in range(48):
        middle = (low + high) / 2
        candidate = choose(middle)
        if fits(float(problem.price_of(candidate).sum()), budget):
            best, high = candidate, middle
        else:
            low = middle
    return best
