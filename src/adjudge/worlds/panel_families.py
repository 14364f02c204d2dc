"""Families of judges that deviate persistently, are constant, or fail."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.failing import FailingWorld
from adjudge.worlds.ingredients import (
    better_if_dearer,
    difficulty_times_noise,
    item_scores,
    same_for_all_judges,
    similar_prices,
)
from adjudge.worlds.instance import Instance
from adjudge.worlds.world import World

_CALL_VARIANCE = 0.006
"""Typical variance of one call of a real judge, scores in [0, 1]."""

_OFFSET_SPREAD = 0.12
_FARTHEST_OFFSET = 0.2
_DEVIATION_VARIANCES = (0.004, 0.012)
_MARGIN = 0.02
"""Minimum distance of means from the ends of the scale, where scores could not vary."""


def offsets(items: int, judges: int, rng: np.random.Generator) -> World:
    """Lenient and strict judges: b_j of standard deviation 0.12, at most 0.2 of the range."""
    score = rng.uniform(0.25, 0.75, (items, 1))
    return _noisy_panel(score + _judge_offsets(judges, rng), rng)


def deviations(items: int, judges: int, rng: np.random.Generator) -> World:
    """Judges with item-specific deviations d_kj, of variance 0.004 to 0.012 by judge."""
    score = rng.uniform(0.25, 0.75, (items, 1))
    return _noisy_panel(score + _item_by_judge_deviations(items, judges, rng), rng)


def offsets_deviations(items: int, judges: int, rng: np.random.Generator) -> World:
    """`offsets` and `deviations` together: the most realistic panel."""
    score = rng.uniform(0.25, 0.75, (items, 1))
    mean = score + _judge_offsets(judges, rng) + _item_by_judge_deviations(items, judges, rng)
    return _noisy_panel(mean, rng)


def constant_judge(items: int, judges: int, rng: np.random.Generator) -> World:
    """A cheap judge answers 0.5 to everything; the truth is the others' mean.

    Its variance is zero, so a rule that uses only prices and variances asks no other judge.
    """
    _need_two(judges, "constant-judge")
    score = item_scores(items, rng)
    mean = same_for_all_judges(score, judges).copy()
    variance = difficulty_times_noise(mean, rng)
    cost = similar_prices(judges, rng)
    constant = int(rng.integers(judges))
    mean[:, constant], variance[:, constant], cost[constant] = 0.5, 0.0, 0.2
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=cost, truth=score))


def failing_judge(items: int, judges: int, rng: np.random.Generator) -> World:
    """A cheap, precise judge gives no score in 40 % of its calls; the others always do."""
    mean = same_for_all_judges(item_scores(items, rng), judges)
    cost, noise, rate = similar_prices(judges, rng), np.ones(judges), np.zeros(judges)
    failing = int(rng.integers(judges))
    cost[failing], noise[failing], rate[failing] = 0.5, 0.3, 0.4
    variance = difficulty_times_noise(mean, rng, judge_spread=0.3, judge_factor=noise)
    return FailingWorld.of(
        BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=cost)), rate
    )


def _noisy_panel(mean: FloatArray, rng: np.random.Generator) -> World:
    """Realistic call noise; more expensive judges are less noisy."""
    means = np.clip(mean, _MARGIN, 1 - _MARGIN)
    cost = similar_prices(means.shape[1], rng)
    variance = difficulty_times_noise(
        means, rng, typical=_CALL_VARIANCE, judge_factor=better_if_dearer(cost, 0.5)
    )
    return BetaWorld.of(Instance.of(mean=means, variance=variance, price_per_call=cost))


def _judge_offsets(judges: int, rng: np.random.Generator) -> FloatArray:
    drawn = _OFFSET_SPREAD * rng.standard_normal(judges)
    return np.clip(drawn, -_FARTHEST_OFFSET, _FARTHEST_OFFSET)


def _item_by_judge_deviations(items: int, judges: int, rng: np.random.Generator) -> FloatArray:
    spread = np.sqrt(rng.uniform(*_DEVIATION_VARIANCES, judges))
    return spread * rng.standard_normal((items, judges))


def _need_two(judges: int, family: str) -> None:
    if judges < 2:
        raise InputError("judges", f"{judges}", f"{family} needs two or more")
