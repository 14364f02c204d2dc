"""The synthetic instances of the paper's experiments."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.gaussian import GaussianWorld
from adjudge.worlds.ingredients import (
    item_scores,
    largest_variance,
    same_for_all_judges,
    similar_prices,
)
from adjudge.worlds.instance import Instance
from adjudge.worlds.world import World

_MEAN_COST = 0.1


def paper(items: int, judges: int, rng: np.random.Generator) -> World:
    r"""The paper's synthetic experiment.

    .. math:: s_k \sim U[0.1, 0.9],\quad \sigma_{kj}^2 \sim U[10^{-4}, 0.9 s_k(1-s_k)],\quad
              c_j \sim U[0.5, 1.5],\quad \text{scores Beta}
    """
    return BetaWorld.of(_paper_instance(items, judges, rng))


def gaussian(items: int, judges: int, rng: np.random.Generator) -> World:
    """The same instance as `paper`, with Gaussian scores."""
    return GaussianWorld(instance=_paper_instance(items, judges, rng))


def bad_is_expensive(items: int, judges: int, rng: np.random.Generator) -> World:
    """Noisy judges are expensive: prices are proportional to mean variance; mean cost 0.1."""
    mean, variance = _growing_noise(items, judges, rng)
    return _priced(mean, variance, variance.sum(axis=0))


def bad_is_cheap(items: int, judges: int, rng: np.random.Generator) -> World:
    """Noisy judges are cheap: prices are proportional to mean 1/variance; mean cost 0.1."""
    mean, variance = _growing_noise(items, judges, rng)
    return _priced(mean, variance, (1 / variance).sum(axis=0))


def uniform_costs(items: int, judges: int, rng: np.random.Generator) -> World:
    """The judges of `bad-is-expensive`, each at a cost of 0.1."""
    mean, variance = _growing_noise(items, judges, rng)
    return _priced(mean, variance, np.ones(judges))


def _paper_instance(items: int, judges: int, rng: np.random.Generator) -> Instance:
    mean = same_for_all_judges(item_scores(items, rng), judges)
    return Instance.of(
        mean=mean,
        variance=rng.uniform(1e-4, largest_variance(mean)),
        price_per_call=similar_prices(judges, rng),
    )


def _growing_noise(
    items: int, judges: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    r"""Means, and :math:`\sigma_{kj}^2 \sim U[j, J+j-1]\; s_k(1-s_k)/(2J)`, j = 1..J."""
    mean = same_for_all_judges(item_scores(items, rng), judges)
    number = np.arange(1, judges + 1)
    factor = rng.uniform(number, judges + number - 1, mean.shape)
    return mean, factor * mean * (1 - mean) / (2 * judges)


def _priced(mean: FloatArray, variance: FloatArray, relative_cost: FloatArray) -> World:
    cost = _MEAN_COST * relative_cost / relative_cost.mean()
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=cost))
