from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import InputError
from adjudge.worlds import (
    nearest_reachable_variance,
    ordinal_probabilities,
    ordinal_world,
    reachable_variance,
)


@given(mean=st.floats(0, 1), place=st.floats(0, 1), points=st.integers(2, 101))
def test_a_rating_has_exactly_the_mean_and_variance_asked_for(
    mean: float, place: float, points: int
) -> None:
    smallest, largest = reachable_variance(mean, points=points)
    variance = smallest + place * (largest - smallest)
    chance = ordinal_probabilities(mean, variance, points=points)
    levels = np.linspace(0, 1, points)
    assert (chance >= 0).all()
    assert chance.sum() == pytest.approx(1, abs=1e-12)
    assert chance @ levels == pytest.approx(mean, abs=1e-12)
    assert chance @ (levels - mean) ** 2 == pytest.approx(float(variance), abs=1e-12)


def test_the_smallest_variance_uses_two_adjacent_levels() -> None:
    chance = ordinal_probabilities(0.55, 0.2 * 0.8 / 16, points=5)
    np.testing.assert_allclose(chance, [0, 0, 0.8, 0.2, 0], atol=1e-12)


def test_the_largest_variance_uses_the_two_ends() -> None:
    chance = ordinal_probabilities(0.3, 0.21, points=5)
    np.testing.assert_allclose(chance, [0.7, 0, 0, 0, 0.3], atol=1e-12)


def test_a_variance_out_of_reach_is_refused_and_the_nearest_one_taken_on_request() -> None:
    mean, variance = np.array([[0.55, 0.3]]), np.array([[0.001, 0.5]])
    with pytest.raises(InputError, match=r"0.001 with mean 0.55; 5 points reach 0.01 to 0.2475"):
        ordinal_probabilities(mean, variance, points=5)
    nearest = nearest_reachable_variance(mean, variance, points=5)
    np.testing.assert_allclose(nearest, [[0.01, 0.21]])
    world = ordinal_world(mean=mean, variance=nearest, points=5, cost=[1, 1])
    np.testing.assert_allclose(world.instance.mean, mean)
    np.testing.assert_allclose(world.instance.variance, nearest)


@pytest.mark.parametrize(
    ("mean", "points", "message"),
    [
        (0.5, 1, "points: 1; a scale has at least two points"),
        (1.1, 5, "mean: outside 0 to 1"),
        (np.nan, 5, "mean: outside 0 to 1"),
    ],
)
def test_an_impossible_scale_is_refused(mean: float, points: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ordinal_probabilities(mean, 0.1, points=points)


def test_a_variance_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(InputError, match=r"variance: nan with mean 0.5"):
        ordinal_probabilities(0.5, np.nan, points=5)
