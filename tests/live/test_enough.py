"""A budget is a cap: a run ends once it is told that it knows enough."""

from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.evidence import Phase
from adjudge.core.strategies import Cyclic, EstIvwe, Panel, SingleJudge, Uniform
from adjudge.core.strategies.pilot import PilotRule
from adjudge.judges import FunctionJudge
from adjudge.records import nano_dollars
from adjudge.run import End, Plan, narrow_enough, run, standing, worth_no_more
from adjudge.run.enough import NARROW
from tests.live.support import SCALE, some_items

PRICE = nano_dollars("0.00001")


def plan_with(enough, *, noise=1.0, items=4):
    def noisy(seed):
        rng = np.random.default_rng(seed)

        def score(item):
            mean = 2 + int(item.id.removeprefix("item-")) % 7
            return int(np.clip(np.rint(rng.normal(mean, noise)), 1, 10))

        return score

    judges = [FunctionJudge(f"j{n}", noisy(n), scale=SCALE, price=PRICE) for n in (1, 2)]
    return Plan(
        items=some_items(items), judges=judges, scale=SCALE, strategy=Panel(), enough=enough
    )


@pytest.mark.parametrize("strategy", [Panel(), Uniform(), SingleJudge(judge=0), Cyclic()])
def test_a_run_ends_when_more_money_would_change_nothing_that_is_told(tmp_path, strategy):
    plan = replace(plan_with(worth_no_more, noise=2.0, items=12), strategy=strategy)
    result = run(plan, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.end is End.ENOUGH
    assert result.estimate.interval().width.mean() <= 0.18
    assert result.answered.sum() <= 500, "500,000 calls could be paid"
    assert "twice the money" in result.end_reason
    assert "less than 5% of the scale" in result.end_reason
    after = standing(plan, tmp_path / "ledger.db")
    assert (after.end, after.end_reason) == (End.ENOUGH, result.end_reason)
    again = run(plan, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert again.answered.sum() == result.answered.sum(), "what is known is not bought again"


def test_a_judge_that_never_answers_does_not_keep_a_run_going(tmp_path):
    """Its share of every score stays in doubt whatever the others say."""
    plan = plan_with(worth_no_more, items=30)
    silent = FunctionJudge("silent", lambda item: "I cannot say.", scale=SCALE, price=PRICE)
    plan = replace(plan, judges=[plan.judges[0], silent])
    result = run(plan, tmp_path / "ledger.db", budget=nano_dollars("0.05"))
    assert result.end is End.ENOUGH
    assert result.answered.sum() <= 1500, "5,000 calls could be paid"


def test_judges_that_repeat_themselves_are_asked_a_few_times_only(tmp_path):
    plan = plan_with(worth_no_more, noise=0.0, items=12)
    result = run(plan, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.answered.sum() <= 100


def test_a_strategy_that_needs_its_whole_budget_is_shown_all_of_it(tmp_path):
    plan = replace(plan_with(worth_no_more), strategy=EstIvwe(reduced_pilot=True))
    result = run(plan, tmp_path / "ledger.db", budget=4000 * PRICE)
    assert result.answered.sum() == 4000
    pilot = PilotRule(gaussian=False).calls(result.problem, 4000 * PRICE)
    assert result.evidence.asked[Phase.PILOT].max() == pilot


def test_a_run_whose_money_buys_something_is_not_cut(tmp_path):
    plan = plan_with(worth_no_more, items=60)
    result = run(plan, tmp_path / "ledger.db", budget=5 * 60 * PRICE)
    assert result.end is End.BUDGET
    assert result.balance.spent == 5 * 60 * PRICE


def test_a_run_with_narrow_intervals_ends_whatever_its_strategy(tmp_path):
    plan = replace(plan_with(narrow_enough, noise=0.0), strategy=Uniform())
    result = run(plan, tmp_path / "ledger.db", budget=800 * PRICE)
    assert result.end is End.ENOUGH
    assert result.estimate.interval().width.max() <= NARROW
    assert result.balance.spent <= 80 * PRICE
    assert "at most 2% of the scale" in result.end_reason


def test_without_such_a_rule_a_run_spends_its_budget(tmp_path):
    result = run(plan_with(None, noise=0.0), tmp_path / "ledger.db", budget=200 * PRICE)
    assert result.balance.spent == 200 * PRICE


def test_every_look_is_counted_and_the_reason_is_kept(tmp_path):
    looks = []

    def at_the_third(interim):
        looks.append(interim.look)
        assert interim.askable.all()
        assert interim.result.end is None
        return "three looks" if interim.look == 3 else None

    result = run(plan_with(at_the_third), tmp_path / "ledger.db", budget=2000 * PRICE)
    assert looks == [1, 2, 3]
    assert (result.end, result.end_reason) == (End.ENOUGH, "three looks")
    assert result.balance.spent < 2000 * PRICE
