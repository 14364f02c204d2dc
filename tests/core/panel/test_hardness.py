"""Items on which judges differ more than usual are known as hard, and only they."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.core.panel.answers import panel_of

from adjudge.core.evidence import Moments
from adjudge.core.panel import PanelModel, best_calls
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.hardness import learn_hardness

ITEMS, JUDGES = 400, 4
MEAN = np.array([0.4, 0.5, 0.5, 0.6])
BELIEFS = Beliefs()


def model(items: int = ITEMS) -> PanelModel:
    covariance = 0.04 + 0.01 * np.eye(JUDGES)
    return panel_of(covariance, np.full((items, JUDGES), 0.01), mean=MEAN)


def answers(hardness: np.ndarray, rng: np.random.Generator, spread: float = 0.2) -> Moments:
    """One call of every judge; deviations and noise are larger on hard items."""
    level = spread * rng.standard_normal((len(hardness), 1))
    own = np.sqrt(0.02 * hardness)[:, None] * rng.standard_normal((len(hardness), JUDGES))
    n = np.ones((len(hardness), JUDGES), np.int64)
    return Moments(n=n, mean=MEAN + level + own, m2=np.zeros(n.shape))


def test_hard_items_are_found_and_the_usual_hardness_is_one(rng: np.random.Generator) -> None:
    true = np.where(np.arange(ITEMS) % 4 == 0, 4.0, 0.5)
    found = learn_hardness(model(), answers(true, rng), BELIEFS)
    assert found.mean() == pytest.approx(1)
    assert found[true > 1].mean() > 2 * found[true < 1].mean()


def test_items_that_are_alike_are_taken_as_alike(rng: np.random.Generator) -> None:
    spreads = [
        learn_hardness(model(), answers(np.ones(ITEMS), run), BELIEFS).std()
        for run in rng.spawn(10)
    ]
    unlike = answers(rng.lognormal(-0.5, 1, ITEMS), rng)
    assert np.mean(spreads) < 0.4 * learn_hardness(model(), unlike, BELIEFS).std()


def test_an_extreme_item_is_not_a_hard_one(rng: np.random.Generator) -> None:
    seen = answers(np.ones(ITEMS), rng, spread=2.0)
    extreme = np.abs(seen.mean.mean(axis=1) - 0.5)
    found = learn_hardness(model(), seen, BELIEFS)
    assert abs(np.corrcoef(extreme, found)[0, 1]) < 4 / math.sqrt(ITEMS)


def test_mirrored_answers_are_as_hard_so_that_calls_do_not_follow_high_or_low_answers(
    rng: np.random.Generator,
) -> None:
    """Else items would be asked again because they seem low, and means would be too high."""
    seen = answers(rng.lognormal(-0.5, 1, ITEMS), rng)
    mirrored = Moments(n=seen.n, mean=2 * MEAN - seen.mean, m2=seen.m2)
    found, other = (learn_hardness(model(), scores, BELIEFS) for scores in (seen, mirrored))
    assert found.std() > 0.2
    np.testing.assert_allclose(found, other, rtol=1e-9)


def test_items_that_no_two_judges_saw_are_as_usual(rng: np.random.Generator) -> None:
    seen = answers(rng.lognormal(-0.5, 1, ITEMS), rng)
    n = seen.n.copy()
    n[:100, 1:] = 0
    n[100:150] = 0
    found = learn_hardness(model(), Moments(n=n, mean=seen.mean * n, m2=seen.m2), BELIEFS)
    assert (found[:150] == 1).all()
    assert found[150:].std() > 0
    few = Moments(n=n * (np.arange(ITEMS) >= 395)[:, None], mean=seen.mean, m2=seen.m2)
    assert (learn_hardness(model(), few, BELIEFS) == 1).all()


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_hard_items_get_more_calls(norm: float) -> None:
    panel = panel_of(0.04 + 0.01 * np.eye(JUDGES), np.full((40, JUDGES), 0.05))
    panel = replace(panel, hardness=np.where(np.arange(40) < 10, 3.0, 0.5))
    nothing, price = np.zeros((40, JUDGES), np.int64), np.ones((40, JUDGES))
    calls = best_calls(panel, nothing, price, 240.0, norm=norm).sum(axis=1)
    assert calls.sum() == 240
    assert calls[:10].mean() > 1.3 * calls[10:].mean()
