"""Lower bounds on the error of any method on Gaussian scores (appendix F).

They hold for adaptive methods that know the variances and never overspend.
"""

from __future__ import annotations

import math

from adjudge.core.allocation import optimal_value
from adjudge.core.arrays import FloatArray, check_budget
from adjudge.core.bounds.bound import Bound, exceeds, finite_norm
from adjudge.core.bounds.lower_bounded import blurred_norm, confusion
from adjudge.core.norms import gaussian_moment
from adjudge.core.problem import Problem


def gaussian_probability_lower(problem: Problem, variance: FloatArray, budget: float) -> Bound:
    r"""Lower bound on any error rate that holds with probability 1 - delta (Theorem F.5).

    .. math:: \varepsilon_p \ge \sqrt{\frac{\mathrm{kl}(1-\delta,\delta)\,A^*_r}{2B}},
              \qquad r = \tfrac{2p}{2-p}\ (p < 2),\ \infty\ (p \ge 2),\ \delta \le \tfrac12

    The paper does not state the constants. A shift by Δ has KL divergence
    :math:`\Delta^2/(2\sigma^2)`, so 1/2 replaces C1 in the proof of Theorem 5.1. For p >= 2 its
    error probabilities :math:`p^{(k)}` are each at most δ, hence
    :math:`\mathrm{kl}(p^{(k)}, 1-\delta) \ge \mathrm{kl}(1-\delta, \delta)`, which is never below
    the paper's :math:`(1-\delta)\log(1/\delta) - \log 2` and does not require
    :math:`\delta \le e^{-2}`.
    """
    check_budget(budget)
    delta = problem.delta
    objective = optimal_value(problem.with_norm(blurred_norm(problem.norm)), variance)
    value = math.sqrt(confusion(delta) * objective / (2 * budget))
    unmet = (f"delta {delta:.6g} is above 1/2",) if exceeds(delta, 0.5) else ()
    return Bound(value=value, unmet=unmet)


def gaussian_expectation_lower(problem: Problem, variance: FloatArray, budget: float) -> Bound:
    r"""Lower bound on the expected error for some true scores (Theorem F.6).

    .. math:: \sup_s E\|\hat s - s\|_p \ge \sqrt{2/\pi}\,\sqrt{A^*_p/B}
    """
    return Bound(value=math.sqrt(2 / math.pi) * _oracle_scale(problem, variance, budget))


def gaussian_moment_lower(problem: Problem, variance: FloatArray, budget: float) -> Bound:
    r"""Lower bound on the p-th moment of the error for some true scores (Theorem F.6).

    .. math:: \sup_s E\big[\|\hat s - s\|_p^p\big]^{1/p} \ge m_p\sqrt{A^*_p/B},\qquad p < \infty

    IVWE with the oracle's shares attains it.
    """
    scale = _oracle_scale(problem, variance, budget)
    infinite = finite_norm(problem.norm)
    if infinite:
        return Bound(value=math.nan, unmet=infinite)
    return Bound(value=gaussian_moment(problem.norm) * scale)


def van_trees_lower(problem: Problem, variance: FloatArray, budget: float) -> Bound:
    r"""Lower bound on the p-th moment of the error, by van Trees' inequality (Theorem F.8).

    .. math:: \sup_s E\big[\|\hat s - s\|_p^p\big]^{1/p}
              \ge \frac{\sqrt{2\pi e}}{C_{ME}(p)}\sqrt{A^*_p/B},\qquad p < \infty

    Never above :func:`gaussian_moment_lower`, and equal to it at p = 2.
    """
    scale = _oracle_scale(problem, variance, budget)
    infinite = finite_norm(problem.norm)
    if infinite:
        return Bound(value=math.nan, unmet=infinite)
    return Bound(value=math.sqrt(2 * math.pi * math.e) / max_entropy(problem.norm) * scale)


def max_entropy(norm: float) -> float:
    r"""Exponential of the maximum entropy of a variable with :math:`E|X|^p = 1`.

    .. math:: C_{ME}(p) = 2 e^{1/p}\,\Gamma(1/p)\,p^{1/p - 1}
    """
    # Γ(1/p)/p = Γ(1 + 1/p), which is accurate for large p.
    return 2 * math.exp((1 + math.log(norm)) / norm) * math.gamma(1 + 1 / norm)


def _oracle_scale(problem: Problem, variance: FloatArray, budget: float) -> float:
    """sqrt(A*_p / B)."""
    check_budget(budget)
    return math.sqrt(optimal_value(problem, variance) / budget)
