"""Building blocks of the families: item scores, judge prices, pair variances."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.instance import Instance

SHARE_OF_LARGEST = 0.9
"""Variances stay below this share of s(1 - s), the largest that scores in [0, 1] can have."""

ITEM_SPREAD = 0.8
"""Standard deviation of the logarithm of an item's difficulty."""

JUDGE_SPREAD = 0.58
"""Standard deviation of the logarithm of a judge's noise."""

_MARGIN = 0.01
"""Minimum distance of a Beta panel's means from the ends, where scores could not vary."""


def beta_panel(
    mean: FloatArray,
    rng: np.random.Generator,
    *,
    typical: float,
    noisy: BoolArray | None = None,
    score_range: tuple[float, float] = (0.0, 1.0),
    mask: BoolArray | None = None,
    groups: IntArray | None = None,
    prompts: IntArray | None = None,
) -> BetaWorld:
    """Beta scores with these means on [0, 1], mapped to the score range.

    The variance of a call is a judge's noise times an item's difficulty, `typical` in size;
    outside `noisy`, of shape (K, J), it is zero.
    """
    means = np.clip(mean, _MARGIN, 1 - _MARGIN)
    variance = difficulty_times_noise(means, rng, typical=typical)
    if noisy is not None:
        variance *= noisy
    low, high = score_range
    return BetaWorld.of(
        Instance.of(
            mean=low + (high - low) * means,
            variance=(high - low) ** 2 * variance,
            price_per_call=similar_prices(mean.shape[1], rng),
            score_range=score_range,
            mask=mask,
            groups=groups,
            prompts=prompts,
        )
    )


def own_deviations(
    items: int, judges: int, rng: np.random.Generator, *, spread: float
) -> FloatArray:
    """d_kj ~ N(0, omega_j^2), omega_j ~ spread * U[0.7, 1.3]; shape (K, J)."""
    return spread * rng.uniform(0.7, 1.3, judges) * rng.standard_normal((items, judges))


def item_scores(items: int, rng: np.random.Generator) -> FloatArray:
    """s_k ~ U[0.1, 0.9]; shape (K,)."""
    return rng.uniform(0.1, 0.9, items)


def same_for_all_judges(score: FloatArray, judges: int) -> FloatArray:
    """Unbiased means: every judge's mean is the item's score; a view of shape (K, J)."""
    return np.broadcast_to(score[:, np.newaxis], (score.size, judges))


def similar_prices(judges: int, rng: np.random.Generator) -> FloatArray:
    """c_j ~ U[0.5, 1.5]; shape (J,)."""
    return rng.uniform(0.5, 1.5, judges)


def prices_over_30x(judges: int, rng: np.random.Generator) -> FloatArray:
    """Log-spaced over a factor of 30, with mean 1, in random order; shape (J,)."""
    prices = 30 ** np.linspace(0, 1, judges)
    return rng.permutation(prices / prices.mean())


def difficulty_times_noise(
    mean: FloatArray,
    rng: np.random.Generator,
    *,
    typical: float = 0.02,
    item_spread: float = ITEM_SPREAD,
    judge_spread: float = JUDGE_SPREAD,
    judge_factor: FloatArray | None = None,
) -> FloatArray:
    r"""Variances that are an item's difficulty times a judge's noise; shape (K, J).

    .. math:: \sigma_{kj}^2 = v\, a_k b_j f_j,\quad \log a_k \sim N(0, \tau_a^2),\quad
              \log b_j \sim N(0, \tau_b^2),

    capped at 0.9 m (1 - m), so that scores in [0, 1] can have them.
    """
    items, judges = mean.shape
    difficulty = rng.lognormal(0, item_spread, (items, 1))
    noise = rng.lognormal(0, judge_spread, judges)
    factor = np.ones(judges) if judge_factor is None else judge_factor
    return np.minimum(typical * difficulty * noise * factor, largest_variance(mean))


def better_if_dearer(price: FloatArray, power: float) -> FloatArray:
    """Noise factors that fall with price, with geometric mean 1; shape (J,)."""
    factor = price**-power
    scaled: FloatArray = factor / np.exp(np.log(factor).mean())
    return scaled


def largest_variance(mean: FloatArray) -> FloatArray:
    """0.9 m (1 - m)."""
    return SHARE_OF_LARGEST * mean * (1 - mean)
