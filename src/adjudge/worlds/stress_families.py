"""Families that stress the learned model of the panel.

Judges without noise, weak judges, near-copies, drift, ends of the scale, large offsets, missing
pairs.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.categorical import CategoricalWorld
from adjudge.worlds.ingredients import (
    beta_panel,
    own_deviations,
    similar_prices,
)
from adjudge.worlds.instance import Instance
from adjudge.worlds.ordinal import nearest_reachable_variance, ordinal_probabilities, ordinal_world
from adjudge.worlds.world import World

_NOISE = 0.006
"""Typical variance of one call of an ordinary judge, scores in [0, 1]."""
_QUIET = 1e-4
_TEN_POINTS = (1.0, 10.0)
_STARS = np.arange(1.0, 6.0)
_COPIES_BESIDE = 2


def deterministic(items: int, judges: int, rng: np.random.Generator) -> World:
    """Whole numbers 1 to 10 without noise: a judge always gives an item the same score."""
    low, high = _TEN_POINTS
    mean = np.rint(low + (high - low) * np.clip(_means(items, judges, rng), 0, 1))
    return BetaWorld.of(
        Instance.of(
            mean=mean,
            variance=np.zeros(mean.shape),
            price_per_call=similar_prices(judges, rng),
            score_range=_TEN_POINTS,
        )
    )


def quiet(items: int, judges: int, rng: np.random.Generator) -> World:
    """Call noise with standard deviation near 0.01, a ninth of the judges' deviations."""
    mean = _means(items, judges, rng)
    return beta_panel(mean, rng, typical=_QUIET)


def near_copies(items: int, judges: int, rng: np.random.Generator) -> World:
    """All judges but two are one model with different prompts, so their deviations correlate."""
    copies = max(judges - _COPIES_BESIDE, 1)
    mean = _means(items, judges, rng, deviation=0.0)
    mean[:, :copies] += 0.12 * rng.standard_normal((items, 1))
    mean[:, :copies] += own_deviations(items, copies, rng, spread=0.02)
    mean[:, copies:] += own_deviations(items, judges - copies, rng, spread=0.12)
    return beta_panel(mean, rng, typical=_NOISE)


def drift(items: int, judges: int, rng: np.random.Generator) -> World:
    """Scores rise by 0.4 of the range along the file, and every judge's offset drifts."""
    place = np.linspace(-0.5, 0.5, items)[:, np.newaxis]
    mean = _means(items, judges, rng, centre=0.5, spread=0.1)
    mean += place * (0.4 + 0.2 * rng.standard_normal(judges))
    return beta_panel(mean, rng, typical=_NOISE)


def one_end(items: int, judges: int, rng: np.random.Generator) -> World:
    """One to five stars, 97 % of the answers five: few items are bad, judges sometimes lapse."""
    bad = rng.random((items, 1)) < 0.0225
    level = rng.uniform(0, 0.7, (items, 1)) + own_deviations(items, judges, rng, spread=0.15)
    lapses = rng.random((items, judges)) < rng.uniform(0, 0.1, judges)
    good = 1 - 0.25 * rng.uniform(0, 0.3, (items, judges)) * lapses
    mean = np.where(bad, np.clip(level, 0, 1), good)
    variance = nearest_reachable_variance(mean, np.full(mean.shape, 0.01), points=_STARS.size)
    return CategoricalWorld.of(
        values=_STARS,
        probabilities=ordinal_probabilities(mean, variance, points=_STARS.size),
        cost=similar_prices(judges, rng),
        score_range=(float(_STARS[0]), float(_STARS[-1])),
    )


def capped(items: int, judges: int, rng: np.random.Generator) -> World:
    """Skewed scores 0 to 100, most near the top, where every judge has a cap of its own."""
    level = 0.93 - rng.exponential(0.12, (items, 1)) + 0.03 * rng.standard_normal(judges)
    mean = level + own_deviations(items, judges, rng, spread=0.06)
    return beta_panel(
        np.minimum(mean, rng.uniform(0.93, 0.985, judges)),
        rng,
        typical=9e-4,
        score_range=(0.0, 100.0),
    )


def mixed_noise(items: int, judges: int, rng: np.random.Generator) -> World:
    """Four of five pairs always give the same score; all noise is in the others."""
    noisy = rng.random((items, judges)) < 0.2
    return beta_panel(_means(items, judges, rng), rng, typical=0.015, noisy=noisy)


def yes_no(items: int, judges: int, rng: np.random.Generator) -> World:
    """Yes or no, with a probability of yes that differs by item and judge."""
    return _yes_no(items, judges, rng, sureness=1.0)


def yes_no_sure(items: int, judges: int, rng: np.random.Generator) -> World:
    """`yes-no`, where a judge nearly always gives an item the same answer."""
    return _yes_no(items, judges, rng, sureness=10.0)


def weak_judge(items: int, judges: int, rng: np.random.Generator) -> World:
    """`quiet`, where the last judge hardly correlates with the others but has equal weight."""
    mean = _means(items, judges, rng)
    centre = mean.mean()
    mean[:, -1] = centre + 0.1 * (mean.mean(axis=1) - centre) + 0.15 * rng.standard_normal(items)
    return beta_panel(mean, rng, typical=_QUIET)


def large_offsets(items: int, judges: int, rng: np.random.Generator) -> World:
    """Judge offsets up to 0.4 of the range either way, six times the spread of the items."""
    mean = _means(items, judges, rng, centre=0.5, spread=0.06, offset=0.0, deviation=0.05)
    mean += rng.uniform(-0.4, 0.4, judges)
    return beta_panel(mean, rng, typical=_NOISE)


def missing_pairs(items: int, judges: int, rng: np.random.Generator) -> World:
    """50 to 70 % of the pairs do not exist; the truth is the mean over those that do."""
    present = 1 - rng.uniform(0.5, 0.7)
    # Every item has one guaranteed judge; the others make up the rest of the share.
    chance = max(judges * present - 1, 0) / max(judges - 1, 1)
    exists = rng.random((items, judges)) < chance
    exists[np.arange(items), rng.integers(judges, size=items)] = True
    return _masked_panel(exists, rng)


def no_shared_items(items: int, judges: int, rng: np.random.Generator) -> World:
    """Every judge has its own block of items, so every item has one judge."""
    block = np.arange(items) * judges // items
    return _masked_panel(block[:, np.newaxis] == np.arange(judges), rng)


def _yes_no(items: int, judges: int, rng: np.random.Generator, *, sureness: float) -> World:
    lean = 0.5 + 1.8 * rng.standard_normal((items, 1)) + 0.5 * rng.standard_normal(judges)
    mean = expit(sureness * (lean + own_deviations(items, judges, rng, spread=1.0)))
    # Probabilities near 0 or 1 become certain.
    mean = np.where(np.abs(mean - 0.5) > 0.48, np.rint(mean), mean)
    return ordinal_world(
        mean=mean, variance=mean * (1 - mean), points=2, cost=similar_prices(judges, rng)
    )


def _masked_panel(exists: BoolArray, rng: np.random.Generator) -> World:
    items, judges = exists.shape
    mean = _means(items, judges, rng)
    return beta_panel(mean, rng, typical=_NOISE, mask=exists)


def _means(
    items: int,
    judges: int,
    rng: np.random.Generator,
    *,
    centre: float = 0.6,
    spread: float = 0.17,
    offset: float = 0.08,
    deviation: float = 0.09,
) -> FloatArray:
    """Item scores, judge offsets and deviations, each normal; shape (K, J)."""
    score = centre + spread * rng.standard_normal((items, 1))
    offsets = offset * rng.standard_normal(judges)
    return score + offsets + own_deviations(items, judges, rng, spread=deviation)
