"""The start asks what the rounds will not bring."""

import numpy as np
import pytest

from adjudge.core.panel.foresight import Foresight
from adjudge.core.problem import Evidence, Phase
from adjudge.core.strategies import Panel
from adjudge.worlds import BetaWorld, Instance

JUDGES = 8
STRAY = np.arange(3)
"""Judges that stray far from the others and are quiet: every item is shown to them."""


def stray_and_alike(rng: np.random.Generator) -> BetaWorld:
    level = rng.uniform(0.35, 0.65, 1000)
    spread = np.where(np.isin(np.arange(JUDGES), STRAY), 0.2, 0.04)
    mean = np.clip(level[:, None] + spread * rng.standard_normal((1000, JUDGES)), 0.05, 0.95)
    noise = np.where(np.isin(np.arange(JUDGES), STRAY), 1e-4, 0.01)
    variance = np.minimum(noise, 0.3 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, cost=np.ones(JUDGES)))


def start_of(calls_per_item: float, seed: int) -> np.ndarray:
    """What the start asked; shape (K, J)."""
    rng = np.random.default_rng(seed)
    world = stray_and_alike(rng)
    problem = world.instance.problem(norm=2.0)
    evidence = Evidence.none(problem)
    budget = calls_per_item * problem.items
    while True:
        batch = Panel().next_batch(problem, evidence, budget - evidence.cost(problem), rng)
        if batch.phase is not Phase.PILOT:
            return evidence.calls
        evidence = evidence.plus(batch, world.draw(batch, rng))


def share_of_strays(calls: np.ndarray) -> float:
    compared = (calls == 1).sum(axis=0)
    return float(compared[STRAY].sum() / compared.sum())


def test_judges_that_every_item_will_be_shown_to_are_compared_less_before() -> None:
    shares = [share_of_strays(start_of(5.0, seed)) for seed in range(4)]
    assert np.mean(shares) < 0.75 * STRAY.size / JUDGES


def test_all_are_compared_alike_where_most_judges_are_left_out() -> None:
    shares = [share_of_strays(start_of(3.0, seed)) for seed in range(4)]
    assert np.mean(shares) == pytest.approx(STRAY.size / JUDGES, abs=0.08)


def test_the_noise_of_noisy_judges_that_will_be_asked_is_learned_first() -> None:
    foresight = Foresight(
        planned=np.array([1.0, 1.0, 0.0, 1.0]),
        noise=np.array([0.02, 0.001, 0.02, 0.02]),
        repeats=np.array([2.0, 2.0, 2.0, 40.0]),
        price=np.ones(4),
    )
    often = foresight.to_repeat(20, 1).sum(axis=0)
    assert often[0] > 2 * often[2] > 0
    assert often[1] == often[3] == 0


def test_a_repeat_that_costs_less_is_made_more_often() -> None:
    alike = np.ones(3)
    foresight = Foresight(
        planned=alike, noise=0.01 * alike, repeats=alike, price=np.array([1.0, 4.0, 16.0])
    )
    often = foresight.to_repeat(60, 1).sum(axis=0)
    assert often[0] > 1.5 * often[1] > 2 * often[2]
    assert (foresight.to_repeat(60, 2).sum(axis=1) == 2).all()
