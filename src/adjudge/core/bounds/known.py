"""Upper bounds on the error of the inverse-variance weighted estimator with known variances."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.allocation import (
    allocation_objective,
    deviation_objective,
    optimal_shares,
    optimal_value,
)
from adjudge.core.arrays import FloatArray, check_budget, check_not_negative, check_shape
from adjudge.core.bounds.bound import ROUNDING, Bound, exceeds, finite_norm
from adjudge.core.norms import gaussian_moment
from adjudge.core.problem import Problem


def ivwe_bounded_upper(
    problem: Problem, variance: FloatArray, budget: float, *, shares: FloatArray | None = None
) -> Bound:
    r"""Bound on the error of IVWE on bounded scores, with probability 1 - delta (Prop. A.1).

    .. math:: \varepsilon_p = \sqrt{\frac{2 A_p(w)\,\ell}{B}} + \frac{R\,B_p(w)\,\ell}{3B},
              \qquad \ell = \log\frac{2K}{\delta}

    `shares` defaults to the oracle's w*.
    """
    shares, unmet = _usable_shares(problem, variance, budget, shares)
    log_items = math.log(2 * problem.items / problem.delta)
    spread = allocation_objective(problem, shares, variance)
    deviation = deviation_objective(problem, shares, variance)
    value = math.sqrt(2 * spread * log_items / budget)
    value += problem.score_width * deviation * log_items / (3 * budget)
    return Bound(value=value, unmet=unmet)


def ivwe_gaussian_upper(
    problem: Problem, variance: FloatArray, budget: float, *, shares: FloatArray | None = None
) -> Bound:
    r"""Bound on the error of IVWE on Gaussian scores, with probability 1 - delta (Prop. F.2).

    .. math:: \varepsilon_p = \sqrt{2 A_p(w) \log(2K/\delta) / B}

    `shares` defaults to the oracle's w*.
    """
    spread, unmet = _objective(problem, variance, budget, shares)
    log_items = math.log(2 * problem.items / problem.delta)
    return Bound(value=math.sqrt(2 * spread * log_items / budget), unmet=unmet)


def ivwe_gaussian_moment_upper(
    problem: Problem, variance: FloatArray, budget: float, *, shares: FloatArray | None = None
) -> Bound:
    r"""The p-th moment of the error of IVWE on Gaussian scores (Theorem F.7).

    .. math:: E\big[\|\hat s - s\|_p^p\big]^{1/p} = m_p \sqrt{A_p(w)/B}

    The paper prints "at most", but item k's error is normal with variance 1/(B I_k), so it is
    an equality. `shares` defaults to the oracle's w*, which no method can improve on.
    """
    spread, unmet = _objective(problem, variance, budget, shares)
    infinite = finite_norm(problem.norm)
    if infinite:
        return Bound(value=math.nan, unmet=unmet + infinite)
    return Bound(value=gaussian_moment(problem.norm) * math.sqrt(spread / budget), unmet=unmet)


def _objective(
    problem: Problem, variance: FloatArray, budget: float, shares: FloatArray | None
) -> tuple[float, tuple[str, ...]]:
    """A_p(w), or A*_p without shares, and the unmet conditions."""
    usable, unmet = _usable_shares(problem, variance, budget, shares)
    if shares is None:
        return optimal_value(problem, variance), unmet
    return allocation_objective(problem, usable, variance), unmet


def _usable_shares(
    problem: Problem, variance: FloatArray, budget: float, shares: FloatArray | None
) -> tuple[FloatArray, tuple[str, ...]]:
    """The shares of shape (K, J), and the unmet conditions.

    In the paper the numbers of calls are real. A share that pays for less than one call is an
    unmet condition.
    """
    check_budget(budget)
    if shares is None:
        shares = optimal_shares(problem, variance)
    check_shape("shares", shares, problem.price_per_call.shape)
    check_not_negative("shares", shares)
    unmet = []
    total = float(shares.sum())
    if exceeds(total, 1):
        unmet.append(f"the shares add up to {total:.6g}, above 1")
    silent = np.flatnonzero(shares.sum(axis=1) == 0)
    if silent.size:
        unmet.append(f"item {silent[0]} has no share ({silent.size} such items)")
    forbidden = np.argwhere((shares > 0) & ~problem.mask)
    if forbidden.size:
        item, judge = forbidden[0]
        unmet.append(
            f"judge {judge} may not be asked about item {item} ({len(forbidden)} such pairs)"
        )
    calls = shares * budget / problem.price_per_call
    partial = np.argwhere((calls > 0) & (calls < 1 - ROUNDING))
    if partial.size:
        item, judge = partial[0]
        unmet.append(
            f"the share of item {item}, judge {judge} buys {calls[item, judge]:.6g} of a call"
            f" ({len(partial)} such pairs)"
        )
    return shares, tuple(unmet)
