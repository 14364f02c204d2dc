from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.core.evidence import Allocation
from adjudge.errors import InputError
from adjudge.worlds import BetaWorld, Instance
from adjudge.worlds.beta import EXACT_CALLS, beta_shape, exact_calls, normal_limit, one_by_one
from adjudge.worlds.grouped import SCORES_PER_BLOCK

SHAPES = {
    "flat": (0.5, 1 / 12),
    "two peaks": (0.5, 0.9 * 0.25),
    "two unequal peaks": (0.1, 0.9 * 0.09),
    "one peak": (0.3, 0.02),
    "narrow": (0.9, 1e-4),
    "heavy tail": (0.02, 0.4 * 0.02 * 0.98),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_switch_to_the_normal_limit_cannot_be_seen(shape: str) -> None:
    """Exact and limiting moments, both at the switch, in samples that would show 3 % apart."""
    runs = 4000
    mean, variance = (np.full(runs, value) for value in SHAPES[shape])
    number = np.int64(exact_calls(mean[:1], variance[:1])[0])
    if number > EXACT_CALLS:
        runs = runs * EXACT_CALLS // int(number)
    exact = one_by_one(
        mean[:runs], variance[:runs], np.full(runs, number), np.random.default_rng(31)
    )
    many = 400_000
    limit = normal_limit(
        np.full(many, mean[0]),
        np.full(many, variance[0]),
        np.full(many, number),
        np.random.default_rng(32),
    )
    # The level that a one-sample Kolmogorov-Smirnov statistic passes once in a thousand.
    tolerance = 1.95 / np.sqrt(runs)
    for drawn, limiting in zip(exact, limit, strict=True):
        assert stats.ks_2samp(drawn, limiting).statistic < tolerance
        spread = limiting.std()
        assert abs(drawn.mean() - limiting.mean()) < 4.5 * spread / np.sqrt(runs)
        assert abs(drawn.std() / spread - 1) < 4.5 * np.sqrt(0.5 / runs)
    together, limiting_together = np.corrcoef(*exact)[0, 1], np.corrcoef(*limit)[0, 1]
    assert abs(together - limiting_together) < 4.5 / np.sqrt(runs)


@pytest.mark.parametrize("shape", SHAPES)
def test_skewness_and_kurtosis_are_those_of_the_beta_law(shape: str) -> None:
    mean, variance = SHAPES[shape]
    total = mean * (1 - mean) / variance - 1
    skewness, excess = stats.beta.stats(mean * total, (1 - mean) * total, moments="sk")
    found = beta_shape(np.array([mean]), np.array([variance]))
    np.testing.assert_allclose(np.concatenate(found), [skewness, excess + 3], rtol=1e-9, atol=1e-12)


def test_heavy_tails_are_drawn_one_by_one_for_longer_but_not_for_ever() -> None:
    mean = np.array([0.5, 0.01, 1e-6])
    limit = exact_calls(mean, 0.5 * mean * (1 - mean))
    assert limit[0] == EXACT_CALLS
    assert limit[0] < limit[1] < limit[2] <= 64 * EXACT_CALLS


def test_drawing_in_blocks_gives_the_scores_of_one_long_draw() -> None:
    pairs, number = 100, 1000
    assert pairs * number > SCORES_PER_BLOCK
    mean, variance = np.linspace(0.2, 0.8, pairs), np.full(pairs, 0.01)
    total = (mean * (1 - mean) / variance - 1)[:, np.newaxis]
    alpha, beta = mean[:, np.newaxis] * total, (1 - mean[:, np.newaxis]) * total
    scores = np.random.default_rng(33).beta(alpha, beta, (pairs, number))
    drawn = one_by_one(mean, variance, np.full(pairs, number), np.random.default_rng(33))
    np.testing.assert_allclose(drawn[0], scores.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(drawn[1], scores.var(axis=1) * number, rtol=1e-9)


def test_small_deviations_around_a_large_score_are_not_lost() -> None:
    instance = Instance.of(
        mean=[[1e6 + 0.5]], variance=[[0.01]], price_per_call=[1], score_range=(0.0, 2e6)
    )
    world = BetaWorld.of(instance, low=1e6, high=1e6 + 1)
    drawn = world.draw(Allocation(counts=np.array([[2000]])), np.random.default_rng(34))
    assert drawn.variance[0, 0] == pytest.approx(0.01, rel=0.15)


def test_a_support_of_its_own_holds_all_scores_of_an_item() -> None:
    instance = Instance.of(
        mean=[[0.3, 0.3], [0.6, 0.6]], variance=np.full((2, 2), 0.004), price_per_call=[1, 1]
    )
    low, high = np.array([[0.2], [0.5]]), np.array([[0.4], [0.7]])
    world = BetaWorld.of(instance, low=low, high=high)
    for seed in range(200):
        one = world.draw(Allocation(counts=np.ones((2, 2), np.int64)), np.random.default_rng(seed))
        assert ((one.mean >= low) & (one.mean <= high)).all()


@pytest.mark.parametrize(
    ("change", "bounds", "message"),
    [
        (
            {"variance": [[0.25]]},
            {},
            "variance: 0.25 of item 0, judge 0, whose mean is 0.5; it must",
        ),
        ({"mean": [[0.0]], "variance": [[0.1]]}, {}, r"below \(mean - low\)\(high - mean\) = 0"),
        ({}, {"low": 0.6}, "variance: 0.01 of item 0"),
        ({}, {"low": -1}, "low, high: -1.0 to 1.0 of item 0, judge 0; every support must lie"),
        ({}, {"high": 0}, "low, high: 0.0 to 0.0"),
        ({}, {"low": np.nan}, "low, high: nan to 1.0"),
        ({}, {"low": np.zeros((3, 1))}, r"the bounds must fit the shape \(1, 1\)"),
    ],
)
def test_scores_that_no_beta_law_has_are_refused(
    change: dict[str, object], bounds: dict[str, float], message: str
) -> None:
    instance = Instance.of(
        **{"mean": [[0.5]], "variance": [[0.01]], "price_per_call": [1], **change}
    )
    with pytest.raises(InputError, match=message):
        BetaWorld.of(instance, **bounds)


def test_a_constant_at_the_end_of_the_scale_is_a_beta_world() -> None:
    world = BetaWorld.of(Instance.of(mean=[[1.0]], variance=[[0.0]], price_per_call=[1]))
    drawn = world.draw(Allocation(counts=np.array([[5]])), np.random.default_rng(35))
    assert (drawn.n[0, 0], drawn.mean[0, 0], drawn.m2[0, 0]) == (5, 1.0, 0.0)


def test_scores_of_nearly_the_largest_variance_are_nearly_all_at_the_ends() -> None:
    mean = np.full((1, 1), 0.3)
    world = BetaWorld.of(
        Instance.of(mean=mean, variance=np.nextafter(mean * (1 - mean), 0), price_per_call=[1])
    )
    rng = np.random.default_rng(36)
    seen = [world.draw(Allocation(counts=np.array([[1]])), rng).mean[0, 0] for _ in range(2000)]
    assert set(np.round(seen, 6)) == {0.0, 1.0}
    assert abs(np.mean(seen) - 0.3) < 5 * np.sqrt(0.21 / 2000)
