import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.allocation import optimal_value
from adjudge.core.evidence import total_cost
from adjudge.core.norms import power_norm
from adjudge.core.problem import Problem
from adjudge.core.whole_calls import whole_calls
from adjudge.errors import BudgetError, InputError

NORMS = st.sampled_from([1.0, 2.0, 3.0, math.inf])


def objective(problem: Problem, counts: np.ndarray, variance: np.ndarray) -> float:
    return power_norm(1 / (counts / variance).sum(axis=1), problem.norm / 2)


def best_by_enumeration(problem: Problem, variance: np.ndarray, budget: float) -> float:
    """The smallest objective over every whole allocation within the budget."""
    ways = []
    for prices in problem.price_per_call:
        ranges = [range(int(budget / price + 1e-9) + 1) for price in prices]
        ways.append([np.array(calls) for calls in itertools.product(*ranges) if any(calls)])
    best = math.inf
    for plan in itertools.product(*ways):
        counts = np.array(plan)
        if total_cost(counts, problem.price_per_call) <= budget * (1 + 1e-12):
            best = min(best, objective(problem, counts, variance))
    return best


@st.composite
def tiny_instances(draw: st.DrawFn) -> tuple[Problem, np.ndarray, float]:
    items, judges = draw(st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (3, 1)]))
    variance = draw(arrays(float, (items, judges), elements=st.floats(0.05, 1)))
    prices = st.sampled_from([0.5, 0.75, 1.0, 1.3]) | st.floats(0.5, 2)
    problem = Problem.of(
        draw(arrays(float, judges, elements=prices)), items=items, norm=draw(NORMS)
    )
    return problem, variance, problem.cost_of_every_item + draw(st.floats(0, 3))


@settings(max_examples=150)
@given(tiny_instances())
def test_whole_calls_of_tiny_instances_are_the_best_there_are(
    instance: tuple[Problem, np.ndarray, float],
) -> None:
    problem, variance, budget = instance
    counts = whole_calls(problem, variance, budget)
    assert objective(problem, counts, variance) == pytest.approx(
        best_by_enumeration(problem, variance, budget), rel=1e-9
    )


@st.composite
def instances(draw: st.DrawFn) -> tuple[Problem, np.ndarray, float]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    items, judges = draw(st.integers(1, 60)), draw(st.integers(1, 5))
    spread = draw(st.sampled_from([0.0, 0.3, 2.0]))
    variance = 0.1 * rng.lognormal(0, 1, (items, judges))
    shape = (items, judges) if draw(st.booleans()) else judges
    problem = Problem.of(rng.lognormal(0, spread, shape), items=items, norm=draw(NORMS))
    return problem, variance, problem.cost_of_every_item * draw(st.floats(1, 200))


@settings(max_examples=200)
@given(instances())
def test_the_budget_holds_every_item_is_asked_and_no_useful_money_is_left(
    instance: tuple[Problem, np.ndarray, float],
) -> None:
    problem, variance, budget = instance
    counts = whole_calls(problem, variance, budget)
    spent = total_cost(counts, problem.price_per_call)
    assert spent <= budget * (1 + 1e-9)
    assert (counts.sum(axis=1) >= 1).all()
    asked = problem.price_per_call[counts > 0]
    assert budget - spent < asked.min() * (1 + 1e-9)


@settings(max_examples=100)
@given(instances())
def test_whole_calls_come_near_the_real_valued_optimum(
    instance: tuple[Problem, np.ndarray, float],
) -> None:
    problem, variance, _ = instance
    budget = 1000 * problem.items * problem.price_per_call.max()
    counts = whole_calls(problem, variance, budget)
    attained = objective(problem, counts, variance) * budget
    assert attained == pytest.approx(optimal_value(problem, variance), rel=0.02)


def test_one_judge_of_equal_price_follows_the_greedy_order_exactly() -> None:
    """With equal prices the best plan adds, call by call, where the loss falls most."""
    rng = np.random.default_rng(3)
    for norm, power in ((1.0, 0.5), (2.0, 1.0), (4.0, 2.0)):
        variance = rng.lognormal(0, 1.5, (40, 1))
        problem = Problem.of([1.0], items=40, norm=norm)
        greedy = np.ones(40)
        for _ in range(300):
            fall = variance[:, 0] ** power * (greedy**-power - (greedy + 1) ** -power)
            greedy[np.argmax(fall)] += 1
        assert np.array_equal(whole_calls(problem, variance, 340.0)[:, 0], greedy)


def test_the_worst_item_is_always_next_for_the_infinite_norm() -> None:
    variance = np.random.default_rng(4).lognormal(0, 1.5, (40, 1))
    greedy = np.ones(40)
    for _ in range(300):
        greedy[np.argmax(variance[:, 0] / greedy)] += 1
    problem = Problem.of([1.0], items=40, norm=math.inf)
    assert np.array_equal(whole_calls(problem, variance, 340.0)[:, 0], greedy)


def test_equal_items_get_equal_calls_to_within_one() -> None:
    for norm in (1.0, 2.0, math.inf):
        problem = Problem.of([0.7, 1.3], items=5000, norm=norm)
        counts = whole_calls(problem, np.full((5000, 2), 0.1), 5000 * 0.7 * 3.5)
        assert set(np.unique(counts[:, 0])) == {3, 4}
        assert counts.sum() == 17_500


def test_a_budget_too_small_for_the_best_judges_falls_back_to_cheaper_ones() -> None:
    rng = np.random.default_rng(5)
    for norm in (1.0, 2.0, math.inf):
        problem = Problem.of([10.0, 1.0], items=100, norm=norm)
        variance = np.column_stack([rng.uniform(0.001, 0.02, 100), np.full(100, 0.3)])
        for budget in (100.0, 300.0, 700.0, 999.0):
            counts = whole_calls(problem, variance, budget)
            assert total_cost(counts, problem.price_per_call) <= budget
            assert (counts.sum(axis=1) >= 1).all()
        if norm < math.inf:
            assert (counts[:, 0] > 0).sum() > 90


def test_huge_counts_are_as_good_as_small_ones() -> None:
    problem = Problem.of([1.0, 2.0], items=3)
    variance = np.array([[0.1, 0.2], [0.3, 0.1], [0.2, 0.2]])
    counts = whole_calls(problem, variance, 1e13)
    assert 1e13 - total_cost(counts, problem.price_per_call) <= 2 + 1e13 * 1e-9
    assert objective(problem, counts, variance) * 1e13 == pytest.approx(
        optimal_value(problem, variance)
    )


@given(instances(), st.sampled_from([0.125, 8.0, 1024.0]), st.sampled_from([0.25, 16.0]))
def test_units_of_money_and_scores_change_no_call(
    instance: tuple[Problem, np.ndarray, float], money: float, score: float
) -> None:
    problem, variance, budget = instance
    scaled = Problem.of(problem.price_per_call * money, norm=problem.norm)
    assert np.array_equal(
        whole_calls(problem, variance, budget),
        whole_calls(scaled, variance * score**2, budget * money),
    )


def test_three_calls_at_a_tenth_cost_three_tenths() -> None:
    counts = whole_calls(Problem.of([0.1], items=3), np.full((3, 1), 0.2), 0.3)
    assert counts.tolist() == [[1], [1], [1]]


def test_items_without_noise_get_one_call() -> None:
    variance = np.full((200, 1), 0.1)
    variance[:50] = 0
    counts = whole_calls(Problem.of([1.0], items=200), variance, 1000.0)
    assert (counts[:50] == 1).all()
    assert counts.sum() == 1000


def test_a_budget_below_one_call_per_item_is_refused_with_what_would_do() -> None:
    problem, variance = Problem.of([2.0, 0.5], items=10), np.full((10, 2), 0.1)
    message = "4 is below one call per item; 10 items need at least 5"
    with pytest.raises(BudgetError, match=message) as refusal:
        whole_calls(problem, variance, 4.0)
    assert whole_calls(problem, variance, refusal.value.needed).sum() == 10


@pytest.mark.parametrize("budget", [0.0, -1.0, math.nan, math.inf])
def test_a_budget_that_is_no_amount_is_refused(budget: float) -> None:
    with pytest.raises(InputError, match=r"budget: .*; a budget must be positive and finite"):
        whole_calls(Problem.of([1.0], items=2), np.full((2, 1), 0.1), budget)
