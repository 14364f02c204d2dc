"""Lower bounds on the error of any method on bounded scores (Theorems 5.1 and 5.2).

They hold for adaptive methods that know the variances and never overspend, in the worst case over
true scores near `truth`.
"""

from __future__ import annotations

import math

from adjudge.core.allocation import optimal_value
from adjudge.core.arrays import FloatArray, check_budget
from adjudge.core.bounds.bound import Bound, exceeds, finite_norm
from adjudge.core.bounds.hard_instances import (
    KL_TO_CENTER,
    KL_TO_MIRROR,
    narrow_enough,
    score_radius,
    threshold_budget,
)
from adjudge.core.problem import Problem

EXPECTATION_FACTOR = math.exp(-KL_TO_MIRROR / 16) / 16
"""C3 of the bounds in expectation."""


def confusion(delta: float) -> float:
    r"""Relative entropy of Bernoulli(1 - δ) to Bernoulli(δ).

    .. math:: \mathrm{kl}(1-\delta, \delta) = (1 - 2\delta)\log\frac{1-\delta}{\delta}
    """
    return (1 - 2 * delta) * math.log((1 - delta) / delta)


def blurred_norm(norm: float) -> float:
    """The norm of the optimal value in high-probability bounds: 2p/(2-p), infinite for p >= 2."""
    return math.inf if norm >= 2 else 2 * norm / (2 - norm)


def bounded_probability_lower(
    problem: Problem, variance: FloatArray, budget: float, *, truth: FloatArray
) -> Bound:
    r"""Lower bound on any error rate that holds with probability 1 - delta (Theorem 5.1).

    .. math:: \varepsilon_p \ge \sqrt{\frac{\mathrm{kl}(1-\delta,\delta)\,
              A^*_{2p/(2-p)}}{4 C_1 B}}\ (p < 2),\qquad
              \varepsilon_p \ge \sqrt{\frac{(\frac12 - e^{-2})\log\frac1\delta\;
              A^*_\infty}{4 C_1 B}}\ (p \ge 2)

    It holds for rates of at most :math:`\min_k R_k/8`; if the value is above that, only
    :math:`\varepsilon_p > \min_k R_k/8` is known. The proof's alternatives are at distance
    :math:`2\varepsilon` but must be slightly farther apart; taking a limit corrects that.
    """
    check_budget(budget)
    delta = problem.delta
    unmet = narrow_enough(problem, variance, truth)
    if exceeds(delta, math.exp(-2)):
        unmet += (f"delta {delta:.6g} is above exp(-2) = {math.exp(-2):.6g}",)
    if problem.norm < 2:
        information = confusion(delta)
    else:
        information = (1 / 2 - math.exp(-2)) * math.log(1 / delta)
    objective = optimal_value(problem.with_norm(blurred_norm(problem.norm)), variance)
    value = math.sqrt(information * objective / (4 * KL_TO_CENTER * budget))
    room = float(score_radius(problem, truth).min()) / 8
    if exceeds(value, room):
        unmet += (f"the bound {value:.6g} is above min_k R_k/8 = {room:.6g}",)
    return Bound(value=value, unmet=unmet)


def bounded_expectation_lower(
    problem: Problem, variance: FloatArray, budget: float, *, truth: FloatArray
) -> Bound:
    r"""Lower bound on the expected error (Theorem 5.2).

    .. math:: \sup_s E\|\hat s - s\|_p \ge C_3 \sqrt{A^*_p/B},\qquad B \ge 4B_0

    For infinite p, which the proof omits, replace the item weights
    :math:`\Delta_k^p/\sum\Delta^p` by :math:`g_k/\sum g`: all steps still hold.
    """
    check_budget(budget)
    unmet = narrow_enough(problem, variance, truth)
    unmet += _above_threshold(problem, variance, budget, truth, factor=4, name="4 B0")
    value = EXPECTATION_FACTOR * math.sqrt(optimal_value(problem, variance) / budget)
    return Bound(value=value, unmet=unmet)


def bounded_moment_lower(
    problem: Problem, variance: FloatArray, budget: float, *, truth: FloatArray
) -> Bound:
    r"""Lower bound on the p-th moment of the error (Theorem 5.2).

    .. math:: \sup_s E\big[\|\hat s - s\|_p^p\big]^{1/p} \ge 4^{1-1/p}\,C_3\sqrt{p A^*_p/B},
              \qquad p < \infty,\ B \ge 4pB_0
    """
    check_budget(budget)
    p = problem.norm
    unmet = narrow_enough(problem, variance, truth)
    infinite = finite_norm(p)
    if infinite:
        return Bound(value=math.nan, unmet=unmet + infinite)
    unmet += _above_threshold(problem, variance, budget, truth, factor=4 * p, name="4 p B0")
    value = 4 ** (1 - 1 / p) * EXPECTATION_FACTOR
    value *= math.sqrt(p * optimal_value(problem, variance) / budget)
    return Bound(value=value, unmet=unmet)


def _above_threshold(
    problem: Problem,
    variance: FloatArray,
    budget: float,
    truth: FloatArray,
    *,
    factor: float,
    name: str,
) -> tuple[str, ...]:
    needed = factor * threshold_budget(problem, variance, truth)
    if exceeds(needed, budget):
        return (f"budget {budget:.6g} is below {name} = {needed:.6g}",)
    return ()
