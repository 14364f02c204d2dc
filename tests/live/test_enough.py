"""A budget is a cap: a run ends once it is told that it knows enough."""

import numpy as np

from adjudge.core.strategies import Panel
from adjudge.judges import FunctionJudge
from adjudge.records import nano_dollars
from adjudge.run import End, Plan, narrow_enough, run, standing
from adjudge.run.enough import NARROW
from tests.live.support import SCALE, some_items

PRICE = nano_dollars("0.00001")


def plan_with(enough, *, noise=1.0, items=4):
    def noisy(seed):
        rng = np.random.default_rng(seed)
        return lambda item: int(np.clip(np.rint(rng.normal(5, noise)), 1, 10))

    judges = [FunctionJudge(f"j{n}", noisy(n), scale=SCALE, price=PRICE) for n in (1, 2)]
    return Plan(
        items=some_items(items), judges=judges, scale=SCALE, strategy=Panel(), enough=enough
    )


def test_a_run_ends_when_more_money_would_change_nothing_that_is_told(tmp_path):
    plan = plan_with(narrow_enough)
    result = run(plan, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.end is End.ENOUGH
    assert result.estimate.interval().width.max() <= NARROW
    assert result.answered.sum() < 20_000
    assert "at most 2% of the scale" in result.end_reason
    after = standing(plan, tmp_path / "ledger.db")
    assert (after.end, after.end_reason) == (End.ENOUGH, result.end_reason)
    again = run(plan, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert again.answered.sum() == result.answered.sum(), "what is known is not bought again"


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
