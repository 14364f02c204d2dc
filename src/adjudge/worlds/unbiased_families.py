"""Families in which every judge's long-run mean is the item's score."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.categorical import CategoricalWorld
from adjudge.worlds.ingredients import (
    better_if_dearer,
    difficulty_times_noise,
    item_scores,
    prices_over_30x,
    same_for_all_judges,
    similar_prices,
)
from adjudge.worlds.instance import Instance
from adjudge.worlds.ordinal import nearest_reachable_variance, ordinal_world
from adjudge.worlds.world import World

_RATING_POINTS = 5


def mult(items: int, judges: int, rng: np.random.Generator) -> World:
    """Variance is item difficulty times judge noise, both lognormal; prices within 0.5 to 1.5."""
    mean = _unbiased(items, judges, rng)
    return BetaWorld.of(
        Instance.of(
            mean=mean,
            variance=difficulty_times_noise(mean, rng),
            price_per_call=similar_prices(judges, rng),
        )
    )


def costs_30x(items: int, judges: int, rng: np.random.Generator) -> World:
    """The most expensive judge costs 30 times the cheapest and is slightly less noisy."""
    mean = _unbiased(items, judges, rng)
    cost = prices_over_30x(judges, rng)
    variance = difficulty_times_noise(
        mean, rng, judge_spread=0.25, judge_factor=better_if_dearer(cost, 0.12)
    )
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=cost))


def rating(items: int, judges: int, rng: np.random.Generator) -> World:
    """Ratings 1 to 5, mapped to 0 to 1; prices span 30x."""
    mean = _unbiased(items, judges, rng)
    cost = prices_over_30x(judges, rng)
    variance = difficulty_times_noise(mean, rng, typical=0.03, judge_spread=0.3)
    return ordinal_world(
        mean=mean,
        variance=nearest_reachable_variance(mean, variance, points=_RATING_POINTS),
        points=_RATING_POINTS,
        cost=cost,
    )


def binary(items: int, judges: int, rng: np.random.Generator) -> World:
    """Every judge says 1 with probability s_k, else 0: judges differ only in price."""
    mean = _unbiased(items, judges, rng)
    return ordinal_world(
        mean=mean, variance=mean * (1 - mean), points=2, cost=similar_prices(judges, rng)
    )


def homoskedastic(items: int, judges: int, rng: np.random.Generator) -> World:
    """Equal variances and prices: equal allocation is optimal."""
    mean = _unbiased(items, judges, rng)
    return BetaWorld.of(
        Instance.of(mean=mean, variance=np.full(mean.shape, 0.02), price_per_call=np.ones(judges))
    )


def heavy_tailed(items: int, judges: int, rng: np.random.Generator) -> World:
    """Most calls are close to the item's score; 1 to 10 % are outliers at 0 or 1.

    Outliers make up nearly all of a judge's variance: a few calls without one make the judge look
    far more precise than it is.
    """
    mean = _unbiased(items, judges, rng)
    astray = rng.uniform(0.01, 0.1, judges)
    spread = np.sqrt(difficulty_times_noise(mean, rng, typical=0.001))
    near = np.minimum(spread, np.minimum(mean, 1 - mean))
    usual = np.broadcast_to((1 - astray) / 2, mean.shape)
    # 0 and 1 in the proportion that keeps the mean.
    values: list[FloatArray] = [mean - near, mean + near, np.zeros(mean.shape), np.ones(mean.shape)]
    chances = [usual, usual, astray * (1 - mean), astray * mean]
    return CategoricalWorld.of(
        values=np.stack(values, axis=-1),
        probabilities=np.stack(chances, axis=-1),
        cost=similar_prices(judges, rng),
    )


def lengths(items: int, judges: int, rng: np.random.Generator) -> World:
    """`mult`, where long items cost more: all prices have a lognormal factor of mean 1."""
    mean = _unbiased(items, judges, rng)
    spread = 0.7
    length = rng.lognormal(-(spread**2) / 2, spread, (items, 1))
    return BetaWorld.of(
        Instance.of(
            mean=mean,
            variance=difficulty_times_noise(mean, rng),
            price_per_call=length * similar_prices(judges, rng),
        )
    )


def _unbiased(items: int, judges: int, rng: np.random.Generator) -> FloatArray:
    return same_for_all_judges(item_scores(items, rng), judges)
