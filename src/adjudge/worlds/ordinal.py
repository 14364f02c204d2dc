"""Ratings on k points with exactly a given mean and variance."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, float_array
from adjudge.errors import InputError
from adjudge.worlds.categorical import CategoricalWorld

_ROUNDING = 1e-12
"""Tolerance of the check that a variance is reachable."""


def ordinal_world(
    *,
    mean: npt.ArrayLike,
    variance: npt.ArrayLike,
    points: int,
    cost: npt.ArrayLike,
    truth: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
    judge_names: Sequence[str] | None = None,
) -> CategoricalWorld:
    """Ratings on `points` levels, evenly spaced from 0 to 1; mean and variance of shape (K, J)."""
    probabilities = ordinal_probabilities(mean, variance, points=points)
    return CategoricalWorld.of(
        values=np.linspace(0, 1, points),
        probabilities=probabilities,
        cost=cost,
        truth=truth,
        weights=weights,
        judge_names=judge_names,
    )


def ordinal_probabilities(
    mean: npt.ArrayLike, variance: npt.ArrayLike, *, points: int
) -> FloatArray:
    r"""Probability of each of the levels 0, 1/(k-1), ..., 1; shape (..., k).

    Mixes distributions of the same mean m, so that the variance is linear in the weight:

    .. math:: \underbrace{f(1-f)/(k-1)^2}_{\text{two adjacent levels}} \le
              \underbrace{m(1-m)/(k-1)}_{\text{binomial}} \le
              \underbrace{m(1-m)}_{\text{the two ends}},
              \qquad f = (k-1)m - \lfloor (k-1)m \rfloor

    Below the binomial's variance the first two are mixed, above it the last two.
    """
    means, variances = np.broadcast_arrays(
        float_array("mean", mean), float_array("variance", variance)
    )
    smallest, largest = reachable_variance(means, points=points)
    wrong = ~((variances >= smallest - _ROUNDING) & (variances <= largest + _ROUNDING))
    if wrong.any():
        first = tuple(np.argwhere(wrong)[0])
        raise InputError(
            "variance",
            f"{variances[first]:.6g} with mean {means[first]:.6g}",
            f"{points} points reach {smallest[first]:.6g} to {largest[first]:.6g} at this mean",
        )
    middle = means * (1 - means) / (points - 1)
    binomial = _binomial(means, points)
    narrow = _share(middle - variances, middle - smallest)
    wide = _share(variances - middle, largest - middle)
    probabilities: FloatArray = (
        narrow * _adjacent(means, points)
        + wide * _ends(means, points)
        + (1 - narrow - wide) * binomial
    )
    return probabilities


def reachable_variance(mean: npt.ArrayLike, *, points: int) -> tuple[FloatArray, FloatArray]:
    """Smallest and largest variance of a rating on [0, 1] with this mean."""
    if points < 2:
        raise InputError("points", f"{points}", "a scale has at least two points")
    means = float_array("mean", mean)
    if not ((means >= 0) & (means <= 1)).all():
        raise InputError("mean", "outside 0 to 1", "every mean must lie on the scale, 0 to 1")
    part = _above_level(means, points)[1]
    return part * (1 - part) / (points - 1) ** 2, means * (1 - means)


def nearest_reachable_variance(
    mean: npt.ArrayLike, variance: npt.ArrayLike, *, points: int
) -> FloatArray:
    """The variance, clipped to what a rating of this mean can have."""
    smallest, largest = reachable_variance(mean, points=points)
    return np.clip(float_array("variance", variance), smallest, largest)


def _above_level(mean: FloatArray, points: int) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """The level at or below each mean, and the fraction of a step above it."""
    steps = mean * (points - 1)
    level = np.minimum(np.floor(steps), points - 2).astype(np.int64)
    return level, steps - level


def _adjacent(mean: FloatArray, points: int) -> FloatArray:
    level, part = _above_level(mean, points)
    probabilities = np.zeros((*mean.shape, points))
    np.put_along_axis(probabilities, level[..., None], (1 - part)[..., None], axis=-1)
    np.put_along_axis(probabilities, level[..., None] + 1, part[..., None], axis=-1)
    return probabilities


def _ends(mean: FloatArray, points: int) -> FloatArray:
    probabilities = np.zeros((*mean.shape, points))
    probabilities[..., 0], probabilities[..., -1] = 1 - mean, mean
    return probabilities


def _binomial(mean: FloatArray, points: int) -> FloatArray:
    trials, hits = points - 1, np.arange(points)
    ways = np.array([math.comb(trials, hit) for hit in range(points)], dtype=np.float64)
    chance = mean[..., np.newaxis]
    probabilities: FloatArray = ways * chance**hits * (1 - chance) ** (trials - hits)
    return probabilities


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Part / whole, 0 where the whole is 0; with a new last axis for the levels."""
    share = np.divide(part, whole, out=np.zeros(whole.shape), where=whole > 0)
    return np.clip(share, 0, 1)[..., np.newaxis]
