"""Optimal budget shares of items and judges for known variances (Theorem 3.2)."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray, check_not_negative, check_shape
from adjudge.core.norms import power_norm, share_exponent
from adjudge.core.problem import Problem

_ROWS_PER_BLOCK = 16_384
"""Rows per block, so that temporaries fit in the processor's cache."""


def best_judges(problem: Problem, variance: FloatArray) -> tuple[IntArray, FloatArray]:
    r"""The judge with the cheapest information for each item, and the item's hardness.

    .. math:: j^*(k) = \arg\min_j c_{kj}\sigma_{kj}^2,\qquad g_k = c_{kj^*}\sigma_{kj^*}^2

    Ties go to the lowest index. Both of shape (K,).
    """
    check_shape("variance", variance, problem.price_per_call.shape)
    judge = np.empty(problem.items, np.int64)
    hardness = np.empty(problem.items)
    unmasked = problem.unmasked
    for start in range(0, problem.items, _ROWS_PER_BLOCK):
        rows = slice(start, start + _ROWS_PER_BLOCK)
        check_not_negative("variance", variance[rows], first_row=start)
        product = variance[rows] * problem.price_per_call[rows]
        if not unmasked:
            product[~problem.mask[rows]] = math.inf
        best = product.argmin(axis=1)
        judge[rows] = best
        hardness[rows] = product[np.arange(best.size), best]
    return judge, hardness


def item_shares(hardness: FloatArray, norm: float) -> FloatArray:
    r"""Each item's share of the budget: :math:`g_k^q / \sum_{k'} g_{k'}^q`; shape (K,).

    Equal shares where every hardness is zero.
    """
    largest = hardness.max()
    if largest == 0:
        return np.full(hardness.shape, 1 / hardness.size)
    powers: FloatArray = (hardness / largest) ** share_exponent(norm)
    return powers / float(powers.sum())


def optimal_shares(problem: Problem, variance: FloatArray) -> FloatArray:
    r"""The oracle's shares of the budget (Theorem 3.2); shape (K, J).

    .. math:: w^*_{kj} = [j = j^*(k)]\; g_k^q \Big/ \sum_{k'} g_{k'}^q,\qquad q = p/(p+2)

    Sparse: one judge per item, whatever p is; p changes how the items share.
    """
    judge, hardness = best_judges(problem, variance)
    shares = np.zeros(problem.price_per_call.shape)
    shares[np.arange(problem.items), judge] = item_shares(hardness, problem.norm)
    return shares


def optimal_value(problem: Problem, variance: FloatArray) -> float:
    r"""The smallest allocation objective, :math:`A^*_p = (\sum_k g_k^q)^{1/q}` (Theorem 3.2)."""
    _, hardness = best_judges(problem, variance)
    return power_norm(hardness, share_exponent(problem.norm))


def allocation_objective(problem: Problem, shares: FloatArray, variance: FloatArray) -> float:
    r"""The objective that determines error rates, for any shares of the budget.

    .. math:: A_p(w) = \Big(\sum_k I_k^{-p/2}\Big)^{2/p},\qquad
              I_k = \sum_j \frac{w_{kj}}{c_{kj}\sigma_{kj}^2}

    Infinite where an item gets nothing.
    """
    information = _information(problem, shares, variance)
    with np.errstate(divide="ignore"):
        return power_norm(1 / information, problem.norm / 2)


def deviation_objective(problem: Problem, shares: FloatArray, variance: FloatArray) -> float:
    r"""The lower-order objective of bounded scores (Bernstein's second term).

    .. math:: B_p(w) = \Big(\sum_k \max_{j: w_{kj}>0} (\sigma_{kj}^2 I_k)^{-p}\Big)^{1/p}
    """
    information = _information(problem, shares, variance)
    smallest = np.where(shares > 0, variance, math.inf).min(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        worst = 1 / (smallest * information)
    # A judge without noise: c/w is the limit of 1 / (σ² I) as σ² goes to 0.
    noiseless = (shares > 0) & (variance == 0)
    if noiseless.any():
        calls_per_money = np.where(noiseless, shares / problem.price_per_call, 0).sum(axis=1)
        exact = noiseless.any(axis=1)
        worst[exact] = 1 / calls_per_money[exact]
    worst[information == 0] = math.inf
    return power_norm(worst, problem.norm)


def _information(problem: Problem, shares: FloatArray, variance: FloatArray) -> FloatArray:
    """I_k per unit of budget; shape (K,)."""
    check_shape("shares", shares, problem.price_per_call.shape)
    check_shape("variance", variance, problem.price_per_call.shape)
    check_not_negative("shares", shares)
    check_not_negative("variance", variance)
    asked = shares > 0
    with np.errstate(divide="ignore"):
        precision = np.divide(
            shares, problem.price_per_call * variance, out=np.zeros(shares.shape), where=asked
        )
    information: FloatArray = precision.sum(axis=1)
    return information
