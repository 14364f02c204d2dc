import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gennorm

from adjudge.core.bounds import (
    EXPECTATION_FACTOR,
    bounded_expectation_lower,
    bounded_moment_lower,
    bounded_probability_lower,
    gaussian_expectation_lower,
    gaussian_moment_lower,
    gaussian_probability_lower,
    max_entropy,
    van_trees_lower,
)
from adjudge.core.norms import gaussian_moment
from adjudge.core.problem import Problem
from adjudge.errors import InputError

VARIANCE = np.array([[0.04, 0.005], [0.01, 0.04]])
TRUTH = np.array([0.5, 0.4])
ABSOLUTE = (0.02 ** (1 / 3) + 0.01 ** (1 / 3)) ** 3
EUCLIDEAN = (math.sqrt(0.02) + math.sqrt(0.01)) ** 2
MAXIMUM = 0.03
COIN = 0.9 * math.log(19)
MOMENTS = [bounded_moment_lower, gaussian_moment_lower, van_trees_lower]


def problem(norm=2.0, **changes):
    return Problem.of([[1.0, 4.0], [1.0, 4.0]], norm=norm, **changes)


def near_truth(bound):
    """Whether the bound is about true scores near given ones."""
    return {"truth": TRUTH} if bound.__name__.startswith("bounded") else {}


def test_the_constants_are_those_of_the_paper():
    assert pytest.approx(math.exp(-680 / 441) / 16, rel=1e-12) == EXPECTATION_FACTOR


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 7.0])
def test_the_gaussian_moment_is_the_integral_it_stands_for(p):
    density = math.sqrt(2 / math.pi)
    integral, _ = quad(lambda z: density * z**p * math.exp(-(z**2) / 2), 0, math.inf)
    assert gaussian_moment(p) == pytest.approx(integral ** (1 / p), rel=1e-9)


def test_the_gaussian_moment_grows_without_overflow():
    assert gaussian_moment(1e6) == pytest.approx(math.sqrt(1e6 / math.e), rel=1e-3)
    assert gaussian_moment(math.inf) == math.inf


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 7.0])
def test_the_largest_entropy_is_that_of_the_generalised_normal(p):
    # Density proportional to exp(-|x|^p / p), the one of largest entropy with E|X|^p = 1.
    entropy = gennorm(p, scale=p ** (1 / p)).entropy()
    assert max_entropy(p) == pytest.approx(math.exp(entropy), rel=1e-6)


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        # 2p/(2-p) is 2 at p = 1, and A*_inf is the sum of the hardnesses.
        (1.0, math.sqrt(COIN * EUCLIDEAN / (4 * 71485 / 3528 * 100))),
        (2.0, math.sqrt((0.5 - math.exp(-2)) * math.log(20) * MAXIMUM / (4 * 71485 / 3528 * 100))),
        (math.inf, math.sqrt((0.5 - math.exp(-2)) * math.log(20) * 0.03 * 882 / 7_148_500)),
    ],
)
def test_bounded_scores_in_high_probability_have_the_value_computed_by_hand(norm, expected):
    bound = bounded_probability_lower(problem(norm), VARIANCE, 100.0, truth=TRUTH)
    assert bound.value == pytest.approx(expected, rel=1e-9)
    assert bound.holds


@pytest.mark.parametrize(
    ("norm", "objective"), [(1.0, ABSOLUTE), (2.0, EUCLIDEAN), (math.inf, MAXIMUM)]
)
def test_bounds_in_expectation_have_the_values_computed_by_hand(norm, objective):
    bounded = bounded_expectation_lower(problem(norm), VARIANCE, 100.0, truth=TRUTH)
    gaussian = gaussian_expectation_lower(problem(norm), VARIANCE, 100.0)
    assert bounded.value == pytest.approx(0.01337272 * math.sqrt(objective / 100), rel=1e-5)
    assert gaussian.value == pytest.approx(math.sqrt(2 * objective / math.pi) / 10, rel=1e-12)
    assert bounded.holds
    assert gaussian.holds


def test_bounds_of_the_moment_have_the_values_computed_by_hand():
    scale = math.sqrt(ABSOLUTE / 100)
    bounded = bounded_moment_lower(problem(1.0), VARIANCE, 100.0, truth=TRUTH)
    assert bounded.value == pytest.approx(math.exp(-680 / 441) / 16 * scale, rel=1e-12)
    gaussian = gaussian_moment_lower(problem(1.0), VARIANCE, 100.0)
    assert gaussian.value == pytest.approx(math.sqrt(2 / math.pi) * scale, rel=1e-12)
    van_trees = van_trees_lower(problem(1.0), VARIANCE, 100.0)
    assert van_trees.value == pytest.approx(math.sqrt(math.pi / (2 * math.e)) * scale, rel=1e-12)
    euclidean = bounded_moment_lower(problem(2.0), VARIANCE, 100.0, truth=TRUTH)
    expected = 2 * math.exp(-680 / 441) / 16 * math.sqrt(2 * EUCLIDEAN / 100)
    assert euclidean.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("norm", "objective"), [(1.0, EUCLIDEAN), (2.0, MAXIMUM), (7.0, MAXIMUM)])
def test_gaussian_scores_in_high_probability_have_the_value_computed_by_hand(norm, objective):
    bound = gaussian_probability_lower(problem(norm), VARIANCE, 100.0)
    assert bound.value == pytest.approx(math.sqrt(COIN * objective / 200), rel=1e-12)
    assert bound.holds


def test_one_gaussian_item_needs_the_calls_of_its_normal_quantile():
    """A mean of n calls errs by z sigma / sqrt(n); the bound on any method is below that."""
    single = Problem.of([[1.0]], confidence=0.95)
    bound = gaussian_probability_lower(single, np.array([[1.0]]), 1.0).value
    assert bound < 1.959964
    assert bound > 0.5 * 1.959964


@pytest.mark.parametrize("bound", MOMENTS)
def test_moments_need_a_finite_norm_and_say_so(bound):
    refused = bound(problem(math.inf), VARIANCE, 100.0, **near_truth(bound))
    assert math.isnan(refused.value)
    assert refused.unmet == ("norm inf has no p-th moment; p must be finite",)


@pytest.mark.parametrize(
    "bound",
    [bounded_expectation_lower, bounded_probability_lower, gaussian_expectation_lower],
)
def test_bounds_of_a_large_norm_tend_to_the_infinite_one(bound):
    near = bound(problem(1e7), VARIANCE, 100.0, **near_truth(bound)).value
    limit = bound(problem(math.inf), VARIANCE, 100.0, **near_truth(bound)).value
    assert near == pytest.approx(limit, rel=1e-5)


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 7.0])
def test_one_item_and_one_judge_have_their_variance_as_objective(norm):
    single = Problem.of([[2.0]], norm=norm)
    variance = np.array([[0.02]])
    scale = math.sqrt(0.04 / 100)
    moment = gaussian_moment_lower(single, variance, 100.0).value
    assert moment == pytest.approx(gaussian_moment(norm) * scale, rel=1e-12)
    bounded = bounded_expectation_lower(single, variance, 100.0, truth=np.array([0.5]))
    assert bounded.value == pytest.approx(EXPECTATION_FACTOR * scale, rel=1e-12)


@pytest.mark.parametrize(
    "bound", [bounded_probability_lower, bounded_expectation_lower, bounded_moment_lower]
)
def test_variances_too_wide_for_the_hard_instances_are_named(bound):
    wide = bound(problem(), VARIANCE, 1e6, truth=np.array([0.5, 0.2]))
    assert wide.unmet == ("sigma2 0.04 of item 1 is above R_k^2/2 = 0.02 (1 such items)",)


def test_a_wide_judge_that_may_not_be_asked_does_no_harm():
    masked = problem(mask=[[True, True], [True, False]])
    assert bounded_expectation_lower(masked, VARIANCE, 1e6, truth=np.array([0.5, 0.2])).holds


def test_a_budget_below_the_threshold_is_named():
    # 4 B0 = 4 * 0.15625 (sqrt 0.02 + 0.1), and p times that for the p-th moment.
    expectation = bounded_expectation_lower(problem(), VARIANCE, 0.15, truth=TRUTH)
    assert expectation.unmet == ("budget 0.15 is below 4 B0 = 0.150888",)
    moment = bounded_moment_lower(problem(), VARIANCE, 0.3, truth=TRUTH)
    assert moment.unmet == ("budget 0.3 is below 4 p B0 = 0.301777",)
    assert bounded_moment_lower(problem(), VARIANCE, 0.302, truth=TRUTH).holds


def test_a_delta_too_large_for_the_proof_is_named():
    bound = bounded_probability_lower(problem(confidence=0.75), VARIANCE, 100.0, truth=TRUTH)
    assert bound.unmet == ("delta 0.25 is above exp(-2) = 0.135335",)
    gaussian = gaussian_probability_lower(problem(confidence=0.25), VARIANCE, 100.0)
    assert gaussian.unmet == ("delta 0.75 is above 1/2",)


def test_a_bound_beyond_the_room_of_the_scores_is_named():
    bound = bounded_probability_lower(problem(), VARIANCE, 0.01, truth=TRUTH)
    assert bound.unmet == ("the bound 0.201088 is above min_k R_k/8 = 0.05",)


@pytest.mark.parametrize(
    "bound",
    [
        bounded_probability_lower,
        bounded_expectation_lower,
        bounded_moment_lower,
        gaussian_probability_lower,
        gaussian_expectation_lower,
        gaussian_moment_lower,
        van_trees_lower,
    ],
)
def test_a_budget_or_variance_that_makes_no_sense_is_refused(bound):
    with pytest.raises(InputError, match="budget"):
        bound(problem(), VARIANCE, math.nan, **near_truth(bound))
    with pytest.raises(InputError, match="variance"):
        bound(problem(), -VARIANCE, 100.0, **near_truth(bound))
    with pytest.raises(InputError, match="variance"):
        bound(problem(), VARIANCE[0], 100.0, **near_truth(bound))
