import math

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.allocation import (
    allocation_objective,
    best_judges,
    deviation_objective,
    optimal_shares,
    optimal_value,
)
from adjudge.core.problem import Problem
from adjudge.errors import InputError

NORMS = (1.0, 1.5, 2.0, 4.0, math.inf)


@st.composite
def instances(draw: st.DrawFn) -> tuple[Problem, np.ndarray]:
    items, judges = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    shape = (items, judges)
    variance = draw(arrays(float, shape, elements=st.floats(0.01, 1)))
    per_pair = draw(st.booleans())
    cost = draw(arrays(float, shape if per_pair else judges, elements=st.floats(0.1, 3)))
    return Problem.of(cost, items=items, norm=draw(st.sampled_from(NORMS))), variance


def solved_by_a_convex_solver(problem: Problem, variance: np.ndarray) -> float:
    """Min A_p(w) over the simplex, from the objective alone."""
    shares = cp.Variable(problem.price_per_call.shape, nonneg=True)
    information = cp.sum(cp.multiply(shares, 1 / (problem.price_per_call * variance)), axis=1)
    if problem.norm == math.inf:
        loss = cp.max(cp.inv_pos(information))
    else:
        loss = cp.sum(cp.power(information, -problem.norm / 2))
    solved = cp.Problem(cp.Minimize(loss), [cp.sum(shares) <= 1])
    solved.solve(solver=cp.CLARABEL)
    value = float(solved.value)
    return value if problem.norm == math.inf else value ** (2 / problem.norm)


@settings(max_examples=40)
@given(instances())
def test_the_optimal_value_is_what_a_convex_solver_finds(
    instance: tuple[Problem, np.ndarray],
) -> None:
    problem, variance = instance
    assert optimal_value(problem, variance) == pytest.approx(
        solved_by_a_convex_solver(problem, variance), rel=1e-3
    )


@given(instances())
def test_the_optimal_shares_attain_the_optimal_value(instance: tuple[Problem, np.ndarray]) -> None:
    problem, variance = instance
    shares = optimal_shares(problem, variance)
    assert shares.sum() == pytest.approx(1)
    assert ((shares > 0).sum(axis=1) <= 1).all()
    assert allocation_objective(problem, shares, variance) == pytest.approx(
        optimal_value(problem, variance)
    )


@given(instances(), st.integers(0, 2**32 - 1))
def test_no_other_shares_do_better(instance: tuple[Problem, np.ndarray], seed: int) -> None:
    problem, variance = instance
    other = np.random.default_rng(seed).dirichlet(np.ones(variance.size)).reshape(variance.shape)
    value = allocation_objective(problem, other, variance)
    assert value >= optimal_value(problem, variance) * (1 - 1e-9)


@given(instances())
def test_large_norms_approach_the_infinite_one(instance: tuple[Problem, np.ndarray]) -> None:
    problem, variance = instance
    largest, large = problem.with_norm(math.inf), problem.with_norm(1e6)
    assert optimal_value(large, variance) == pytest.approx(
        optimal_value(largest, variance), rel=1e-4
    )
    assert np.allclose(
        optimal_shares(large, variance), optimal_shares(largest, variance), atol=1e-4
    )
    shares = optimal_shares(largest, variance)
    for objective in (allocation_objective, deviation_objective):
        assert objective(large, shares, variance) == pytest.approx(
            objective(largest, shares, variance), rel=1e-4
        )


@given(instances(), st.floats(0.001, 1000), st.floats(0.001, 1000))
def test_units_of_money_and_scores_change_no_share(
    instance: tuple[Problem, np.ndarray], money: float, score: float
) -> None:
    problem, variance = instance
    scaled = Problem.of(problem.price_per_call * money, norm=problem.norm)
    shares = optimal_shares(problem, variance)
    assert np.allclose(optimal_shares(scaled, variance * score**2), shares)
    assert optimal_value(scaled, variance * score**2) == pytest.approx(
        optimal_value(problem, variance) * money * score**2
    )
    assert deviation_objective(scaled, shares, variance * score**2) == pytest.approx(
        deviation_objective(problem, shares, variance) * money
    )


def test_the_closed_form_on_a_case_worked_by_hand() -> None:
    problem = Problem.of([1.0, 2.0], items=2, norm=2)
    variance = np.array([[0.04, 0.01], [0.09, 0.25]])
    judge, hardness = best_judges(problem, variance)
    assert judge.tolist() == [1, 0]
    assert hardness.tolist() == [0.02, 0.09]
    roots = np.sqrt([0.02, 0.09])
    assert optimal_value(problem, variance) == pytest.approx(roots.sum() ** 2)
    assert optimal_shares(problem, variance)[0, 1] == pytest.approx(roots[0] / roots.sum())


def test_the_deviation_objective_on_a_case_worked_by_hand() -> None:
    problem = Problem.of([1.0, 2.0], items=1, norm=1)
    shares, variance = np.array([[0.5, 0.5]]), np.array([[0.1, 0.2]])
    information = 0.5 / 0.1 + 0.5 / (2 * 0.2)
    expected = max(1 / (0.1 * information), 1 / (0.2 * information))
    assert deviation_objective(problem, shares, variance) == pytest.approx(expected)


def test_ties_go_to_the_first_judge() -> None:
    problem = Problem.of([1.0, 1.0, 1.0], items=2)
    judge, _ = best_judges(problem, np.full((2, 3), 0.1))
    assert judge.tolist() == [0, 0]


def test_masked_pairs_get_no_share() -> None:
    problem = Problem.of([1.0, 1.0], items=2, mask=[[False, True], [True, True]])
    shares = optimal_shares(problem, np.array([[0.01, 0.2], [0.1, 0.2]]))
    assert shares[0, 0] == 0
    assert shares[0, 1] > 0


def test_an_item_without_a_share_makes_the_objective_infinite() -> None:
    problem = Problem.of([1.0], items=2)
    shares, variance = np.array([[1.0], [0.0]]), np.full((2, 1), 0.1)
    assert allocation_objective(problem, shares, variance) == math.inf
    assert deviation_objective(problem, shares, variance) == math.inf


def test_variances_of_zero_share_equally_and_cost_no_error() -> None:
    problem = Problem.of([1.0, 2.0], items=4)
    nothing = np.zeros((4, 2))
    assert optimal_value(problem, nothing) == 0
    assert optimal_shares(problem, nothing)[:, 0].tolist() == [0.25] * 4
    even = np.full((4, 2), 1 / 8)
    assert allocation_objective(problem, even, nothing) == 0
    assert math.isfinite(deviation_objective(problem, even, nothing))


@pytest.mark.parametrize(
    ("variance", "message"),
    [
        (np.full((2, 2), -0.1), r"variance: -0\.1 at \[0, 0\] and 3 more"),
        (np.array([[0.1, 0.1], [0.1, np.nan]]), r"variance: nan at \[1, 1\]"),
        (np.full((2, 3), 0.1), r"variance: shape \(2, 3\); the shape must be \(2, 2\)"),
    ],
)
def test_bad_variances_are_refused(variance: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        optimal_shares(Problem.of([1.0, 2.0], items=2), variance)


def test_a_bad_variance_far_down_is_named_by_its_own_row() -> None:
    variance = np.full((40_000, 1), 0.1)
    variance[39_999] = -1
    with pytest.raises(InputError, match=r"-1\.0 at \[39999, 0\]"):
        best_judges(Problem.of([1.0], items=40_000), variance)
