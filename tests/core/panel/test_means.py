"""Calls for the judges' means: made where they pay, and only there."""

import math

import numpy as np
import pytest

from adjudge.core.panel.means import calls_for_means
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.strategies import Panel
from adjudge.simulate import play
from adjudge.worlds import FAMILIES

ITEMS, NOISE, SPREAD = 100, 0.04, 0.05


def agreeing(judges: int) -> PanelModel:
    """Judges that measure one score, with noise alike."""
    return PanelModel(
        mean=np.full(judges, 0.5),
        covariance=SPREAD + 1e-9 * np.eye(judges),
        noise=np.full((ITEMS, judges), NOISE),
        weights=np.full(judges, 1 / judges),
        hardness=np.ones(ITEMS),
    )


def asked_of_first(judges: int, calls: int) -> np.ndarray:
    n = np.zeros((ITEMS, judges), np.int64)
    n[:, 0] = calls
    return n


@pytest.fixture
def doubtful() -> np.ndarray:
    """Means of which the second judge's is hardly known."""
    return np.diag([0.0, 0.01])


def test_a_judge_whose_offset_is_in_doubt_is_asked_about_items_of_the_others(
    doubtful: np.ndarray, rng: np.random.Generator
) -> None:
    n = asked_of_first(2, 50)
    n[:10] = 0
    price = np.ones(n.shape)
    price[10:20, 1] = math.inf
    calls = calls_for_means(agreeing(2), doubtful, n, price, spent=4500, money=450, rng=rng)
    assert calls[:, 1].sum() > 20
    assert not calls[:, 0].any()
    assert not calls[:20].any()


def test_the_split_between_means_and_items_is_near_the_best(
    doubtful: np.ndarray, rng: np.random.Generator
) -> None:
    n, money = asked_of_first(2, 50), 500.0
    spent = float(n.sum())
    price = np.ones(n.shape)
    calls = calls_for_means(agreeing(2), doubtful, n, price, spent=spent, money=money, rng=rng)

    def mean_square(for_means: np.ndarray) -> np.ndarray:
        own = NOISE * ITEMS / (spent + money - for_means)
        # The score is the first judge's answer and half of the second one's offset.
        shared = 0.25 / (1 / 0.01 + for_means / NOISE)
        return np.asarray(own + shared)

    best = mean_square(np.arange(money)).min()
    assert mean_square(calls.sum()) < 1.02 * best
    assert best < 0.7 * mean_square(np.array(0.0))


def test_known_means_cost_nothing(rng: np.random.Generator) -> None:
    n = asked_of_first(3, 5)
    price = np.ones(n.shape)
    known = np.diag([0.0, 1e-7, 1e-7])
    calls = calls_for_means(agreeing(3), known, n, price, spent=500, money=100, rng=rng)
    assert not calls.any()
    nothing = np.zeros_like(n)
    calls = calls_for_means(agreeing(3), np.eye(3), nothing, price, spent=0, money=100, rng=rng)
    assert not calls.any()


@pytest.mark.parametrize("money", [0.4, 3.0, 40.0])
def test_calls_for_means_stay_within_their_money(
    doubtful: np.ndarray, money: float, rng: np.random.Generator
) -> None:
    n = asked_of_first(2, 50)
    price = rng.uniform(0.2, 3.0, n.shape)
    calls = calls_for_means(agreeing(2), doubtful, n, price, spent=5000, money=money, rng=rng)
    assert (calls * price).sum() <= money * (1 + 1e-9)


def test_with_a_large_budget_the_means_are_a_small_part_of_the_error() -> None:
    shared, own = [], []
    for seed in range(6):
        world = FAMILIES["rating"](60, 6, np.random.default_rng(seed))
        problem = world.instance.problem()
        budget = 150 * 60 * float(world.instance.cost.mean())
        outcome = play(Panel(), problem, world, budget, rng=np.random.default_rng(seed))
        estimate = outcome.estimate
        assert isinstance(estimate, PanelEstimate)
        lever = estimate.lever
        shared.append(float(((lever @ estimate.mean_error) * lever).sum(axis=1).mean()))
        own.append(float(estimate.raw_variance.mean()))
    assert sum(shared) < 0.35 * sum(own)
