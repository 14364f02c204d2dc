"""Learning comes first, costs a vanishing share, and no budget is a threshold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.schedule import Schedule
from adjudge.core.problem import Problem

BELIEFS = Beliefs()


def problem(items: int = 200, judges: int = 4) -> Problem:
    return Problem.of(np.linspace(0.5, 2, judges), items=items)


def schedule_of(asked: Problem, budget: float) -> Schedule:
    return Schedule.of(asked, budget, asked.price, BELIEFS)


@given(st.floats(-1, 6), st.integers(2, 12))
def test_a_slightly_larger_budget_has_nearly_the_same_schedule(log: float, judges: int) -> None:
    given_problem = problem(judges=judges)
    budget = given_problem.cost_of_every_item * 10**log
    one = schedule_of(given_problem, budget)
    other = schedule_of(given_problem, budget * (1 + 1e-6))
    assert other.start == pytest.approx(one.start, rel=1e-4)
    assert other.judges == pytest.approx(one.judges, abs=1e-3)


def test_the_share_of_learning_falls_with_the_budget_and_vanishes() -> None:
    budgets = problem().cost_of_every_item * np.logspace(0.5, 7, 20)
    shares = [schedule_of(problem(), budget).start for budget in budgets]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.002
    assert max(shares) < 0.5


@given(st.floats(-1, 4), st.floats(0, 1))
def test_rounds_yet_to_come_grow_and_end_with_the_budget(log: float, spent: float) -> None:
    schedule = schedule_of(problem(), problem().cost_of_every_item * 10**log)
    ends = schedule.round_ends(spent)
    assert ends == sorted(ends)
    assert ends[-1] == 1
    assert len(ends) == 1 or ends[0] > spent
    lengths = np.diff([min(schedule.start, ends[0]), *schedule.round_ends(0.0)])
    assert lengths[:-1].max(initial=0) <= BELIEFS.longest_round + 1e-9


@given(st.integers(0, 2**32 - 1), st.floats(0.3, 100))
def test_comparisons_hold_their_share_and_ask_several_judges_that_may_be_asked(
    seed: int, calls: float
) -> None:
    rng = np.random.default_rng(seed)
    mask = rng.random((60, 4)) < 0.7
    mask[~mask.any(axis=1), 0] = True
    masked = Problem.of(rng.uniform(0.5, 2, (60, 4)), mask=mask)
    schedule = schedule_of(masked, calls * masked.cost_of_every_item)
    counts = schedule.comparisons(masked, Evidence.none(masked), 0.0, rng)
    cost = Allocation(counts=counts).cost(masked)
    assert cost <= schedule.start * schedule.budget * (1 + 1e-9)
    assert not counts[~mask].any()
    several = np.count_nonzero(mask, axis=1) >= 3
    compared = counts.any(axis=1) & several
    assert (np.count_nonzero(counts, axis=1)[compared] >= 2).all()


def test_comparisons_go_on_where_they_were_interrupted(rng: np.random.Generator) -> None:
    asked = problem(items=2000)
    schedule = schedule_of(asked, 3 * asked.cost_of_every_item)
    whole = schedule.comparisons(asked, Evidence.none(asked), 0.0, rng)
    half = np.where(np.arange(2000)[:, None] < 1000, whole, 0)
    batch = Allocation(counts=half)
    evidence = Evidence.none(asked).plus(
        batch, Moments(n=half, mean=0.5 * (half > 0), m2=np.zeros(half.shape))
    )
    rest = schedule.comparisons(asked, evidence, evidence.cost(asked), rng)
    assert not (rest.any(axis=1) & half.any(axis=1)).any()
    together = evidence.cost(asked) + Allocation(counts=rest).cost(asked)
    goal = schedule.start * schedule.budget
    assert 0.9 * goal < together <= goal * (1 + 1e-9)
    done = evidence.plus(
        Allocation(counts=rest),
        Moments(n=rest, mean=0.5 * (rest > 0), m2=np.zeros(rest.shape)),
    )
    assert not schedule.comparisons(asked, done, goal, rng).any()


def test_cheap_judges_are_compared_more_often_and_half_of_the_items_have_a_repeat(
    rng: np.random.Generator,
) -> None:
    dear = Problem.of([0.1, 1.0, 1.0, 3.0], items=3000)
    schedule = schedule_of(dear, 5 * dear.cost_of_every_item)
    counts = schedule.comparisons(dear, Evidence.none(dear), 0.0, rng)
    often = (counts > 0).sum(axis=0)
    assert often[0] > often[1:3].max() > often[3] > 0
    assert counts.max() == 2
    repeated = (counts == 2).sum(axis=1)
    assert repeated.max() == 1
    assert repeated.sum() == pytest.approx(counts.any(axis=1).sum() / 2, abs=1)


def test_a_judge_without_noise_is_never_asked_twice_about_an_item(
    rng: np.random.Generator,
) -> None:
    asked = Problem.of([1.0, 1.0, 1.0], items=2000, noiseless=[True, False, False])
    counts = schedule_of(asked, 5 * asked.cost_of_every_item).comparisons(
        asked, Evidence.none(asked), 0.0, rng
    )
    assert counts.max(axis=0).tolist() == [1, 2, 2]


def test_nothing_is_repeated_first_where_the_budget_just_pays_every_pair(
    rng: np.random.Generator,
) -> None:
    asked = problem(items=2000)
    schedule = schedule_of(asked, asked.cost_of_every_pair)
    assert schedule.comparisons(asked, Evidence.none(asked), 0.0, rng).max() == 1
