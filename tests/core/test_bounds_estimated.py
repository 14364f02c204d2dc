import math

import numpy as np
import pytest

from adjudge.core.allocation import optimal_shares
from adjudge.core.bounds import (
    est_ivwe_bounded_upper,
    est_ivwe_bounded_upper_unexpanded,
    est_ivwe_gaussian_upper,
    est_ivwe_gaussian_upper_unexpanded,
)
from adjudge.core.norms import power_norm
from adjudge.core.problem import Problem
from adjudge.core.variance import variance_margin
from adjudge.errors import InputError

COST = [[1.0, 4.0], [1.0, 4.0]]
VARIANCE = np.array([[0.04, 0.005], [0.01, 0.04]])
LOG_ITEMS = math.log(160)
LOG_PAIRS = math.log(320)
MARGIN = math.sqrt(2 * LOG_PAIRS / 9)


def problem(norm=2.0, **changes):
    return Problem.of(COST, norm=norm, **changes)


def test_the_margin_has_the_value_computed_by_hand():
    assert variance_margin(problem(), pilot=10) == pytest.approx(MARGIN, rel=1e-12)
    wide = problem(score_range=(1.0, 5.0))
    assert variance_margin(wide, pilot=10) == pytest.approx(4 * MARGIN, rel=1e-12)


def test_a_mask_shrinks_the_margin_to_the_pairs_that_may_be_asked():
    masked = problem(mask=[[True, False], [True, True]])
    expected = math.sqrt(2 * math.log(240) / 9)
    assert variance_margin(masked, pilot=10) == pytest.approx(expected, rel=1e-12)


def test_bounded_scores_under_the_euclidean_norm_have_the_value_computed_by_hand():
    # Prices of the best judges 4 and 1: C1 = 2 (2 + 1); a pilot call of every pair costs 10.
    bound = est_ivwe_bounded_upper(problem(), VARIANCE, 10_000.0, pilot=10)
    objective = (math.sqrt(0.02) + math.sqrt(0.01)) ** 2
    expected = math.sqrt(2 * objective * LOG_ITEMS / 10_000)
    expected += math.sqrt(4 * LOG_ITEMS / 10_000) * 6 * MARGIN
    expected += 2 * LOG_ITEMS / 10_000 * (objective / MARGIN**2 + 36)
    expected += 100 * math.sqrt(2 * objective * LOG_ITEMS) / 10_000**1.5
    assert bound.value == pytest.approx(expected, rel=1e-12)
    assert bound.holds


def test_bounded_scores_under_the_absolute_norm_have_the_value_computed_by_hand():
    # q = 2/3: the price norm is (2^(2/3) + 1)^(3/2).
    bound = est_ivwe_bounded_upper(problem(1.0), VARIANCE, 10_000.0, pilot=10)
    objective = (0.02 ** (1 / 3) + 0.01 ** (1 / 3)) ** 3
    price = (2 ** (2 / 3) + 1) ** 1.5
    first = 3 * price
    second = 1.5 * objective ** (1 / 6) * (2 * price) ** (2 / 3)
    expected = math.sqrt(2 * objective * LOG_ITEMS / 10_000) * 1.01
    expected += math.sqrt(4 * LOG_ITEMS / 10_000) * (first * MARGIN + second * MARGIN ** (2 / 3))
    expected += (
        2 * LOG_ITEMS / 10_000 * (objective / MARGIN**2 + first**2 + second**2 * MARGIN ** (-2 / 3))
    )
    assert bound.value == pytest.approx(expected, rel=1e-12)


def test_the_unexpanded_bound_has_the_value_computed_by_hand():
    # Judge 0 is the cheaper one for both items once 2 tau is added to the deviations.
    bound = est_ivwe_bounded_upper_unexpanded(problem(), VARIANCE, 10_000.0, pilot=10)
    first, second = 0.2 + 2 * MARGIN, 0.1 + 2 * MARGIN
    expected = (first + second) * math.sqrt(2 * LOG_ITEMS / 9_900)
    deviation = (first + second) * math.hypot(first, second) / MARGIN**2
    expected += deviation * LOG_ITEMS / 29_700
    assert bound.value == pytest.approx(expected, rel=1e-12)
    assert bound.holds


def test_gaussian_scores_have_the_value_computed_by_hand():
    bound = est_ivwe_gaussian_upper(problem(math.inf), VARIANCE, 10_000.0, pilot=94)
    expected = math.sqrt(13 * 0.03 * LOG_ITEMS / 20_000)
    expected += 940 * math.sqrt(6.5 * 0.03 * LOG_ITEMS) / 10_000**1.5
    assert bound.value == pytest.approx(expected, rel=1e-12)
    assert bound.holds


def test_the_paper_s_pilot_inflates_the_gaussian_rate_by_at_most_13_quarters():
    pilot = 1 + math.ceil(16 * LOG_PAIRS)
    bound = est_ivwe_gaussian_upper_unexpanded(problem(), VARIANCE, 10_000.0, pilot=pilot)
    objective = (math.sqrt(0.02) + math.sqrt(0.01)) ** 2
    inflation = bound.value**2 * (10_000 - 10 * pilot) / (2 * objective * LOG_ITEMS)
    assert 3.2 < inflation <= 13 / 4


def test_a_pilot_of_more_than_half_the_budget_is_named():
    complaint = ("budget 199 is below 2 N0 C = 200, twice the pilot's price",)
    assert est_ivwe_bounded_upper(problem(), VARIANCE, 199.0, pilot=10).unmet == complaint
    assert est_ivwe_bounded_upper(problem(), VARIANCE, 200.0, pilot=10).holds


def test_a_pilot_too_short_for_gaussian_variances_is_named():
    bound = est_ivwe_gaussian_upper(problem(), VARIANCE, 10_000.0, pilot=93)
    assert bound.unmet == ("pilot 93 is below 1 + 16 log(4KJ/delta) = 93.2931",)
    short = est_ivwe_gaussian_upper_unexpanded(problem(), VARIANCE, 10_000.0, pilot=24)
    assert short.unmet == ("pilot 24 is not above 1 + 4 log(4KJ/delta) = 24.0733",)
    assert math.isnan(short.value)


@pytest.mark.parametrize(
    "bound", [est_ivwe_bounded_upper_unexpanded, est_ivwe_gaussian_upper_unexpanded]
)
def test_nothing_left_after_the_pilot_is_named_and_has_no_value(bound):
    spent = bound(problem(), VARIANCE, 1_000.0, pilot=100)
    assert math.isnan(spent.value)
    assert spent.unmet == ("budget 1000 is not above N0 C = 1000, the pilot's price",)


def test_one_call_per_pair_is_no_pilot():
    for bound in (est_ivwe_bounded_upper, est_ivwe_gaussian_upper_unexpanded):
        with pytest.raises(InputError, match="pilot: 1 calls"):
            bound(problem(), VARIANCE, 1_000.0, pilot=1)


@pytest.mark.parametrize("bound", [est_ivwe_bounded_upper, est_ivwe_bounded_upper_unexpanded])
def test_a_large_budget_approaches_the_oracle_s_rate(bound):
    budget = 1e15
    pilot = round((2 * budget) ** (1 / 3) * LOG_PAIRS ** (2 / 3))
    leading = math.sqrt(2 * (math.sqrt(0.02) + math.sqrt(0.01)) ** 2 * LOG_ITEMS / budget)
    assert bound(problem(), VARIANCE, budget, pilot=pilot).value == pytest.approx(leading, rel=0.2)


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_variances_of_zero_leave_a_finite_bound(norm):
    bound = est_ivwe_bounded_upper(problem(norm), np.zeros((2, 2)), 10_000.0, pilot=10)
    assert 0 < bound.value < math.inf


def sandwiched(sample_deviation, deviation, margin):
    """Share of runs in which sigma <= sigma_hat + tau <= sigma + 2 tau for all pairs."""
    return np.all(np.abs(sample_deviation - deviation) <= margin, axis=1).mean()


def test_optimistic_deviations_of_bernoulli_scores_lie_in_the_sandwich():
    rng = np.random.default_rng(30)
    given = Problem.of([1.0, 1.0], items=2, confidence=0.6)
    pilot, chance = 200, np.array([0.5, 0.2, 0.03, 0.001])
    hits = rng.binomial(pilot, chance, size=(20_000, 4))
    sample = np.sqrt(hits * (pilot - hits) / (pilot * (pilot - 1)))
    kept = sandwiched(sample, np.sqrt(chance * (1 - chance)), variance_margin(given, pilot=pilot))
    assert kept > 0.8 - 5 * math.sqrt(0.16 / 20_000)


def test_optimistic_deviations_of_beta_scores_lie_in_the_sandwich():
    rng = np.random.default_rng(31)
    given = Problem.of([1.0, 1.0, 1.0], items=1, confidence=0.6)
    alpha, beta = np.array([2.0, 0.3, 0.05]), np.array([3.0, 0.3, 0.5])
    pilot, runs = 100, 2_000
    sample = rng.beta(alpha, beta, size=(pilot, runs, 3)).std(axis=0, ddof=1)
    deviation = np.sqrt(alpha * beta / (alpha + beta + 1)) / (alpha + beta)
    kept = sandwiched(sample, deviation, variance_margin(given, pilot=pilot))
    assert kept > 0.8 - 5 * math.sqrt(0.16 / runs)


@pytest.mark.parametrize("pilot", [20, 100])
def test_gaussian_sample_variances_lie_in_the_sandwich(pilot):
    """Laurent and Massart: both tails at log(2KJ/delta), 100,000 runs, 5 standard errors."""
    rng = np.random.default_rng(32)
    delta, pairs, runs = 0.4, 4, 100_000
    ratio = math.log(2 * pairs / delta) / (pilot - 1)
    sample = rng.chisquare(pilot - 1, size=(runs, pairs)) / (pilot - 1)
    above = sample <= 1 + 2 * math.sqrt(ratio) + 2 * ratio
    below = sample >= 1 - 2 * math.sqrt(ratio)
    kept = np.all(above & below, axis=1).mean()
    assert kept > 1 - delta - 5 * math.sqrt(delta * (1 - delta) / runs)


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_est_ivwe_on_gaussian_scores_keeps_its_bound(norm):
    """Pilot variances as scaled chi-squares, second-phase means as normals, 2,000 runs."""
    rng = np.random.default_rng(33)
    given = problem(norm, confidence=0.8)
    pilot, budget, runs = 80, 5_000.0, 2_000
    bound = est_ivwe_gaussian_upper_unexpanded(given, VARIANCE, budget, pilot=pilot)
    assert bound.holds
    left = budget - pilot * 10
    kept = 0
    for _ in range(runs):
        learnt = VARIANCE * rng.chisquare(pilot - 1, size=(2, 2)) / (pilot - 1)
        calls = left * optimal_shares(given, learnt) / given.price_per_call
        judge = calls.argmax(axis=1)
        spread = VARIANCE[[0, 1], judge] / calls[[0, 1], judge]
        error = np.abs(rng.standard_normal(2)) * np.sqrt(spread)
        kept += power_norm(error, norm) <= bound.value
    assert kept / runs > 0.8 - 5 * math.sqrt(0.16 / runs)


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_est_ivwe_on_bernoulli_scores_keeps_its_bound(norm):
    """Both phases simulated with whole calls, 1,000 runs."""
    rng = np.random.default_rng(34)
    given = Problem.of([1.0, 2.0], items=2, norm=norm, confidence=0.8)
    truth = np.array([[0.3], [0.02]])
    variance = np.broadcast_to(truth * (1 - truth), (2, 2))
    pilot, budget, runs = 400, 10_000.0, 1_000
    margin = variance_margin(given, pilot=pilot)
    bound = est_ivwe_bounded_upper_unexpanded(given, variance, budget, pilot=pilot)
    assert bound.holds
    kept = 0
    for _ in range(runs):
        hits = rng.binomial(pilot, truth, size=(2, 2))
        learnt = np.sqrt(hits * (pilot - hits) / (pilot * (pilot - 1))) + margin
        calls = (budget - pilot * 6) * optimal_shares(given, learnt**2) / given.price_per_call
        whole = np.floor(calls.max(axis=1)).astype(int)
        error = np.abs(rng.binomial(whole, truth[:, 0]) / whole - truth[:, 0])
        kept += power_norm(error, norm) <= bound.value
    assert kept / runs > 0.8 - 5 * math.sqrt(0.16 / runs)
