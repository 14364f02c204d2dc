"""Beta scores: few are drawn one by one, many by their joint normal limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, IntArray, float_array
from adjudge.core.evidence import Allocation, Moments
from adjudge.errors import InputError
from adjudge.worlds.asked import AskedPairs
from adjudge.worlds.grouped import blocks, mean_and_m2
from adjudge.worlds.instance import Instance

EXACT_CALLS = 2048
"""Up to this many calls, every score of a pair is drawn."""

_LIGHT_TAIL = 8.0
"""Kurtosis up to which the limit applies above EXACT_CALLS; a heavier tail needs more calls."""

_HEAVIEST_TAIL = 512.0
"""Kurtosis above which the number of scores drawn one by one no longer grows."""

_SMALLEST_CONCENTRATION = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BetaWorld:
    r"""Scores `low + (high - low) Y`, where Y is Beta with the pair's mean and variance.

    .. math:: \alpha + \beta = \frac{m(1-m)}{v} - 1,\qquad \alpha = m(\alpha+\beta),

    for the mean m and variance v of Y. A pair of variance zero always gives its mean.
    """

    instance: Instance
    low: FloatArray
    """Lowest score of each pair; shape (K, J)."""
    high: FloatArray
    """Highest score of each pair; shape (K, J)."""

    @classmethod
    def of(
        cls,
        instance: Instance,
        *,
        low: npt.ArrayLike | None = None,
        high: npt.ArrayLike | None = None,
    ) -> BetaWorld:
        """Beta scores on the instance's range, or on a support per item (K, 1) or pair (K, J)."""
        bounds = [
            end if given is None else float_array(field, given)
            for field, given, end in zip(
                ("low", "high"), (low, high), instance.score_range, strict=True
            )
        ]
        shape = instance.mean.shape
        try:
            lowest, highest = (np.broadcast_to(bound, shape) for bound in bounds)
        except ValueError as error:
            raise InputError(
                "low, high", str(error), f"the bounds must fit the shape {shape}"
            ) from error
        return cls(instance=instance, low=lowest, high=highest)

    def __post_init__(self) -> None:
        lowest, highest = self.instance.score_range
        # Negated comparisons also refuse nan.
        outside = ~((lowest <= self.low) & (self.low < self.high) & (self.high <= highest))
        if (outside & self.instance.mask).any():
            item, judge = np.argwhere(outside & self.instance.mask)[0]
            raise InputError(
                "low, high",
                f"{self.low[item, judge]} to {self.high[item, judge]} "
                f"of item {item}, judge {judge}",
                f"every support must lie in the score range, {lowest} to {highest}",
            )
        mean, variance = self.instance.mean, self.instance.variance
        largest = (mean - self.low) * (self.high - mean)
        feasible = (variance < largest) | ((variance == 0) & (largest >= 0))
        if (~feasible & self.instance.mask).any():
            item, judge = np.argwhere(~feasible & self.instance.mask)[0]
            raise InputError(
                "variance",
                f"{variance[item, judge]:.6g} of item {item}, judge {judge}, "
                f"whose mean is {mean[item, judge]:.6g}",
                f"it must lie below (mean - low)(high - mean) = {largest[item, judge]:.6g}",
            )

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch; the work per pair is bounded."""
        asked = AskedPairs.of(batch, self.instance)
        low, high = asked.values(self.low), asked.values(self.high)
        width = high - low
        mean = (asked.values(self.instance.mean) - low) / width
        variance = asked.values(self.instance.variance) / width**2
        m2 = np.zeros(mean.size)
        noisy = variance > 0
        many = np.zeros(mean.size, dtype=bool)
        many[noisy] = asked.calls[noisy] > exact_calls(mean[noisy], variance[noisy])
        few = noisy & ~many
        for chosen, drawn in ((few, one_by_one), (many, normal_limit)):
            mean[chosen], m2[chosen] = drawn(
                mean[chosen], variance[chosen], asked.calls[chosen], rng
            )
        return asked.moments(np.clip(low + width * mean, low, high), width**2 * m2)


def one_by_one(
    mean: FloatArray, variance: FloatArray, calls: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squared deviations of scores on [0, 1], drawn one by one; all (P,)."""
    # Near the largest possible variance, rounding could make the concentration zero.
    concentration = np.maximum(mean * (1 - mean) / variance - 1, _SMALLEST_CONCENTRATION)
    alpha, beta = mean * concentration, (1 - mean) * concentration
    drawn_mean, m2 = np.empty(mean.size), np.empty(mean.size)
    for block in blocks(calls):
        n = calls[block]
        scores = rng.beta(np.repeat(alpha[block], n), np.repeat(beta[block], n))
        drawn_mean[block], m2[block] = mean_and_m2(scores, n)
    return np.clip(drawn_mean, 0, 1), m2


def normal_limit(
    mean: FloatArray, variance: FloatArray, calls: IntArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    r"""The same by the joint normal limit of the sums of deviations and of their squares.

    .. math:: S_1 = \sum(x-\mu),\quad S_2 = \sum(x-\mu)^2

    .. math:: \operatorname{Var} S_1 = n\sigma^2,\quad \operatorname{Cov}(S_1, S_2) = n\mu_3,\quad
              \operatorname{Var} S_2 = n(\mu_4 - \sigma^4),\quad M_2 = S_2 - S_1^2/n

    The first two moments of the mean, and the mean of :math:`M_2`, are exact.
    """
    skewness, kurtosis = beta_shape(mean, variance)
    first, second = rng.standard_normal((2, mean.size))
    # kurtosis >= 1 + skewness²; equality up to rounding for scores that are nearly 0 or 1.
    own = np.sqrt(np.maximum(kurtosis - 1 - skewness**2, 0))
    squares = calls + np.sqrt(calls) * (skewness * first + own * second)
    m2 = variance * np.maximum(squares - first**2, 0)
    return np.clip(mean + first * np.sqrt(variance / calls), 0, 1), m2


def exact_calls(mean: FloatArray, variance: FloatArray) -> FloatArray:
    """The number of calls of each pair above which the normal limit is used.

    The error of the limit is of order sqrt(kurtosis / n), so heavy-tailed scores (nearly always
    the same, rarely far away) need more calls.
    """
    _, kurtosis = beta_shape(mean, variance)
    limit: FloatArray = EXACT_CALLS / _LIGHT_TAIL * np.clip(kurtosis, _LIGHT_TAIL, _HEAVIEST_TAIL)
    return limit


def beta_shape(mean: FloatArray, variance: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Skewness and kurtosis (3 for a normal distribution) of a Beta distribution on [0, 1].

    .. math:: \frac{\mu_3}{\sigma^3} = \frac{2(1-2m)}{\sigma(t+2)},\quad
              \frac{\mu_4}{\sigma^4} = 3 + 6\,\frac{(1-2m)^2/\sigma^2 - (t+2)}{(t+2)(t+3)},
              \quad t = \alpha + \beta
    """
    concentration = mean * (1 - mean) / variance - 1
    lean = (1 - 2 * mean) / np.sqrt(variance)
    skewness = 2 * lean / (concentration + 2)
    kurtosis = 3 + 6 * (lean**2 - concentration - 2) / ((concentration + 2) * (concentration + 3))
    return skewness, kurtosis
