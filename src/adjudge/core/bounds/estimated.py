r"""Upper bounds on the error of Est-IVWE, which estimates the variances from a pilot.

All hold with probability :math:`1-\delta`: half of :math:`\delta` goes to the pilot's
variances, half to the means, hence :math:`\ell = \log(4K/\delta)` and
:math:`L = \log(4KJ/\delta)` (with a mask, the number of pairs that may be asked in place of KJ).
:math:`C` is the price of one call of every pair, :math:`N_0` the pilot's calls per pair,
:math:`B' = B - C N_0` the budget after the pilot. Calls are real numbers, as in the paper.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.allocation import (
    best_judges,
    item_shares,
    optimal_value,
)
from adjudge.core.arrays import FloatArray, check_budget, check_not_negative, check_shape
from adjudge.core.bounds.bound import Bound, exceeds
from adjudge.core.norms import power_norm, share_exponent
from adjudge.core.problem import Problem
from adjudge.core.variance import log_pairs, variance_margin
from adjudge.errors import InputError


def est_ivwe_bounded_upper(
    problem: Problem, variance: FloatArray, budget: float, *, pilot: int
) -> Bound:
    r"""Error of Est-IVWE on bounded scores, with all lower-order terms (Theorem 4.1).

    .. math:: \varepsilon_p = \sqrt{\frac{2A^*\ell}{B}}
              + \sqrt{\frac{4\ell}{B}}\,\big(C_1\tau + C_2\tau^q\big)
              + \frac{2R\ell}{B}\Big(\frac{A^*}{\tau^2} + C_1^2 + C_2^2\tau^{2q-2}\Big)
              + \frac{C N_0\sqrt{2A^*\ell}}{B^{3/2}}

    with :math:`q = 2p/(p+2)`, :math:`c^*` the prices of the best judges, and

    .. math:: C_1 = 2\|\sqrt{c^*}\|_q,\ C_2 = 0\ (p \ge 2);\qquad
              C_1 = \tfrac2q\|\sqrt{c^*}\|_q,\
              C_2 = \tfrac1q (A^*)^{(1-q)/2}\,(2\|\sqrt{c^*}\|_q)^q\ (p < 2)

    The proof's last step is not used; both powers of :math:`\tau` are kept. As printed, that step
    has :math:`N_0` for :math:`N_0-1`, lacks a factor 2 in :math:`C_1\tau` (p >= 2), and uses
    :math:`\tau \le \tau^q` (p < 2), which is true only below 1, so not in every unit of the score.
    """
    judge, hardness = best_judges(problem, variance)
    unmet = _pilot_within_half(problem, budget, pilot)
    exponent = 2 * share_exponent(problem.norm)
    margin = variance_margin(problem, pilot=pilot)
    log_items = math.log(4 * problem.items / problem.delta)
    objective = power_norm(hardness, share_exponent(problem.norm))
    price = power_norm(np.sqrt(problem.price_per_call[np.arange(problem.items), judge]), exponent)
    linear, fractional = 2 * price, 0.0
    if problem.norm < 2:
        linear /= exponent
        fractional = objective ** ((1 - exponent) / 2) * (2 * price) ** exponent / exponent

    leading = math.sqrt(2 * objective * log_items / budget)
    mismatch = linear * margin + fractional * margin**exponent
    deviation = objective / margin**2 + linear**2
    deviation += fractional**2 * margin ** (2 * exponent - 2)
    value = leading * (1 + problem.cost_of_every_pair * pilot / budget)
    value += math.sqrt(4 * log_items / budget) * mismatch
    value += 2 * problem.score_width * log_items / budget * deviation
    return Bound(value=value, unmet=unmet)


def est_ivwe_bounded_upper_unexpanded(
    problem: Problem, variance: FloatArray, budget: float, *, pilot: int
) -> Bound:
    r"""Error of Est-IVWE on bounded scores, before the proof's expansion in powers of B.

    .. math:: \varepsilon_p = \sqrt{\frac{2\bar A\ell}{B'}}
              + \frac{R\bar A\ell}{3B'\tau^2}\Big(\sum_k \bar w_k^2\Big)^{1/p}

    with :math:`\bar A` the optimal value and :math:`\bar w_k` the items' shares under the
    deviations :math:`\sigma + 2\tau`. It requires only B' > 0, and is never above
    :func:`est_ivwe_bounded_upper` where that holds. Reason: on the event of Lemma B.2 the proof's
    (a) is at most :math:`\sqrt{\bar A}`, and the third line of its (b) is at most
    :math:`\bar A/\tau^2` times the last factor, which the proof then replaces by 1.
    """
    check_shape("variance", variance, problem.price_per_call.shape)
    check_not_negative("variance", variance)
    margin = variance_margin(problem, pilot=pilot)
    _, hardness = best_judges(problem, (np.sqrt(variance) + 2 * margin) ** 2)
    left, unmet = _left_after_pilot(problem, budget, pilot)
    if unmet:
        return Bound(value=math.nan, unmet=unmet)
    log_items = math.log(4 * problem.items / problem.delta)
    objective = power_norm(hardness, share_exponent(problem.norm))
    evenness = float(np.sum(item_shares(hardness, problem.norm) ** 2)) ** (1 / problem.norm)
    value = math.sqrt(2 * objective * log_items / left)
    value += problem.score_width * log_items * objective * evenness / (3 * left * margin**2)
    return Bound(value=value)


def est_ivwe_gaussian_upper(
    problem: Problem, variance: FloatArray, budget: float, *, pilot: int
) -> Bound:
    r"""Error of Est-IVWE on Gaussian scores (Theorem F.4).

    .. math:: \varepsilon_p = \sqrt{\frac{13 A^*\ell}{2B}}
              + \frac{C N_0\sqrt{\tfrac{13}{2}A^*\ell}}{B^{3/2}}

    Requires :math:`N_0 \ge 1 + 16L` and :math:`B \ge 2CN_0`: the theorem prints :math:`B \ge CN_0`,
    but its lemma :math:`(1-x)^{-1/2} \le 1+x` is proved for :math:`x = CN_0/B \le 1/2`.
    """
    unmet = _pilot_within_half(problem, budget, pilot)
    needed = 1 + 16 * log_pairs(problem)
    if exceeds(needed, pilot):
        unmet += (f"pilot {pilot} is below 1 + 16 log(4KJ/delta) = {needed:.6g}",)
    log_items = math.log(4 * problem.items / problem.delta)
    leading = math.sqrt(13 * optimal_value(problem, variance) * log_items / (2 * budget))
    value = leading * (1 + problem.cost_of_every_pair * pilot / budget)
    return Bound(value=value, unmet=unmet)


def est_ivwe_gaussian_upper_unexpanded(
    problem: Problem, variance: FloatArray, budget: float, *, pilot: int
) -> Bound:
    r"""Error of Est-IVWE on Gaussian scores for any pilot above 1 + 4L.

    .. math:: \varepsilon_p = \sqrt{\frac{2\kappa A^*\ell}{B'}},\qquad
              \kappa = \frac{1 + 2\sqrt x + 2x}{1 - 2\sqrt x},\quad x = \frac{L}{N_0-1}

    Never above :func:`est_ivwe_gaussian_upper` where that holds; :math:`\kappa \to 1` as the
    pilot grows.
    """
    objective = optimal_value(problem, variance)
    left, unmet = _left_after_pilot(problem, budget, pilot)
    log_term = log_pairs(problem)
    if pilot <= 1 + 4 * log_term:
        unmet += (f"pilot {pilot} is not above 1 + 4 log(4KJ/delta) = {1 + 4 * log_term:.6g}",)
    if unmet:
        return Bound(value=math.nan, unmet=unmet)
    ratio = log_term / (pilot - 1)
    inflation = (1 + 2 * math.sqrt(ratio) + 2 * ratio) / (1 - 2 * math.sqrt(ratio))
    log_items = math.log(4 * problem.items / problem.delta)
    return Bound(value=math.sqrt(2 * inflation * objective * log_items / left))


def _check_pilot(pilot: int) -> None:
    if pilot < 2:
        raise InputError("pilot", f"{pilot} calls", "a variance needs at least 2 calls per pair")


def _pilot_within_half(problem: Problem, budget: float, pilot: int) -> tuple[str, ...]:
    """The unmet condition if the pilot takes more than half of the budget."""
    check_budget(budget)
    _check_pilot(pilot)
    needed = 2 * pilot * problem.cost_of_every_pair
    if exceeds(needed, budget):
        return (f"budget {budget:.6g} is below 2 N0 C = {needed:.6g}, twice the pilot's price",)
    return ()


def _left_after_pilot(problem: Problem, budget: float, pilot: int) -> tuple[float, tuple[str, ...]]:
    """B', and the unmet condition if it is not positive."""
    check_budget(budget)
    _check_pilot(pilot)
    price = pilot * problem.cost_of_every_pair
    if not exceeds(budget, price):
        complaint = f"budget {budget:.6g} is not above N0 C = {price:.6g}, the pilot's price"
        return math.nan, (complaint,)
    return budget - price, ()
