import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, digamma

from adjudge.core.bounds import (
    KL_TO_CENTER,
    KL_TO_MIRROR,
    beta_parameters,
    score_radius,
    threshold_budget,
)
from adjudge.core.problem import Problem
from adjudge.errors import InputError

VARIANCE = np.array([[0.04, 0.005], [0.01, 0.04]])
TRUTH = np.array([0.5, 0.4])


def problem(norm=2.0):
    return Problem.of([[1.0, 4.0], [1.0, 4.0]], norm=norm)


def divergence(one, other):
    """KL of two Beta distributions on the same support."""
    value = betaln(other.alpha, other.beta) - betaln(one.alpha, one.beta)
    value += (one.alpha - other.alpha) * digamma(one.alpha)
    value += (one.beta - other.beta) * digamma(one.beta)
    total, other_total = one.alpha + one.beta, other.alpha + other.beta
    return float(value + (other_total - total) * digamma(total))


instances = st.fixed_dictionaries(
    {
        "center": st.floats(-5, 5),
        "radius": st.floats(0.01, 10),
        "share_of_shift": st.floats(-1, 1),
        "share_of_variance": st.floats(0.001, 1),
    }
)


def built(instance, *, sign=1.0):
    return beta_parameters(
        center=instance["center"],
        radius=instance["radius"],
        shift=sign * instance["share_of_shift"] * instance["radius"] / 4,
        variance=instance["share_of_variance"] * instance["radius"] ** 2 / 2,
    )


@settings(deadline=None)
@given(instances)
def test_beta_scores_have_the_shifted_mean_and_the_same_variance(instance):
    scores = built(instance)
    total = scores.alpha + scores.beta
    width = scores.high - scores.low
    mean = scores.low + width * scores.alpha / total
    variance = width**2 * scores.alpha * scores.beta / (total**2 * (total + 1))
    radius = instance["radius"]
    shift = instance["share_of_shift"] * radius / 4
    assert mean == pytest.approx(instance["center"] + shift, abs=1e-9 * (5 + radius))
    assert variance == pytest.approx(instance["share_of_variance"] * radius**2 / 2, rel=1e-9)
    assert scores.low == instance["center"] - radius
    assert scores.high == instance["center"] + radius


@settings(deadline=None)
@given(instances)
def test_shifted_scores_diverge_no_more_than_the_proposition_says(instance):
    plus, none, minus = (built(instance, sign=sign) for sign in (1.0, 0.0, -1.0))
    squares = (instance["share_of_shift"] / 4) ** 2 / (instance["share_of_variance"] / 2)
    slack = 1e-9
    assert max(divergence(plus, none), divergence(none, plus)) <= KL_TO_CENTER * squares + slack
    assert max(divergence(plus, minus), divergence(minus, plus)) <= KL_TO_MIRROR * squares + slack


def test_parameters_of_one_score_are_those_computed_by_hand():
    scores = beta_parameters(center=0.5, radius=0.5, shift=0.125, variance=0.05)
    # d = 1/8, q = 1/20: (1 - 1/16 - 1/5) / (2/5) = 1.84375, times 5/4 and 3/4.
    assert scores.alpha == pytest.approx(2.3046875, rel=1e-12)
    assert scores.beta == pytest.approx(1.3828125, rel=1e-12)
    assert (scores.low, scores.high) == (0.0, 1.0)


def test_parameters_come_for_all_pairs_at_once():
    scores = beta_parameters(
        center=TRUTH[:, None], radius=[[0.5], [0.4]], shift=[[0.1], [-0.1]], variance=VARIANCE
    )
    assert scores.alpha.shape == scores.high.shape == (2, 2)
    one = beta_parameters(center=0.4, radius=0.4, shift=-0.1, variance=0.04)
    assert scores.alpha[1, 1] == one.alpha


def test_a_shift_above_a_quarter_of_the_radius_is_refused():
    with pytest.raises(InputError, match=r"shift: 0.13 .*at most R_k/4 = 0.125"):
        beta_parameters(center=0.5, radius=0.5, shift=0.13, variance=0.05)
    with pytest.raises(InputError, match="shift: nan"):
        beta_parameters(center=0.5, radius=0.5, shift=math.nan, variance=0.05)


def test_a_variance_above_half_the_squared_radius_is_refused():
    with pytest.raises(InputError, match=r"variance: 0.2 at \[1\]; .*R_k\^2/2 = 0.125"):
        beta_parameters(center=0.5, radius=0.5, shift=0.1, variance=[0.1, 0.2])


@pytest.mark.parametrize("field", ["radius", "variance"])
def test_a_radius_or_variance_of_zero_is_refused(field):
    values = {"center": 0.5, "radius": 0.5, "shift": 0.1, "variance": 0.1, field: 0.0}
    with pytest.raises(InputError, match=field):
        beta_parameters(**values)


def test_the_radius_is_the_distance_to_the_nearer_end_of_the_range():
    scale = Problem.of([1.0], items=3, score_range=(1.0, 5.0))
    np.testing.assert_array_equal(score_radius(scale, np.array([1.0, 2.5, 4.0])), [0, 1.5, 1])


def test_a_true_score_outside_the_range_is_refused():
    with pytest.raises(InputError, match=r"truth: 1.5 of item 1 \(1 such\)"):
        score_radius(problem(), np.array([0.5, 1.5]))


def test_the_threshold_has_the_value_computed_by_hand():
    # Euclidean: (sqrt 0.02 + sqrt 0.01) max(sqrt 0.02 / 1, sqrt 0.01 / 0.64).
    root_sum = math.sqrt(0.02) + 0.1
    assert threshold_budget(problem(), VARIANCE, TRUTH) == pytest.approx(0.15625 * root_sum)
    assert threshold_budget(problem(math.inf), VARIANCE, TRUTH) == pytest.approx(0.03 / 0.64)


def test_the_threshold_of_a_large_norm_tends_to_the_infinite_one():
    near = threshold_budget(problem(1e7), VARIANCE, TRUTH)
    assert near == pytest.approx(threshold_budget(problem(math.inf), VARIANCE, TRUTH), rel=1e-5)


def test_a_noisy_item_at_the_end_of_the_range_is_never_hard_enough():
    assert threshold_budget(problem(), VARIANCE, np.array([0.0, 0.4])) == math.inf


def test_items_without_noise_do_not_raise_the_threshold():
    noiseless = np.array([[0.0, 0.0], [0.01, 0.04]])
    expected = 0.01 / 0.64
    assert threshold_budget(problem(), noiseless, np.array([0.0, 0.4])) == pytest.approx(expected)
    assert threshold_budget(problem(), np.zeros((2, 2)), TRUTH) == 0


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 7.0, math.inf])
def test_from_four_times_the_threshold_on_the_hard_shifts_fit(norm):
    """Delta_k = sqrt(sum g^q g_k^(1-q) / B) / 4 reaches R_k/4 for some item at B = 4 B0."""
    hardness = np.array([0.02, 0.01])
    exponent = 1.0 if norm == math.inf else norm / (norm + 2)
    budget = 4 * threshold_budget(problem(norm), VARIANCE, TRUTH)
    squares = np.sum(hardness**exponent) * hardness ** (1 - exponent) / budget
    shift = np.sqrt(squares) / 4
    radius = score_radius(problem(norm), TRUTH)
    assert np.max(shift / radius) == pytest.approx(1 / 4, rel=1e-12)
