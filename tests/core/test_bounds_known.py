import math

import numpy as np
import pytest

from adjudge.core.allocation import optimal_shares
from adjudge.core.bounds import (
    Bound,
    ivwe_bounded_upper,
    ivwe_gaussian_moment_upper,
    ivwe_gaussian_upper,
)
from adjudge.core.norms import power_norm
from adjudge.core.problem import Problem
from adjudge.errors import InputError

COST = [[1.0, 4.0], [1.0, 4.0]]
VARIANCE = np.array([[0.04, 0.005], [0.01, 0.04]])
# The best judges are 1 and 0, the hardness of the items 0.02 and 0.01.
ROOT_SUM = math.sqrt(0.02) + math.sqrt(0.01)


def problem(norm=2.0, **changes):
    return Problem.of(COST, norm=norm, **changes)


def test_a_bound_holds_when_no_condition_is_unmet():
    assert Bound(value=1.0).holds
    assert not Bound(value=1.0, unmet=("budget 1 is below 2",)).holds


def test_the_oracle_on_bounded_scores_has_the_value_computed_by_hand():
    bound = ivwe_bounded_upper(problem(), VARIANCE, 100.0)
    # Shares sqrt(g)/sum: c/w = 4/0.585786 and 1/0.414214, of 2-norm 3 sqrt(2) + 3.
    log_items = math.log(80)
    expected = math.sqrt(2 * ROOT_SUM**2 * log_items / 100)
    expected += (3 * math.sqrt(2) + 3) * log_items / 300
    assert bound.value == pytest.approx(expected, rel=1e-12)
    assert bound.holds


@pytest.mark.parametrize(
    ("norm", "objective"),
    [
        (1.0, (0.02 ** (1 / 3) + 0.01 ** (1 / 3)) ** 3),
        (2.0, ROOT_SUM**2),
        (math.inf, 0.03),
    ],
)
def test_the_oracle_on_gaussian_scores_has_the_value_computed_by_hand(norm, objective):
    bound = ivwe_gaussian_upper(problem(norm), VARIANCE, 100.0)
    assert bound.value == pytest.approx(math.sqrt(2 * objective * math.log(80) / 100), rel=1e-12)


def test_uniform_shares_have_the_value_computed_by_hand():
    shares = np.full((2, 2), 0.25)
    # I = 0.25 (1/0.04 + 1/0.02), 0.25 (1/0.01 + 1/0.16); smallest variances 0.005 and 0.01.
    information = [18.75, 26.5625]
    worst = max(1 / (0.005 * information[0]), 1 / (0.01 * information[1]))
    bound = ivwe_bounded_upper(problem(math.inf), VARIANCE, 100.0, shares=shares)
    log_items = math.log(80)
    expected = math.sqrt(2 / information[0] * log_items / 100) + worst * log_items / 300
    assert bound.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 7.0, math.inf])
def test_the_oracle_is_what_its_shares_give(norm):
    shares = optimal_shares(problem(norm), VARIANCE)
    for bound in (ivwe_bounded_upper, ivwe_gaussian_upper):
        assert bound(problem(norm), VARIANCE, 50.0).value == pytest.approx(
            bound(problem(norm), VARIANCE, 50.0, shares=shares).value, rel=1e-12
        )


def test_no_shares_beat_the_oracle_on_gaussian_scores():
    rng = np.random.default_rng(7)
    for norm in (1.0, 2.0, math.inf):
        best = ivwe_gaussian_upper(problem(norm), VARIANCE, 100.0).value
        for shares in rng.dirichlet(np.ones(4), size=50):
            other = ivwe_gaussian_upper(problem(norm), VARIANCE, 100.0, shares=shares.reshape(2, 2))
            assert best <= other.value * (1 + 1e-12)


def test_one_item_and_one_judge_are_a_plain_mean():
    single = Problem.of([[2.0]], norm=1.5)
    bound = ivwe_bounded_upper(single, np.array([[0.09]]), 20.0)
    log_items = math.log(40)
    expected = math.sqrt(2 * 0.09 * log_items / 10) + log_items / 30
    assert bound.value == pytest.approx(expected, rel=1e-12)


def test_a_large_norm_tends_to_the_infinite_one():
    for bound in (ivwe_bounded_upper, ivwe_gaussian_upper):
        near = bound(problem(1e7), VARIANCE, 100.0).value
        assert near == pytest.approx(bound(problem(math.inf), VARIANCE, 100.0).value, rel=1e-5)


def test_the_moment_of_an_infinite_norm_is_refused_by_name():
    bound = ivwe_gaussian_moment_upper(problem(math.inf), VARIANCE, 100.0)
    assert math.isnan(bound.value)
    assert bound.unmet == ("norm inf has no p-th moment; p must be finite",)


def test_shares_that_cannot_be_bought_are_named():
    shares = np.array([[0.8, 0.8], [0.0, 0.0]])
    bound = ivwe_gaussian_upper(problem(), VARIANCE, 4.0, shares=shares)
    assert bound.value == math.inf
    assert bound.unmet == (
        "the shares add up to 1.6, above 1",
        "item 1 has no share (1 such items)",
        "the share of item 0, judge 1 buys 0.8 of a call (1 such pairs)",
    )


def test_a_share_of_a_forbidden_pair_is_named():
    masked = problem(mask=[[True, False], [True, True]])
    bound = ivwe_gaussian_upper(masked, VARIANCE, 400.0, shares=np.full((2, 2), 0.25))
    assert bound.unmet == ("judge 1 may not be asked about item 0 (1 such pairs)",)


def test_a_budget_or_shape_that_makes_no_sense_is_refused():
    with pytest.raises(InputError, match="budget"):
        ivwe_gaussian_upper(problem(), VARIANCE, 0.0)
    with pytest.raises(InputError, match="variance"):
        ivwe_gaussian_upper(problem(), VARIANCE[:1], 100.0)
    with pytest.raises(InputError, match="shares"):
        ivwe_gaussian_upper(problem(), VARIANCE, 100.0, shares=np.ones(4))


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, 7.0])
def test_the_oracle_attains_its_moment_on_gaussian_scores(norm):
    """Normal errors of variance c sigma² / (B w), one million draws, 5 standard errors."""
    rng = np.random.default_rng(20)
    given, budget = problem(norm), 100.0
    shares = optimal_shares(given, VARIANCE)
    spread = 1 / (budget * (shares / (given.price_per_call * VARIANCE)).sum(axis=1))
    errors = rng.standard_normal((1_000_000, 2)) * np.sqrt(spread)
    powers = (np.abs(errors) ** norm).sum(axis=1)
    expected = ivwe_gaussian_moment_upper(given, VARIANCE, budget).value ** norm
    standard_error = powers.std() / math.sqrt(powers.size)
    assert abs(powers.mean() - expected) < 5 * standard_error


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_the_error_stays_within_the_bounds_as_often_as_promised(norm):
    """Bernoulli scores of one judge, whole calls, 20,000 runs, 5 standard errors."""
    rng = np.random.default_rng(21)
    truth = np.array([0.5, 0.1, 0.02])
    given = Problem.of([1.0], items=3, norm=norm, confidence=0.9)
    variance = (truth * (1 - truth))[:, None]
    calls = np.array([40, 30, 20])
    shares = calls[:, None] / 90
    bound = ivwe_bounded_upper(given, variance, 90.0, shares=shares)
    assert bound.holds
    errors = np.abs(rng.binomial(calls, truth, size=(20_000, 3)) / calls - truth)
    kept = np.mean([power_norm(error, norm) <= bound.value for error in errors])
    assert kept > 0.9 - 5 * math.sqrt(0.09 / 20_000)
