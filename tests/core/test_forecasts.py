import math
from itertools import pairwise

import numpy as np
import pytest

from adjudge.core.evidence import Allocation, Evidence, Moments, Phase
from adjudge.core.forecasts import budget_for_width, forecast
from adjudge.core.panel.beliefs import UNBIASED, Beliefs
from adjudge.core.panel.learning import Target
from adjudge.core.problem import Problem
from adjudge.core.strategies.panel import Panel
from adjudge.errors import InputError
from adjudge.simulate import Outcome, play
from adjudge.worlds import FAMILIES, World

ITEMS, JUDGES = 200, 4

pytestmark = pytest.mark.xdist_group("the pilot")


def scored(
    world: World, problem: Problem, calls_per_item: float, rng: np.random.Generator
) -> Outcome:
    budget = calls_per_item * problem.items * problem.average_cost
    return play(Panel(), problem, world, budget, rng=rng)


@pytest.fixture(scope="module")
def piloted() -> tuple[World, Problem, Outcome]:
    """A panel like real ones after three calls per item."""
    rng = np.random.default_rng(3)
    world = FAMILIES["offsets-deviations"](ITEMS, JUDGES, rng)
    problem = world.instance.problem(confidence=0.9)
    return world, problem, scored(world, problem, 3.0, rng)


@pytest.mark.parametrize("norm", [1, 2, math.inf])
def test_more_money_buys_shorter_intervals_and_smaller_errors(
    norm: float, piloted: tuple[World, Problem, Outcome]
) -> None:
    _, problem, outcome = piloted
    problem = problem.with_norm(norm)
    budgets = [money * ITEMS * problem.average_cost for money in (0, 0.5, 1, 4, 12, 40)]
    for evidence in (None, outcome.evidence):
        rows = forecast(problem, budgets, evidence=evidence)
        assert [row.budget for row in rows] == budgets
        for less, more in pairwise(row for row in rows if row.budget >= outcome.spent):
            assert more.calls > less.calls
            assert more.mean_width < less.mean_width
            assert more.norm_error < less.norm_error
        assert all(0 < row.mean_width <= 1 for row in rows)


def test_what_was_spent_buys_the_present_state(
    piloted: tuple[World, Problem, Outcome],
) -> None:
    _, problem, outcome = piloted
    cheapest = float(problem.price_per_call.min())
    budgets = [0.0, outcome.spent / 2, outcome.spent, outcome.spent + 0.99 * cheapest]
    for row in forecast(problem, budgets, evidence=outcome.evidence):
        assert row.calls == outcome.calls
        assert row.mean_width == pytest.approx(outcome.estimate.interval().width.mean())
        assert row.norm_error == pytest.approx(outcome.estimate.norm_error())
    (row,) = forecast(problem, [outcome.spent], evidence=outcome.evidence, level=0.5)
    assert row.mean_width == pytest.approx(outcome.estimate.interval(0.5).width.mean())


def test_before_the_first_call_nothing_is_known_but_the_guess() -> None:
    problem = Problem.of([1.0, 3.0], items=10, score_range=(1, 5), confidence=0.5)
    nothing, almost = forecast(problem, [0, 0.99])
    assert nothing.calls == almost.calls == 0
    # An item may have any score on the scale.
    assert nothing.mean_width == almost.mean_width == 4
    believed = Beliefs()
    shared = believed.agreement + (1 - believed.agreement) / 2
    deviation = 4 * math.sqrt(shared * believed.spread)
    assert nothing.norm_error == pytest.approx(math.sqrt(10) * deviation)
    assert forecast(problem, [10])[0].calls == 10


@pytest.mark.parametrize("family", ["offsets-deviations", "binary"])
def test_after_a_pilot_the_width_of_the_whole_run_is_foreseen(
    family: str, rng: np.random.Generator
) -> None:
    widths, errors = [], []
    for run in rng.spawn(4):
        world = FAMILIES[family](ITEMS, JUDGES, run)
        problem = world.instance.problem(confidence=0.9)
        pilot = scored(world, problem, 5.0, run)
        whole = scored(world, problem, 15.0, run)
        (foreseen,) = forecast(problem, [whole.spent], evidence=pilot.evidence)
        widths.append(foreseen.mean_width / whole.estimate.interval().width.mean())
        errors.append(foreseen.norm_error / whole.estimate.norm_error())
    # More is learned of the judges on the way than a forecast can know: it is wide, if anything.
    assert 0.9 < np.median(widths) < 1.4
    assert 0.9 < np.median(errors) < 1.4


def test_the_budget_for_a_width_is_the_inverse_of_the_forecast(
    piloted: tuple[World, Problem, Outcome],
) -> None:
    _, problem, outcome = piloted
    for evidence, money in ((None, 4), (outcome.evidence, 4), (outcome.evidence, 12)):
        (row,) = forecast(problem, [money * ITEMS * problem.average_cost], evidence=evidence)
        budget = budget_for_width(problem, row.mean_width, evidence=evidence)
        assert budget == pytest.approx(row.budget, rel=0.05)
        (found,) = forecast(problem, [budget], evidence=evidence)
        assert found.mean_width <= row.mean_width
    wide = outcome.estimate.interval().width.mean() * 1.01
    assert budget_for_width(problem, wide, evidence=outcome.evidence) == outcome.spent
    assert budget_for_width(problem, 1.0) == 0


def test_the_unit_of_money_changes_only_budgets(
    piloted: tuple[World, Problem, Outcome],
) -> None:
    _, problem, outcome = piloted
    unit = 4e-7
    small = Problem.of(problem.price_per_call * unit, weights=problem.weights, confidence=0.9)
    budget = 6.0 * ITEMS
    for evidence in (None, outcome.evidence):
        (one,) = forecast(problem, [budget], evidence=evidence)
        (other,) = forecast(small, [budget * unit], evidence=evidence)
        assert other.calls == pytest.approx(one.calls, rel=0.01)
        assert other.mean_width == pytest.approx(one.mean_width, rel=0.005)
        assert other.norm_error == pytest.approx(one.norm_error, rel=0.005)
    wanted = budget_for_width(problem, 0.15)
    assert budget_for_width(small, 0.15) == pytest.approx(wanted * unit, rel=0.02)


def test_the_unit_of_scores_changes_only_widths_and_errors(
    piloted: tuple[World, Problem, Outcome],
) -> None:
    _, problem, outcome = piloted
    wide = Problem.of(problem.price_per_call, score_range=(1, 5), confidence=0.9)
    stretched = Evidence(
        asked=outcome.evidence.asked,
        moments={
            phase: Moments(
                n=seen.n, mean=np.where(seen.n > 0, 1 + 4 * seen.mean, 0), m2=16 * seen.m2
            )
            for phase, seen in outcome.evidence.moments.items()
        },
    )
    for evidence, other_evidence in ((None, None), (outcome.evidence, stretched)):
        (one,) = forecast(problem, [6.0 * ITEMS], evidence=evidence)
        (other,) = forecast(wide, [6.0 * ITEMS], evidence=other_evidence)
        assert other.calls == one.calls
        assert other.mean_width == pytest.approx(4 * one.mean_width)
        assert other.norm_error == pytest.approx(4 * one.norm_error)


def test_of_many_items_a_sample_is_planned_for() -> None:
    # Every other item is ten times as dear: a sample of every other item would see one kind.
    few = Problem.of(np.tile([[1.0, 2.0], [10.0, 20.0]], (5_000, 1)))
    many = Problem.of(np.tile([[1.0, 2.0], [10.0, 20.0]], (20_500, 1)))
    (one,) = forecast(few, [30_000])
    (other,) = forecast(many, [30_000 * 4.1])
    assert other.calls == pytest.approx(4.1 * one.calls, rel=0.01)
    assert other.mean_width == pytest.approx(one.mean_width, rel=0.01)
    assert other.norm_error == pytest.approx(math.sqrt(4.1) * one.norm_error, rel=0.01)
    budget = budget_for_width(many, one.mean_width)
    assert budget == pytest.approx(30_000 * 4.1, rel=0.05)


def test_calls_are_expected_to_fail_as_often_as_they_did(rng: np.random.Generator) -> None:
    problem = Problem.of([1.0, 1.0], items=100)
    counts = np.full((100, 2), 4)
    scores = Moments(
        n=counts, mean=rng.uniform(0.2, 0.8, (100, 1)) + np.zeros(2), m2=np.full((100, 2), 0.03)
    )
    reliable = Evidence.none(problem).plus(Allocation(counts=counts), scores)
    failing = Evidence.none(problem).plus(Allocation(counts=2 * counts), scores)
    calls = 2_000
    (one,) = forecast(problem, [800 + calls], evidence=reliable)
    (half,) = forecast(problem, [800 + calls / 2], evidence=reliable)
    (other,) = forecast(problem, [1600 + calls], evidence=failing)
    assert other.calls == one.calls + 800
    assert other.mean_width == pytest.approx(half.mean_width, rel=0.02)
    assert other.mean_width > 1.1 * one.mean_width


def test_evidence_without_a_score_leaves_the_guess() -> None:
    problem = Problem.of([1.0], items=10)
    batch = Allocation(counts=np.ones((10, 1), np.int64), phase=Phase.PILOT)
    lost = Evidence.none(problem).plus(batch, Moments.none(10, 1))
    (row,) = forecast(problem, [10], evidence=lost)
    assert row.calls == 10
    assert row.mean_width == forecast(problem, [0])[0].mean_width


def test_judges_who_measure_one_score_need_fewer_calls() -> None:
    problem = Problem.of([1.0, 1.0, 1.0], items=50)
    (panel,) = forecast(problem, [100])
    (unbiased,) = forecast(problem, [100], target=Target.UNBIASED)
    # Two calls, whoever makes them, under a prior of the spread that is believed.
    known = 2 / UNBIASED.noise + 1 / UNBIASED.spread
    assert unbiased.norm_error == pytest.approx(math.sqrt(50 / known), rel=1e-3)
    assert unbiased.mean_width < panel.mean_width
    cheaper = budget_for_width(problem, panel.mean_width, target=Target.UNBIASED)
    assert cheaper < budget_for_width(problem, panel.mean_width)


def test_a_width_that_cannot_be_had_is_refused_with_the_one_that_can() -> None:
    mask = np.ones((20, 2), dtype=bool)
    mask[::2, 1] = False
    problem = Problem.of([1.0, 1.0], items=20, mask=mask)
    with pytest.raises(InputError, match=r"width: 1e-06 is out of reach; .* mean width of 0\.0"):
        budget_for_width(problem, 1e-6)
    for width in (0, -0.1, math.nan):
        with pytest.raises(InputError, match="above zero"):
            budget_for_width(problem, width)
    for budget in (-1, math.nan, math.inf):
        with pytest.raises(InputError, match="budget"):
            forecast(problem, [budget])
    with pytest.raises(InputError, match="level"):
        forecast(problem, [1], level=95)
