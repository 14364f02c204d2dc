"""The Beta scores behind the lower bounds: shifted means that are hard to detect (Prop. C.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.allocation import best_judges
from adjudge.core.arrays import (
    BoolArray,
    FloatArray,
    check_not_negative,
    check_positive,
    check_shape,
    float_array,
)
from adjudge.core.bounds.bound import ROUNDING
from adjudge.core.norms import share_exponent
from adjudge.core.problem import Problem
from adjudge.errors import InputError

KL_TO_CENTER = 71485 / 3528
"""C1: KL between shifted and unshifted scores is at most C1 Delta²/sigma², in both directions."""
KL_TO_MIRROR = 10880 / 441
"""C2: KL between scores shifted by Delta and by -Delta is at most C2 Delta²/sigma²."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BetaParameters:
    """Scores low + (high - low) Y with Y ~ Beta(alpha, beta); all fields of one shape."""

    alpha: FloatArray
    beta: FloatArray
    low: FloatArray
    high: FloatArray


def beta_parameters(
    *,
    center: npt.ArrayLike,
    radius: npt.ArrayLike,
    shift: npt.ArrayLike,
    variance: npt.ArrayLike,
) -> BetaParameters:
    r"""Scores of mean s* + Δ and variance σ² on [s* - R, s* + R] (Proposition C.1).

    .. math:: \alpha, \beta = \frac{1 - 4d^2 - 4q}{8q}\,(1 \pm 2d),\qquad
              d = \frac{\Delta_k}{2R_k},\quad q = \frac{\sigma_{kj}^2}{4R_k^2}

    Arguments broadcast against each other; a shift may be negative. Raises InputError where the
    proposition does not apply: :math:`|\Delta_k| > R_k/4` or :math:`\sigma_{kj}^2 > R_k^2/2`.
    """
    middle, half, moved, spread = np.broadcast_arrays(
        float_array("center", center),
        float_array("radius", radius),
        float_array("shift", shift),
        float_array("variance", variance),
    )
    check_positive("radius", half)
    check_positive("variance", spread)
    slack = 1 + ROUNDING
    _refuse_where("shift", moved, ~(np.abs(moved) <= half / 4 * slack), "at most R_k/4", half / 4)
    limit = half**2 / 2
    _refuse_where("variance", spread, spread > limit * slack, "at most R_k^2/2", limit)
    offset = moved / (2 * half)
    ratio = spread / (4 * half**2)
    common = (1 - 4 * offset**2 - 4 * ratio) / (8 * ratio)
    return BetaParameters(
        alpha=common * (1 + 2 * offset),
        beta=common * (1 - 2 * offset),
        low=middle - half,
        high=middle + half,
    )


def score_radius(problem: Problem, truth: FloatArray) -> FloatArray:
    r"""Distance of each true score to the nearer end, :math:`\min(s_k - lo, hi - s_k)`; (K,)."""
    check_shape("truth", truth, (problem.items,))
    low, high = problem.score_range
    outside = np.flatnonzero(~((truth >= low) & (truth <= high)))
    if outside.size:
        raise InputError(
            "truth",
            f"{truth[outside[0]]} of item {outside[0]} ({outside.size} such)",
            f"true scores lie between {low} and {high}",
        )
    return np.minimum(truth - low, high - truth)


def threshold_budget(problem: Problem, variance: FloatArray, truth: FloatArray) -> float:
    r"""B0: the hard instances exist for budgets of at least 4 B0.

    .. math:: B_0 = \Big(\sum_k g_k^{p/(p+2)}\Big)\,\max_k \frac{g_k^{2/(p+2)}}{4R_k^2}

    For budgets of at least B0, as printed, the shifts :math:`\Delta_k = 1/(4\sqrt{V^*_k})` are at
    most :math:`R_k/2`; Proposition C.1 requires :math:`R_k/4`, hence 4 B0. Items without noise
    need no shift and are ignored.
    """
    _, hardness = best_judges(problem, variance)
    radius = score_radius(problem, truth)
    exponent = share_exponent(problem.norm)
    noisy = hardness > 0
    if not noisy.any():
        return 0.0
    if (radius[noisy] == 0).any():
        return math.inf
    per_item = hardness[noisy] ** (1 - exponent) / (4 * radius[noisy] ** 2)
    return float(np.sum(hardness[noisy] ** exponent) * per_item.max())


def narrow_enough(problem: Problem, variance: FloatArray, truth: FloatArray) -> tuple[str, ...]:
    """The unmet condition if some judge's variance is above R_k²/2."""
    check_shape("variance", variance, problem.price_per_call.shape)
    check_not_negative("variance", variance)
    radius = score_radius(problem, truth)
    largest = np.where(problem.mask, variance, 0).max(axis=1)
    limit = radius**2 / 2
    wide = np.flatnonzero(largest > limit * (1 + ROUNDING))
    if not wide.size:
        return ()
    first = wide[0]
    return (
        f"sigma2 {largest[first]:.6g} of item {first} is above R_k^2/2 = {limit[first]:.6g}"
        f" ({wide.size} such items)",
    )


def _refuse_where(
    field: str, values: FloatArray, bad: BoolArray, expected: str, limit: FloatArray
) -> None:
    if not bad.any():
        return
    where = np.unravel_index(int(np.argmax(bad)), bad.shape)
    count = int(np.count_nonzero(bad))
    place = ", ".join(str(int(index)) for index in where)
    others = f" and {count - 1} more" if count > 1 else ""
    raise InputError(
        field,
        f"{values[where]:.6g} at [{place}]{others}",
        f"it must be {expected} = {limit[where]:.6g}",
    )
