from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.panel.answers import panel_of

from adjudge.core.evidence import Moments
from adjudge.core.panel import PanelModel

WEIGHTS = np.array([0.5, 0.3, 0.2])
MEAN = np.array([0.4, 0.5, 0.6])
SPREAD, DEVIATION = 0.04, np.array([0.01, 0.02, 0.005])


def model(noise: np.ndarray) -> PanelModel:
    return panel_of(SPREAD + np.diag(DEVIATION), noise, mean=MEAN, weights=WEIGHTS)


def seen(n: np.ndarray, mean: np.ndarray) -> Moments:
    return Moments(n=n, mean=np.where(n > 0, mean, 0), m2=np.zeros(n.shape))


@given(st.integers(0, 2**32 - 1))
def test_independent_deviations_give_the_closed_form_of_the_method(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = rng.integers(0, 4, (1, 3))
    noise, mean = rng.uniform(0.001, 0.1, (1, 3)), rng.uniform(0, 1, (1, 3))
    panel = model(noise)
    posterior = panel.posterior(seen(n, mean))
    asked = n[0] > 0
    v = np.where(asked, noise[0] / np.maximum(n[0], 1), 1.0)
    rho = np.where(asked, DEVIATION / (DEVIATION + v), 0)
    w = np.where(asked, 1 / (DEVIATION + v), 0)
    total = w.sum() + 1 / SPREAD
    surprise = np.where(asked, mean[0] - MEAN, 0)
    latent = (w * surprise).sum() / total
    score = WEIGHTS @ MEAN + latent * (1 - WEIGHTS @ rho) + WEIGHTS @ (rho * surprise)
    variance = (WEIGHTS**2 * DEVIATION * (1 - rho)).sum() + (1 - WEIGHTS @ rho) ** 2 / total
    assert posterior.score[0] == pytest.approx(score)
    assert posterior.variance[0] == pytest.approx(variance)


def test_an_item_never_asked_has_the_panels_mean_and_spread() -> None:
    panel = model(np.full((1, 3), 0.01))
    posterior = panel.posterior(Moments.none(1, 3))
    assert posterior.score[0] == pytest.approx(WEIGHTS @ MEAN)
    assert posterior.variance[0] == pytest.approx(panel.prior_variance[0])


def test_many_calls_of_every_judge_give_the_plain_panel_mean() -> None:
    n, mean = np.full((1, 3), 10**7), np.array([[0.1, 0.9, 0.5]])
    posterior = model(np.full((1, 3), 0.01)).posterior(seen(n, mean))
    assert posterior.score[0] == pytest.approx(WEIGHTS @ mean[0], abs=1e-5)
    assert posterior.variance[0] < 1e-8


def test_without_deviations_it_is_inverse_variance_weighting(rng: np.random.Generator) -> None:
    noise, mean = rng.uniform(0.001, 0.1, (5, 3)), rng.uniform(0, 1, (5, 3))
    n = rng.integers(1, 5, (5, 3))
    panel = panel_of(np.full((3, 3), 1e4) + 1e-9 * np.eye(3), noise, weights=WEIGHTS)
    posterior = panel.posterior(seen(n, mean))
    w = n / noise
    assert np.allclose(posterior.score, (w * mean).sum(1) / w.sum(1), atol=1e-5)
    assert np.allclose(posterior.variance, 1 / w.sum(1), rtol=1e-4)


def test_the_raw_score_is_that_of_a_panel_whose_items_may_lie_anywhere(
    rng: np.random.Generator,
) -> None:
    n, mean = rng.integers(0, 3, (50, 3)), rng.uniform(0, 1, (50, 3))
    n[n.sum(axis=1) == 0, 1] = 1
    panel = model(rng.uniform(0.01, 0.1, (50, 3)))
    raw = panel.posterior(seen(n, mean))
    anywhere = replace(panel, covariance=panel.covariance + 1e5).posterior(seen(n, mean))
    assert np.allclose(raw.raw_score, anywhere.score, atol=1e-5)
    assert np.allclose(raw.raw_variance, anywhere.variance, atol=1e-5)


def test_posterior_scores_have_the_errors_they_claim(rng: np.random.Generator) -> None:
    items = 20_000
    noise = np.full((items, 3), 0.02)
    panel = model(noise)
    truth = rng.multivariate_normal(MEAN, panel.covariance, items)
    n = rng.integers(0, 3, (items, 3))
    mean = truth + rng.standard_normal(truth.shape) * np.sqrt(0.02 / np.maximum(n, 1))
    posterior = panel.posterior(seen(n, mean))
    squared = (posterior.score - truth @ WEIGHTS) ** 2 / posterior.variance
    assert abs(squared.mean() - 1) < 5 * np.sqrt(2 / items)


def test_a_large_panel_is_worked_on_in_blocks_with_the_same_result() -> None:
    items = 70_000
    n = np.tile([[1, 0, 2]], (items, 1))
    mean = np.tile([[0.3, 0.0, 0.8]], (items, 1))
    posterior = model(np.full((items, 3), 0.02)).posterior(seen(n, mean))
    assert np.ptp(posterior.score) < 1e-12
    assert np.ptp(posterior.variance) < 1e-12


@given(st.integers(0, 2**32 - 1))
def test_any_covariance_gives_the_dense_closed_form_with_weights_by_item(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = rng.normal(0, 0.2, (3, 3))
    covariance, noise = root @ root.T + 1e-3 * np.eye(3), rng.uniform(0.005, 0.1, (4, 3))
    n, mean = rng.integers(0, 4, (4, 3)), rng.uniform(0, 1, (4, 3))
    weights = rng.dirichlet(np.ones(3), 4)
    panel = replace(panel_of(covariance, noise, mean=MEAN), weights=weights)
    posterior = replace(panel, hardness=np.full(4, 2.0)).posterior(seen(n, mean))
    for k in range(4):
        precision = np.diag(n[k] / noise[k])
        left = covariance @ np.linalg.inv(np.eye(3) + precision @ covariance)
        gain = precision @ left @ weights[k]
        residual = np.where(n[k] > 0, mean[k] - MEAN, 0)
        assert np.allclose(posterior.gain[k], gain)
        assert posterior.score[k] == pytest.approx(weights[k] @ MEAN + gain @ residual)
        assert posterior.variance[k] == pytest.approx(2 * weights[k] @ left @ weights[k])


def test_items_are_drawn_towards_the_mean_of_their_group() -> None:
    panel = model(np.full((4, 3), 0.01))
    panel = replace(panel, mean=np.stack([MEAN, MEAN + 0.2]), group=np.array([0, 1, 0, 1]))
    score = panel.posterior(Moments.none(4, 3)).score
    assert np.allclose(score, WEIGHTS @ MEAN + np.array([0, 0.2, 0, 0.2]))
    assert np.allclose(panel.part(np.array([1, 2])).center, score[[1, 2]])
