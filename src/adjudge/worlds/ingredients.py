"""What the families are made of: scores of items, prices of judges, variances of pairs."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray

SHARE_OF_LARGEST = 0.9
"""Variances stay below this share of s(1 - s), the largest that scores in [0, 1] can have."""

ITEM_SPREAD = 0.8
"""Standard deviation of the logarithm of an item's difficulty."""

JUDGE_SPREAD = 0.58
"""Standard deviation of the logarithm of a judge's noise."""


def item_scores(items: int, rng: np.random.Generator) -> FloatArray:
    """s_k ~ U[0.1, 0.9]; shape (K,)."""
    return rng.uniform(0.1, 0.9, items)


def same_for_all_judges(score: FloatArray, judges: int) -> FloatArray:
    """Unbiased means: every judge's is the item's score; a view of shape (K, J)."""
    return np.broadcast_to(score[:, np.newaxis], (score.size, judges))


def similar_prices(judges: int, rng: np.random.Generator) -> FloatArray:
    """c_j ~ U[0.5, 1.5]; shape (J,)."""
    return rng.uniform(0.5, 1.5, judges)


def prices_over_30x(judges: int, rng: np.random.Generator) -> FloatArray:
    """Evenly spaced in logarithm, the dearest 30 times the cheapest, of mean 1, in any order."""
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

    kept below 0.9 m (1 - m), so that scores in [0, 1] can have them.
    """
    items, judges = mean.shape
    difficulty = rng.lognormal(0, item_spread, (items, 1))
    noise = rng.lognormal(0, judge_spread, judges)
    factor = np.ones(judges) if judge_factor is None else judge_factor
    return np.minimum(typical * difficulty * noise * factor, largest_variance(mean))


def better_if_dearer(price: FloatArray, power: float) -> FloatArray:
    """A factor of a judge's noise that falls with its price; of geometric mean 1; shape (J,)."""
    factor = price**-power
    scaled: FloatArray = factor / np.exp(np.log(factor).mean())
    return scaled


def largest_variance(mean: FloatArray) -> FloatArray:
    """0.9 m (1 - m)."""
    return SHARE_OF_LARGEST * mean * (1 - mean)
