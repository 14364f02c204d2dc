"""Items and pairs are told apart by their repeats, as far as these show it."""

import numpy as np
import pytest
from tests.core.panel.answers import drawn

from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import YES_OR_NO, Beliefs
from adjudge.core.panel.noise import (
    ALL_ALIKE,
    learn_factors,
    prior_freedom,
    spread_beyond_chance,
)

BELIEFS = Beliefs()


def repeated(
    noise: np.ndarray, rng: np.random.Generator, *, calls: int = 6, beliefs: Beliefs = BELIEFS
) -> tuple[np.ndarray, float]:
    n = np.full(noise.shape, calls)
    return learn_factors(drawn(np.full(noise.shape, 0.5), noise, n, rng), beliefs)


def test_noisy_items_are_found_whatever_the_judges_noise(rng: np.random.Generator) -> None:
    item = rng.lognormal(0, 0.8, (1000, 1))
    factor, freedom = repeated(np.array([0.01, 0.04]) * item, rng)
    assert np.corrcoef(np.log(factor[:, 0]), np.log(item[:, 0]))[0, 1] > 0.75
    assert np.allclose(factor.mean(axis=0), 1, rtol=0.15)
    assert freedom < 20


def test_noisy_pairs_are_found(rng: np.random.Generator) -> None:
    pair = rng.lognormal(0, 0.8, (500, 3))
    factor, _ = repeated(0.01 * pair, rng)
    assert np.corrcoef(np.log(factor.ravel()), np.log(pair.ravel()))[0, 1] > 0.7


def test_pairs_that_are_alike_are_taken_as_alike(rng: np.random.Generator) -> None:
    alike, freedom = repeated(np.full((500, 3), 0.01), rng)
    unlike, less = repeated(0.01 * rng.lognormal(0, 0.8, (500, 1)) * np.ones(3), rng)
    assert alike.std() < 0.3 * unlike.std()
    assert freedom > 3 * less


def test_the_unit_of_scores_changes_no_factor(rng: np.random.Generator) -> None:
    noise = 0.01 * rng.lognormal(0, 0.8, (200, 3))
    one, _ = repeated(noise, np.random.default_rng(1))
    other, _ = repeated(noise / 9, np.random.default_rng(1))
    assert np.allclose(one, other, rtol=1e-6)


def test_pairs_never_repeated_are_as_noisy_as_usual(rng: np.random.Generator) -> None:
    n = np.ones((200, 3), np.int64)
    n[:100] = 5
    noise = 0.01 * rng.lognormal(0, 0.8, (200, 1)) * np.ones(3)
    factor, _ = learn_factors(drawn(np.full(n.shape, 0.5), noise, n, rng), BELIEFS)
    assert (factor[100:] == 1).all()
    assert factor[:100].std() > 0


@pytest.mark.parametrize("beliefs", [BELIEFS, YES_OR_NO])
def test_few_repeats_and_answers_of_yes_or_no_tell_no_pairs_apart(
    beliefs: Beliefs, rng: np.random.Generator
) -> None:
    items = 300 if beliefs.yes_or_no else 3
    noise = 0.01 * rng.lognormal(0, 1, (items, 3))
    factor, freedom = repeated(noise, rng, calls=3, beliefs=beliefs)
    assert (factor == 1).all()
    assert freedom == ALL_ALIKE
    nothing, _ = learn_factors(Moments.none(4, 2), beliefs)
    assert (nothing == 1).all()


def test_ratings_that_never_changed_have_factors_all_the_same() -> None:
    n = np.full((50, 2), 3)
    factor, _ = learn_factors(
        Moments(n=n, mean=np.full(n.shape, 0.5), m2=np.zeros(n.shape)), BELIEFS
    )
    assert np.isfinite(factor).all()
    assert np.ptp(factor) == pytest.approx(0, abs=1e-9)


def test_the_spread_of_sample_variances_beyond_chance_is_that_of_the_true_ones(
    rng: np.random.Generator,
) -> None:
    freedom = rng.integers(1, 30, 20_000).astype(float)
    for shape in (np.inf, 4.0):
        truth = np.ones(freedom.size) if np.isinf(shape) else rng.gamma(shape, 1 / shape, 20_000)
        ratio = truth * rng.chisquare(freedom) / freedom
        found = spread_beyond_chance((ratio - 1) ** 2, freedom)
        assert found == pytest.approx(1 / shape, abs=0.03)
    freedoms = [prior_freedom(spread) for spread in (0.01, 0.1, 1.0)]
    assert freedoms == sorted(freedoms, reverse=True)
    assert prior_freedom(0.0) == ALL_ALIKE
