"""Items and pairs are told apart by their repeats, as far as these show it."""

import numpy as np
import pytest
from tests.core.panel.answers import drawn

from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import YES_OR_NO, Beliefs
from adjudge.core.panel.noise import (
    ALL_ALIKE,
    Factors,
    learn_factors,
    prior_freedom,
    spread_beyond_chance,
)

BELIEFS = Beliefs()


def repeated(
    noise: np.ndarray, rng: np.random.Generator, *, calls: int = 6, beliefs: Beliefs = BELIEFS
) -> Factors:
    n = np.full(noise.shape, calls)
    return learn_factors(drawn(np.full(noise.shape, 0.5), noise, n, rng), beliefs)


def test_noisy_items_are_found_whatever_the_judges_noise(rng: np.random.Generator) -> None:
    item = rng.lognormal(0, 0.8, (1000, 1))
    found = repeated(np.array([0.01, 0.04]) * item, rng)
    factor = found.of_pairs
    assert np.corrcoef(np.log(factor[:, 0]), np.log(item[:, 0]))[0, 1] > 0.75
    assert np.allclose(factor.mean(axis=0), 1, rtol=0.15)
    assert found.freedom < 20


def test_noisy_pairs_are_found(rng: np.random.Generator) -> None:
    pair = rng.lognormal(0, 0.8, (500, 3))
    factor = repeated(0.01 * pair, rng).of_pairs
    assert np.corrcoef(np.log(factor.ravel()), np.log(pair.ravel()))[0, 1] > 0.7


def test_pairs_that_are_alike_are_taken_as_alike(rng: np.random.Generator) -> None:
    alike = repeated(np.full((500, 3), 0.01), rng)
    unlike = repeated(0.01 * rng.lognormal(0, 0.8, (500, 1)) * np.ones(3), rng)
    assert alike.of_pairs.std() < 0.3 * unlike.of_pairs.std()
    assert alike.freedom > 3 * unlike.freedom
    assert alike.spread < 0.05
    assert unlike.spread < 0.3


def test_pairs_that_are_quiet_and_repeated_most_hide_no_spread(rng: np.random.Generator) -> None:
    """As a plan leaves them: each item's quietest pair has a hundred times the repeats."""
    noise = 0.1 * rng.uniform(0.02, 1, (300, 5))
    n = np.where(noise == noise.min(axis=1, keepdims=True), 3000, 30)
    found = learn_factors(drawn(np.full(n.shape, 0.5), noise, n, rng), BELIEFS)
    relative = found.of_pairs / noise
    assert np.log(relative / relative.mean(axis=0)).std() < 0.3
    assert found.spread == pytest.approx(1 / 3, abs=0.2)


def test_the_unit_of_scores_changes_no_factor(rng: np.random.Generator) -> None:
    noise = 0.01 * rng.lognormal(0, 0.8, (200, 3))
    one = repeated(noise, np.random.default_rng(1)).of_pairs
    other = repeated(noise / 9, np.random.default_rng(1)).of_pairs
    assert np.allclose(one, other, rtol=1e-6)


def test_pairs_never_repeated_are_as_noisy_as_usual(rng: np.random.Generator) -> None:
    n = np.ones((200, 3), np.int64)
    n[:100] = 5
    noise = 0.01 * rng.lognormal(0, 0.8, (200, 1)) * np.ones(3)
    factor = learn_factors(drawn(np.full(n.shape, 0.5), noise, n, rng), BELIEFS).of_pairs
    assert (factor[100:] == 1).all()
    assert factor[:100].std() > 0


@pytest.mark.parametrize("beliefs", [BELIEFS, YES_OR_NO])
def test_few_repeats_and_answers_of_yes_or_no_tell_no_pairs_apart(
    beliefs: Beliefs, rng: np.random.Generator
) -> None:
    items = 300 if beliefs.yes_or_no else 3
    noise = 0.01 * rng.lognormal(0, 1, (items, 3))
    found = repeated(noise, rng, calls=3, beliefs=beliefs)
    assert (found.of_pairs == 1).all()
    assert (found.freedom, found.spread) == (ALL_ALIKE, 0)
    assert (learn_factors(Moments.none(4, 2), beliefs).of_pairs == 1).all()


def test_ratings_that_never_changed_have_factors_all_the_same() -> None:
    n = np.full((50, 2), 3)
    never = Moments(n=n, mean=np.full(n.shape, 0.5), m2=np.zeros(n.shape))
    factor = learn_factors(never, BELIEFS).of_pairs
    assert np.isfinite(factor).all()
    assert np.ptp(factor) == pytest.approx(0, abs=1e-9)


def test_the_spread_of_sample_variances_beyond_chance_is_that_of_the_true_ones(
    rng: np.random.Generator,
) -> None:
    freedom = rng.integers(1, 30, 20_000).astype(float)
    for shape in (np.inf, 4.0):
        truth = np.ones(freedom.size) if np.isinf(shape) else rng.gamma(shape, 1 / shape, 20_000)
        ratio = truth * rng.chisquare(freedom) / freedom
        found = spread_beyond_chance((ratio - 1) ** 2, freedom, weight=freedom)
        # The chance part of a sample variance is that of the true one: 2/d of 1 + 1/shape.
        most = (1 + 2 * np.average(1 / freedom, weights=freedom)) / shape
        assert 1 / shape - 0.03 < found < most + 0.03
    freedoms = [prior_freedom(spread) for spread in (0.01, 0.1, 1.0)]
    assert freedoms == sorted(freedoms, reverse=True)
    assert prior_freedom(0.0) == ALL_ALIKE
