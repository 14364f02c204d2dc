"""Skewed scores are seen and corrected for; normal ones stay."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.panel.answers import drawn, evidence_of, panel_of

from adjudge.core.evidence import Moments
from adjudge.core.panel import PanelModel, learn
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.hardness import learn_hardness
from adjudge.core.panel.levels import Levels, learn_levels
from adjudge.core.problem import Problem

ITEMS, JUDGES = 1500, 4
TAU, DEVIATION, NOISE = 0.2, 0.1, 0.1
BELIEFS = Beliefs()
NONE = Levels(farthest=BELIEFS.farthest_level)


def panel(items: int = ITEMS) -> PanelModel:
    covariance = TAU**2 + DEVIATION**2 * np.eye(JUDGES)
    return panel_of(covariance, np.full((items, JUDGES), NOISE**2))


def learned(model: PanelModel, seen: Moments) -> Levels:
    return learn_levels(model.answers(seen.n, seen.mean), BELIEFS)


def answered(
    level: np.ndarray, rng: np.random.Generator, error: np.ndarray | float = 1.0
) -> tuple[Moments, np.ndarray]:
    """One call of two random judges of every item, and the items' scores."""
    size = np.broadcast_to(error, level.shape)[:, None]
    deviation = DEVIATION * size * rng.standard_normal((level.size, JUDGES))
    answers = 0.5 + TAU * level[:, None] + deviation
    asked = rng.permuted(np.tile([1, 1, 0, 0], (level.size, 1)), axis=1)
    return drawn(answers, NOISE**2 * size**2, asked, rng), answers.mean(axis=1)


def skewed(rng: np.random.Generator) -> np.ndarray:
    """Levels of skewness 1.4, as most ratings are low and few high."""
    levels: np.ndarray = (rng.gamma(2, size=ITEMS) - 2) / np.sqrt(2)
    return levels


def test_skewed_scores_are_seen_and_come_out_nearer_to_the_truth(
    rng: np.random.Generator,
) -> None:
    errors, skewness = [], []
    for run in rng.spawn(8):
        seen, truth = answered(skewed(run), run)
        levels = learned(panel(), seen)
        skewness.append(levels.skewness)
        errors.append(
            [
                np.mean((replace(panel(), levels=law).posterior(seen).score - truth) ** 2)
                for law in (Levels(), levels)
            ]
        )
    assert min(skewness) > 0.2
    normal, mended = np.mean(errors, axis=0)
    assert mended < 0.99 * normal


def test_normal_scores_are_left_alone(rng: np.random.Generator) -> None:
    found = [learned(panel(), answered(run.standard_normal(ITEMS), run)[0]) for run in rng.spawn(8)]
    values = [levels.skewness for levels in found]
    assert np.abs(values).max() < 0.25
    assert abs(np.mean(values)) < 0.1


def test_an_item_never_asked_is_as_hard_as_usual_and_has_the_mean_score() -> None:
    model = replace(panel(1), levels=Levels(skewness=0.5))
    nothing = Moments.none(1, JUDGES)
    assert learn_hardness(model, nothing, BELIEFS)[0] == pytest.approx(1)
    assert model.posterior(nothing).score[0] == pytest.approx(0.5)


def test_few_comparisons_show_no_levels(rng: np.random.Generator) -> None:
    few = int(BELIEFS.fewest) - 1
    seen, _ = answered(skewed(rng)[:few], rng)
    assert learned(panel(few), seen) == NONE


@given(st.floats(-2, 2), st.floats(0.05, 0.9), st.floats(-0.3, 0.3))
def test_the_mean_is_that_of_the_skewed_density(
    level: float, variance: float, skewness: float
) -> None:
    """To first order in the skewness, by integration over the density."""
    x = np.linspace(-12, 12, 4801)
    small = 1e-3
    normal = np.exp(-((x - level) ** 2) / (2 * variance))
    density = normal * (1 + small * skewness / 6 * (x**3 - 3 * x))
    density /= density.sum()
    mean = float(density @ x)
    law = Levels(skewness=skewness)
    place = np.array([level]), np.array([variance])
    assert (mean - level) / small == pytest.approx(law.shift(*place)[0], abs=1e-3)


def test_far_levels_are_cut() -> None:
    levels = Levels(skewness=0.3, farthest=2.0)
    far, nothing = np.array([2.0, 50.0, -50.0]), np.zeros(3)
    assert np.ptp(levels.curve(far, nothing)) == 0


def test_answers_of_yes_or_no_show_no_levels(rng: np.random.Generator) -> None:
    chance = 1 / (1 + np.exp(-2 * skewed(rng)))
    said = (rng.random((ITEMS, JUDGES)) < chance[:, None]).astype(float)
    n = np.ones((ITEMS, JUDGES), np.int64)
    problem = Problem.of(np.ones(JUDGES), items=ITEMS, yes_or_no=True)
    seen = Moments(n=n, mean=said, m2=np.zeros(n.shape))
    assert learn(problem, evidence_of(problem, seen), draws=2).model.levels == NONE
