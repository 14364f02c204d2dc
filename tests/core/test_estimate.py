import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.estimate import (
    Estimate,
    inverse_variance_weights,
    plain_estimate,
    plain_weights,
)
from adjudge.core.evidence import Moments
from adjudge.core.problem import Problem
from adjudge.errors import InputError


def moments(n: list[list[int]], mean: list[list[float]]) -> Moments:
    counts = np.array(n)
    return Moments(n=counts, mean=np.array(mean, float), m2=np.zeros(counts.shape))


def test_ivwe_on_a_case_worked_by_hand() -> None:
    problem = Problem.of([1.0, 1.0], items=1)
    seen = moments([[2, 3]], [[0.4, 0.7]])
    variance = np.array([[0.1, 0.3]])
    estimate = Estimate.of(problem, inverse_variance_weights(seen, variance), seen, variance)
    assert estimate.score[0] == pytest.approx((2 / 0.1 * 0.4 + 3 / 0.3 * 0.7) / (20 + 10))
    assert estimate.variance[0] == pytest.approx(1 / 30)


@given(
    arrays(np.int64, (4, 3), elements=st.integers(0, 5)),
    arrays(float, (4, 3), elements=st.floats(0, 1)),
    arrays(float, (4, 3), elements=st.just(0.0) | st.floats(1e-9, 1e9)),
)
def test_weights_are_shares_of_the_judges_that_gave_scores(
    n: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> None:
    seen = Moments(n=n, mean=np.where(n > 0, mean, 0), m2=np.zeros(n.shape))
    for weights in (
        inverse_variance_weights(seen, variance),
        plain_weights(Problem.of([1.0] * 3, items=4), seen),
    ):
        assert (weights >= 0).all()
        assert not weights[n == 0].any()
        assert np.allclose(weights.sum(axis=1), (n.sum(axis=1) > 0).astype(float))


@given(st.floats(1e-200, 1e200))
def test_the_unit_of_the_variance_changes_no_weight(unit: float) -> None:
    seen = moments([[2, 3], [1, 0]], [[0.4, 0.7], [0.5, 0]])
    variance = np.array([[0.1, 0.3], [0.2, 0.1]])
    assert np.allclose(
        inverse_variance_weights(seen, variance), inverse_variance_weights(seen, variance * unit)
    )


def test_judges_without_noise_share_their_item_by_their_counts() -> None:
    seen = moments([[1, 3, 5]], [[0.2, 0.6, 0.9]])
    weights = inverse_variance_weights(seen, np.array([[0.0, 0.0, 0.1]]))
    assert weights.tolist() == [[0.25, 0.75, 0.0]]


def test_an_item_never_scored_gets_the_mean_of_the_others_and_the_whole_range() -> None:
    problem = Problem.of([1.0], items=3)
    estimate = plain_estimate(problem, moments([[1], [1], [0]], [[0.2], [0.6], [0]]))
    assert estimate.score[2] == pytest.approx(0.4)
    assert estimate.variance[2] == 0.25
    interval = estimate.interval(0.9)
    assert (interval.low[2], interval.high[2]) == (0, 1)


def test_without_any_score_every_item_stands_in_the_middle() -> None:
    problem = Problem.of([1.0], items=2, score_range=(1, 5))
    estimate = plain_estimate(problem, Moments.none(2, 1))
    assert estimate.score.tolist() == [3, 3]
    assert estimate.interval().width.tolist() == [4, 4]


def test_a_judge_without_weight_counts_where_no_other_spoke() -> None:
    problem = Problem.of([1.0, 1.0], items=2, weights=[0, 1])
    weights = plain_weights(problem, moments([[1, 1], [1, 0]], [[0.2, 0.4], [0.3, 0]]))
    assert weights.tolist() == [[0, 1], [1, 0]]


def test_known_variances_give_normal_intervals_and_few_scores_wider_ones() -> None:
    problem = Problem.of([1.0], items=1, score_range=(-100, 100))
    seen, variance = moments([[4]], [[0.5]]), np.array([[4.0]])
    weights = np.ones((1, 1))
    known = Estimate.of(problem, weights, seen, variance).interval(0.95)
    assert known.width[0] == pytest.approx(2 * 1.959964, rel=1e-6)
    learned = Estimate.of(problem, weights, seen, variance, freedom=np.array([3.0])).interval(0.95)
    assert learned.width[0] == pytest.approx(2 * 3.182446, rel=1e-6)
    assert known.covers(np.array([0.5]))[0]
    assert not known.covers(np.array([3.0]))[0]


@pytest.mark.parametrize("level", [0.0, 1.0, -1.0, math.nan])
def test_a_level_that_is_no_probability_is_refused(level: float) -> None:
    estimate = plain_estimate(Problem.of([1.0], items=2), Moments.none(2, 1))
    with pytest.raises(InputError, match=r"level: .* it must lie between 0 and 1"):
        estimate.interval(level)


@pytest.mark.parametrize("norm", [1.0, 2.0, 3.5, math.inf])
def test_the_predicted_error_is_the_error_of_normal_scores(
    norm: float, rng: np.random.Generator
) -> None:
    variance = rng.lognormal(-3, 1, 300)
    problem = Problem.of([1.0], items=300, norm=norm, score_range=(-99, 99))
    seen = Moments(n=np.ones((300, 1), int), mean=np.zeros((300, 1)), m2=np.zeros((300, 1)))
    estimate = Estimate.of(problem, np.ones((300, 1)), seen, variance[:, None])
    errors = np.linalg.norm(rng.standard_normal((4000, 300)) * np.sqrt(variance), norm, axis=1)
    finite = 1 if norm == math.inf else norm
    measured = np.mean(errors**finite) ** (1 / finite)
    assert estimate.norm_error() == pytest.approx(measured, rel=0.02)


def test_plain_intervals_cover_the_truth_at_their_level(rng: np.random.Generator) -> None:
    """Of homogeneous judges asked several times each: the model that the formula assumes."""
    problem = Problem.of([1.0, 1.0], items=4000, score_range=(-50, 50))
    truth = rng.uniform(0, 1, (4000, 1))
    draws = truth[..., None] + rng.standard_normal((4000, 2, 5))
    seen = Moments(n=np.full((4000, 2), 5), mean=draws.mean(axis=2), m2=draws.var(axis=2) * 5)
    covered = plain_estimate(problem, seen).interval(0.9).covers(truth[:, 0]).mean()
    assert abs(covered - 0.9) < 0.03
