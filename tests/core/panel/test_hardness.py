"""Items on which judges differ more than usual are known as hard, and only they."""

import math

import numpy as np
import pytest

from adjudge.core.panel import PanelModel, best_calls
from adjudge.core.panel.hardness import learn_hardness
from adjudge.core.problem import Moments

ITEMS, JUDGES = 400, 4


def model(items: int = ITEMS) -> PanelModel:
    return PanelModel(
        mean=np.array([0.4, 0.5, 0.5, 0.6]),
        covariance=0.04 + 0.01 * np.eye(JUDGES),
        noise=np.full((items, JUDGES), 0.01),
        weights=np.full(JUDGES, 1 / JUDGES),
        hardness=np.ones(items),
    )


def answers(hardness: np.ndarray, rng: np.random.Generator, spread: float = 0.2) -> Moments:
    """One call of every judge; deviations and noise are larger on hard items."""
    level = spread * rng.standard_normal((len(hardness), 1))
    own = np.sqrt(0.02 * hardness)[:, None] * rng.standard_normal((len(hardness), JUDGES))
    n = np.ones((len(hardness), JUDGES), np.int64)
    return Moments(n=n, mean=model().mean + level + own, m2=np.zeros(n.shape))


def test_hard_items_are_found_and_the_usual_hardness_is_one(rng: np.random.Generator) -> None:
    true = np.where(np.arange(ITEMS) % 4 == 0, 4.0, 0.5)
    found = learn_hardness(model(), answers(true, rng))
    assert found.mean() == pytest.approx(1)
    assert found[true > 1].mean() > 2 * found[true < 1].mean()


def test_items_that_are_alike_are_taken_as_alike(rng: np.random.Generator) -> None:
    spreads = [learn_hardness(model(), answers(np.ones(ITEMS), run)).std() for run in rng.spawn(10)]
    unlike = learn_hardness(model(), answers(rng.lognormal(-0.5, 1, ITEMS), rng)).std()
    assert np.mean(spreads) < 0.4 * unlike


def test_an_extreme_item_is_not_a_hard_one(rng: np.random.Generator) -> None:
    seen = answers(np.ones(ITEMS), rng, spread=2.0)
    extreme = np.abs(seen.mean.mean(axis=1) - 0.5)
    found = learn_hardness(model(), seen)
    assert abs(np.corrcoef(extreme, found)[0, 1]) < 4 / math.sqrt(ITEMS)


def test_items_that_no_two_judges_saw_are_as_usual(rng: np.random.Generator) -> None:
    seen = answers(rng.lognormal(-0.5, 1, ITEMS), rng)
    n = seen.n.copy()
    n[:100, 1:] = 0
    n[100:150] = 0
    found = learn_hardness(model(), Moments(n=n, mean=seen.mean * n, m2=seen.m2))
    assert (found[:150] == 1).all()
    assert found[150:].std() > 0
    few = Moments(n=n * (np.arange(ITEMS) >= 390)[:, None], mean=seen.mean, m2=seen.m2)
    assert (learn_hardness(model(), few) == 1).all()


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_hard_items_get_more_calls(norm: float) -> None:
    hard = np.where(np.arange(40) < 10, 3.0, 0.5)
    panel = PanelModel(
        mean=np.full(JUDGES, 0.5),
        covariance=0.04 + 0.01 * np.eye(JUDGES),
        noise=np.full((40, JUDGES), 0.05),
        weights=np.full(JUDGES, 1 / JUDGES),
        hardness=hard,
    )
    nothing, price = np.zeros((40, JUDGES), np.int64), np.ones((40, JUDGES))
    calls = best_calls(panel, nothing, price, 240.0, norm=norm).sum(axis=1)
    assert calls.sum() == 240
    assert calls[:10].mean() > 1.3 * calls[10:].mean()
