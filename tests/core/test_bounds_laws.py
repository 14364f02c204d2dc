"""Laws that tie the bounds together: order, units, and the steps of the proofs."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core import bounds
from adjudge.core.bounds import threshold_budget
from adjudge.core.problem import Problem

law = settings(deadline=None, max_examples=50)
"""No deadline: a busy machine breaks no law."""
NORMS = [1.0, 1.5, 2.0, 7.0, math.inf]
UPPER = [
    bounds.ivwe_bounded_upper,
    bounds.ivwe_gaussian_upper,
    bounds.ivwe_gaussian_moment_upper,
]
PILOTED = [
    bounds.est_ivwe_bounded_upper,
    bounds.est_ivwe_bounded_upper_unexpanded,
    bounds.est_ivwe_gaussian_upper,
    bounds.est_ivwe_gaussian_upper_unexpanded,
]
LOCAL = [
    bounds.bounded_probability_lower,
    bounds.bounded_expectation_lower,
    bounds.bounded_moment_lower,
]
GLOBAL = [
    bounds.gaussian_probability_lower,
    bounds.gaussian_expectation_lower,
    bounds.gaussian_moment_lower,
    bounds.van_trees_lower,
]


@dataclass(frozen=True)
class Instance:
    problem: Problem
    variance: np.ndarray
    truth: np.ndarray
    budget: float
    pilot: int

    def bound(self, function):
        options = {}
        if function in PILOTED:
            options["pilot"] = self.pilot
        if function in LOCAL:
            options["truth"] = self.truth
        return function(self.problem, self.variance, self.budget, **options)


@st.composite
def instances(draw):
    items, judges = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    cells = items * judges

    def table(low, high):
        values = draw(st.lists(st.floats(low, high), min_size=cells, max_size=cells))
        return np.array(values).reshape(items, judges)

    return Instance(
        problem=Problem.of(
            table(0.01, 100),
            norm=draw(st.sampled_from(NORMS)),
            confidence=draw(st.sampled_from([0.8, 0.9, 0.95, 0.999])),
        ),
        variance=table(1e-5, 0.25),
        truth=np.array(draw(st.lists(st.floats(0.01, 0.99), min_size=items, max_size=items))),
        budget=draw(st.floats(0.1, 1e7)),
        pilot=draw(st.integers(2, 5_000)),
    )


def scaled(instance, *, money=1.0, score=1.0, shift=0.0):
    problem = instance.problem
    low, high = problem.score_range
    return Instance(
        problem=Problem.of(
            problem.price_per_call * money,
            norm=problem.norm,
            confidence=problem.confidence,
            score_range=(low * score + shift, high * score + shift),
        ),
        variance=instance.variance * score**2,
        truth=instance.truth * score + shift,
        budget=instance.budget * money,
        pilot=instance.pilot,
    )


@pytest.mark.parametrize("function", UPPER + PILOTED + LOCAL + GLOBAL)
@law
@given(instance=instances(), money=st.floats(1e-6, 1e6), score=st.floats(1e-3, 1e3))
def test_bounds_are_in_the_unit_of_the_score_whatever_the_unit_of_money(
    function, instance, money, score
):
    one, other = (
        instance.bound(function),
        scaled(instance, money=money, score=score).bound(function),
    )
    assert other.value == pytest.approx(score * one.value, rel=1e-9, nan_ok=True)
    assert len(other.unmet) == len(one.unmet)


@pytest.mark.parametrize("function", LOCAL)
@law
@given(instance=instances(), shift=st.sampled_from([-1.0, 1.0, 2.0]))
def test_where_the_scale_begins_changes_no_bound(function, instance, shift):
    value = scaled(instance, shift=shift).bound(function).value
    assert value == pytest.approx(instance.bound(function).value, rel=1e-9, nan_ok=True)


@law
@given(instance=instances(), money=st.floats(1e-6, 1e6), score=st.floats(1e-3, 1e3))
def test_the_threshold_is_in_the_unit_of_money(instance, money, score):
    other = scaled(instance, money=money, score=score)
    one = threshold_budget(instance.problem, instance.variance, instance.truth)
    value = threshold_budget(other.problem, other.variance, other.truth)
    assert value == pytest.approx(money * one, rel=1e-9)


@law
@given(instances())
def test_four_times_the_budget_halves_every_rate_of_known_variances(instance):
    for function in [*UPPER[1:], *LOCAL, *GLOBAL]:
        richer = Instance(
            problem=instance.problem,
            variance=instance.variance,
            truth=instance.truth,
            budget=4 * instance.budget,
            pilot=instance.pilot,
        )
        half = instance.bound(function).value / 2
        assert richer.bound(function).value == pytest.approx(half, rel=1e-12, nan_ok=True)


def at_most(lower, upper):
    return lower.value <= upper.value * (1 + 1e-9)


@law
@given(instances())
def test_no_lower_bound_in_high_probability_is_above_what_ivwe_achieves(instance):
    assert at_most(
        instance.bound(bounds.gaussian_probability_lower),
        instance.bound(bounds.ivwe_gaussian_upper),
    )
    assert at_most(
        instance.bound(bounds.bounded_probability_lower),
        instance.bound(bounds.ivwe_bounded_upper),
    )


@law
@given(instances())
def test_the_bounds_of_gaussian_moments_are_in_order(instance):
    if instance.problem.norm == math.inf:
        return
    van_trees = instance.bound(bounds.van_trees_lower)
    lower = instance.bound(bounds.gaussian_moment_lower)
    upper = instance.bound(bounds.ivwe_gaussian_moment_upper)
    assert at_most(van_trees, lower)
    assert at_most(instance.bound(bounds.gaussian_expectation_lower), lower)
    assert at_most(instance.bound(bounds.bounded_moment_lower), lower)
    assert upper.value == pytest.approx(lower.value, rel=1e-12)
    if instance.problem.norm == 2:
        assert van_trees.value == pytest.approx(lower.value, rel=1e-12)


@law
@given(instances())
def test_learning_the_variances_is_never_bounded_below_the_oracle(instance):
    for learnt, known in (
        (bounds.est_ivwe_gaussian_upper, bounds.ivwe_gaussian_upper),
        (bounds.est_ivwe_bounded_upper, bounds.ivwe_gaussian_upper),
    ):
        assert at_most(instance.bound(known), instance.bound(learnt))


@law
@given(instances())
def test_expanding_the_bounded_rate_only_weakens_it(instance):
    expanded = instance.bound(bounds.est_ivwe_bounded_upper)
    if expanded.holds:
        assert at_most(instance.bound(bounds.est_ivwe_bounded_upper_unexpanded), expanded)


@law
@given(instances())
def test_expanding_the_gaussian_rate_only_weakens_it(instance):
    expanded = instance.bound(bounds.est_ivwe_gaussian_upper)
    if expanded.holds:
        assert at_most(instance.bound(bounds.est_ivwe_gaussian_upper_unexpanded), expanded)


@law
@given(st.floats(1e-12, 0.5))
def test_telling_two_coins_apart_is_sharper_than_the_paper_s_estimate(delta):
    """Why the Gaussian bound needs no condition on delta beyond 1/2."""
    single = Problem.of([[1.0]], norm=math.inf, confidence=1 - delta)
    bound = bounds.gaussian_probability_lower(single, np.ones((1, 1)), 0.5)
    delta = single.delta
    assert bound.value**2 >= (1 - delta) * math.log(1 / delta) - math.log(2) - 1e-12


def test_the_exported_names_are_sorted_and_exist():
    assert all(hasattr(bounds, name) for name in bounds.__all__)
    constants = [name for name in bounds.__all__ if name.isupper()]
    classes = [name for name in bounds.__all__ if name[0].isupper() and not name.isupper()]
    functions = [name for name in bounds.__all__ if name.islower()]
    assert bounds.__all__ == sorted(constants) + sorted(classes) + sorted(functions)
