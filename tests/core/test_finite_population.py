"""What a random sample of items tells of all of them."""

import math

import numpy as np
import pytest
from scipy.stats import beta, hypergeom

from adjudge.core.arrays import FloatArray
from adjudge.core.finite_population import (
    RandomSample,
    SampledDifference,
    population_mean_interval,
    prediction_interval,
)


def yes_and_no(yes: int, no: int) -> FloatArray:
    return np.array([1.0] * yes + [0.0] * no)


@pytest.mark.parametrize(("yes", "no"), [(0, 5), (5, 0), (19, 1), (12, 8), (3, 37)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_yes_and_no_have_the_exact_interval_of_a_finite_population(
    yes: int, no: int, level: float
) -> None:
    items, drawn, tail = 60, yes + no, (1 - level) / 2
    possible = [
        all_yes
        for all_yes in range(yes, items - no + 1)
        if hypergeom.sf(yes - 1, items, all_yes, drawn) > tail
        and hypergeom.cdf(yes, items, all_yes, drawn) > tail
    ]
    found = population_mean_interval(yes_and_no(yes, no), items, level)
    assert found == pytest.approx((possible[0] / items, possible[-1] / items))


@pytest.mark.parametrize(("yes", "no"), [(0, 5), (20, 0), (97, 3)])
def test_yes_and_no_of_all_items_of_their_kind_have_clopper_and_pearsons_interval(
    yes: int, no: int
) -> None:
    low = beta.ppf(0.025, yes, no + 1) if yes else 0.0
    high = beta.ppf(0.975, yes + 1, no) if no else 1.0
    found = population_mean_interval(yes_and_no(yes, no), math.inf, 0.95)
    assert found == pytest.approx((low, high))


def test_a_population_that_was_seen_whole_has_its_mean() -> None:
    assert population_mean_interval(np.array([0.2, 0.4]), 2, 0.95) == pytest.approx((0.3, 0.3))


@pytest.mark.parametrize("size", [6, 30, 60])
@pytest.mark.parametrize("law", ["rare and far", "two points", "uniform"])
def test_means_of_any_law_lie_within_their_interval_at_its_level(
    law: str, size: int, rng: np.random.Generator
) -> None:
    """Tolerance of four standard errors."""
    runs, items, level = 150, 80, 0.9
    held = 0
    for _ in range(runs):
        uniform = rng.random(items)
        scores = {
            "rare and far": np.where(uniform < 0.03, 0.0, 0.95),
            "two points": np.where(uniform < 0.4, 0.3, 0.8),
            "uniform": uniform,
        }[law]
        drawn = rng.permutation(scores)[:size]
        low, high = population_mean_interval(drawn, items, level)
        held += low <= scores.mean() <= high
    assert held / runs >= level - 4 * math.sqrt(level * (1 - level) / runs)


def test_equal_scores_leave_room_for_those_that_were_not_seen() -> None:
    low, high = population_mean_interval(np.full(6, 0.25), 40, 0.95)
    assert low < 0.2
    assert high > 0.5


def test_the_interval_does_not_depend_on_the_scale() -> None:
    scores = np.array([0.1, 0.5, 0.45, 0.8])
    below, above = RandomSample(scores=scores, population=10, score_range=(0, 1)).reach(0.9)
    wide = RandomSample(scores=1 + 4 * scores, population=10, score_range=(1, 5)).reach(0.9)
    assert wide == pytest.approx((4 * below, 4 * above), abs=1e-5)


def test_a_difference_reaches_as_far_as_both_samples_together() -> None:
    first = RandomSample(scores=yes_and_no(18, 2), population=50, score_range=(0, 1))
    second = RandomSample(scores=yes_and_no(5, 15), population=50, score_range=(0, 1))
    below, above = SampledDifference(first=first, second=second).reach(0.9)
    assert below == pytest.approx(math.hypot(first.reach(0.9)[0], second.reach(0.9)[1]))
    assert above == pytest.approx(math.hypot(first.reach(0.9)[1], second.reach(0.9)[0]))


def test_too_few_scores_predict_nothing_and_more_predict_by_their_ranks() -> None:
    assert prediction_interval(np.full(6, 0.2), (0, 1), 0.95) == (0, 1)
    assert prediction_interval(np.full(38, 0.2), (0, 1), 0.95) == (0, 1)
    ranks = np.arange(1, 40) / 40
    assert prediction_interval(ranks, (0, 1), 0.95) == pytest.approx((1 / 40, 39 / 40))
    assert prediction_interval(ranks, (0, 1), 0.9) == pytest.approx((2 / 40, 38 / 40))


def test_no_scores_predict_nothing() -> None:
    assert prediction_interval(np.empty(0), (1, 5), 0.5) == (1, 5)
