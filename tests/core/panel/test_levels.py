"""Skewed scores, and levels at which judges err more, are seen and used; normal ones stay."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.panel.answers import EQUAL, drawn

from adjudge.core.panel import PanelModel, learn
from adjudge.core.panel.levels import Levels
from adjudge.core.panel.predictions import _Predictions, learn_levels
from adjudge.core.problem import Moments

ITEMS, JUDGES = 1500, 4
TAU, DEVIATION, NOISE = 0.2, 0.1, 0.1


def panel(items: int = ITEMS) -> PanelModel:
    return PanelModel(
        mean=np.full(JUDGES, 0.5),
        covariance=TAU**2 + DEVIATION**2 * np.eye(JUDGES),
        noise=np.full((items, JUDGES), NOISE**2),
        weights=EQUAL,
        hardness=np.ones(items),
    )


def answered(
    level: np.ndarray, rng: np.random.Generator, error: np.ndarray | float = 1.0
) -> tuple[Moments, np.ndarray]:
    """One call of two random judges of every item, and the items' scores."""
    size = np.broadcast_to(error, level.shape)[:, None]
    deviation = DEVIATION * size * rng.standard_normal((level.size, JUDGES))
    answers = 0.5 + TAU * level[:, None] + deviation
    asked = rng.permuted(np.tile([1, 1, 0, 0], (level.size, 1)), axis=1)
    return drawn(answers, NOISE**2 * size**2, asked, rng), answers @ EQUAL


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
        levels = learn_levels(panel(), seen)
        skewness.append(levels.skewness)
        errors.append(
            [
                np.mean((replace(panel(), levels=law).posterior(seen).score - truth) ** 2)
                for law in (Levels(), levels)
            ]
        )
    assert min(skewness) > 0.3
    normal, mended = np.mean(errors, axis=0)
    assert mended < 0.98 * normal


def test_normal_scores_are_left_alone(rng: np.random.Generator) -> None:
    found = [
        learn_levels(panel(), answered(run.standard_normal(ITEMS), run)[0]) for run in rng.spawn(8)
    ]
    for values in (
        [levels.skewness for levels in found],
        [levels.slope for levels in found],
        [levels.bend for levels in found],
    ):
        assert np.abs(values).max() < 0.25
        assert abs(np.mean(values)) < 0.1


def test_levels_at_which_judges_err_more_are_seen(rng: np.random.Generator) -> None:
    level = rng.standard_normal(ITEMS)
    seen, truth = answered(level, rng, error=np.where(level > 0.5, 2.0, 0.7))
    model = replace(panel(), levels=learn_levels(panel(), seen))
    hardness = model.hardness_by_level(seen)
    high = model.posterior(seen).score > 0.6
    errors = (model.posterior(seen).score - truth) ** 2
    assert errors[high].mean() > 1.3 * errors[~high].mean()
    assert hardness[high].mean() > 1.2 * hardness[~high].mean()


def test_an_item_never_asked_is_as_hard_as_usual_and_has_the_mean_score() -> None:
    model = replace(panel(1), levels=Levels(skewness=0.5, slope=0.3, bend=-0.2))
    nothing = Moments.none(1, JUDGES)
    assert model.hardness_by_level(nothing)[0] == pytest.approx(1)
    assert model.posterior(nothing).score[0] == pytest.approx(0.5)


def test_few_comparisons_show_no_levels(rng: np.random.Generator) -> None:
    seen, _ = answered(skewed(rng)[:19], rng)
    assert learn_levels(panel(19), seen) == Levels()


@given(st.floats(-2, 2), st.floats(0.05, 0.9), st.floats(-0.3, 0.3))
def test_mean_and_variance_are_those_of_the_skewed_density(
    level: float, variance: float, skewness: float
) -> None:
    """To first order in the skewness, by integration over the density."""
    x = np.linspace(-12, 12, 4801)
    small = 1e-3
    normal = np.exp(-((x - level) ** 2) / (2 * variance))
    density = normal * (1 + small * skewness / 6 * (x**3 - 3 * x))
    density /= density.sum()
    mean = float(density @ x)
    spread = float(density @ (x - mean) ** 2)
    law = Levels(skewness=skewness)
    place = np.array([level]), np.array([variance])
    assert (mean - level) / small == pytest.approx(law.shift(*place)[0], abs=1e-3)
    assert (spread / variance - 1) / small == pytest.approx(law.hardness(*place)[0] - 1, abs=1e-3)


@given(st.integers(0, 2**32 - 1))
def test_an_answer_is_predicted_as_if_it_had_not_been_given(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = np.array([[2, 0, 1, 3]])
    mean = rng.uniform(0, 1, (1, JUDGES)) * (n > 0)
    model = panel(1)
    rows = _Predictions.of(model, n, mean)
    for row, judge in enumerate([0, 2, 3]):
        without = n.copy()
        without[0, judge] = 0
        others = Moments(n=without, mean=mean * (without > 0), m2=np.zeros(n.shape))
        posterior = model.posterior(others)
        only = replace(model, weights=np.eye(JUDGES)[judge]).posterior(others)
        prior = model.prior_variance
        noise = NOISE**2 / n[0, judge]
        assert rows.residual[row] == pytest.approx(mean[0, judge] - only.score[0])
        assert rows.variance[row] == pytest.approx(only.variance[0] + noise)
        assert rows.level[row] == pytest.approx((posterior.score[0] - 0.5) / np.sqrt(prior))
        assert rows.level_variance[row] == pytest.approx(posterior.variance[0] / prior)


def test_where_the_worst_item_counts_no_level_is_planned_as_easy(
    rng: np.random.Generator,
) -> None:
    level = rng.standard_normal(ITEMS)
    seen, _ = answered(level, rng, error=np.where(level > 0.5, 2.0, 0.7))
    learned = learn(seen, EQUAL)
    assert learned.by_level.std() > 0.1
    plain = learned.model_to_plan_with(np.inf).hardness
    assert plain == pytest.approx(learned.model.hardness / learned.by_level)
    assert learned.model_to_plan_with(2.0) is learned.model
    some = learned.part(np.array([3, 5]))
    assert some.model_to_plan_with(np.inf).hardness == pytest.approx(plain[[3, 5]])


def test_answers_of_yes_or_no_show_no_levels(rng: np.random.Generator) -> None:
    chance = 1 / (1 + np.exp(-2 * skewed(rng)))
    said = (rng.random((ITEMS, JUDGES)) < chance[:, None]).astype(float)
    n = np.ones((ITEMS, JUDGES), np.int64)
    learned = learn(Moments(n=n, mean=said, m2=np.zeros(n.shape)), EQUAL)
    assert learned.noise.yes_or_no
    assert learned.model.levels == Levels()
    assert (learned.by_level == 1).all()


def test_levels_tell_less_of_an_item_whose_calls_were_repeated() -> None:
    model = replace(panel(2), levels=Levels(slope=0.3))
    n = np.array([[1, 1, 1, 1], [10, 10, 10, 10]])
    seen = Moments(n=n, mean=np.full(n.shape, 0.8), m2=np.zeros(n.shape))
    once, often = model.hardness_by_level(seen) - 1
    assert 0 < often < once / 5
