"""A judge function that always raises is soon asked no more; one that recovers goes on."""

import numpy as np
import pytest

import adjudge
from adjudge.core.strategies import Panel, Uniform
from adjudge.judges import FunctionJudge
from adjudge.records import Reason, nano_dollars
from adjudge.run import End, Plan, run
from tests.live.support import HASTY, SCALE, some_items

PRICE = nano_dollars("0.001")


class Failing:
    """A function that raises in these of its calls."""

    def __init__(self, *calls):
        self.calls = calls
        self.asked = 0

    def __call__(self, item):
        self.asked += 1
        if not self.calls or self.asked in self.calls:
            raise KeyError("temperature")
        return 5


def fine(item):
    return int(item.id[5:]) % 10 + 1


def plan_of(function, *others, items=20, **changes):
    judges = [
        FunctionJudge(f"f{n}", one, scale=SCALE, price=PRICE)
        for n, one in enumerate([function, *others])
    ]
    settings = {"items": some_items(items), "scale": SCALE, "strategy": Panel(), **changes}
    return Plan(judges=judges, **settings)


@pytest.mark.parametrize("strategy", [Panel(), Uniform()])
@pytest.mark.parametrize(
    ("items", "budget", "asked"), [(1, 100, 5), (4, 100, 5), (60, 60, 5), (60, 10_000, 10)]
)
def test_a_function_that_always_raises_is_asked_a_few_times_and_no_more(
    tmp_path, strategy, items, budget, asked
):
    broken = Failing()
    plan = plan_of(broken, items=items, strategy=strategy)
    result = run(plan, tmp_path / "ledger.db", budget=budget * PRICE)
    (judge,) = result.judges
    assert broken.asked == judge.presumed == asked
    assert result.balance.spent == asked * PRICE
    assert result.end is End.JUDGES_OFF
    expected = f"raised an exception in each of its first {asked} calls (KeyError: 'temperature')"
    assert judge.switched_off == expected
    assert {call.reason for call in result.presumed} == {Reason.RAISED}


def test_the_other_judges_go_on_without_it(tmp_path):
    broken = Failing()
    result = run(plan_of(broken, fine), tmp_path / "ledger.db", budget=200 * PRICE)
    assert broken.asked == result.judges[0].presumed <= 10
    assert result.judges[0].switched_off is not None
    assert result.judges[1].switched_off is None
    assert result.balance.spent == result.balance.budget
    assert result.asked.all()


def test_a_function_that_raises_at_first_and_then_answers_stays(tmp_path):
    slow_to_start = Failing(1, 2, 3, 4)
    result = run(plan_of(slow_to_start), tmp_path / "ledger.db", budget=100 * PRICE)
    (judge,) = result.judges
    assert judge.switched_off is None
    assert judge.presumed == 4
    assert judge.answered > 90


def test_a_function_that_answered_and_then_raises_for_a_while_is_waited_for(tmp_path):
    """It may call a server that is down: switching it off at once would end a long run."""
    down_for_a_while = Failing(*range(21, 31))
    plan = plan_of(down_for_a_while, patience=HASTY)
    result = run(plan, tmp_path / "ledger.db", budget=100 * PRICE)
    (judge,) = result.judges
    assert judge.switched_off is None
    assert judge.answered > 60


def test_a_function_that_was_mended_is_asked_again(tmp_path):
    ledger = tmp_path / "ledger.db"
    broken = Failing()
    broken_plan = plan_of(broken, fine)
    run(broken_plan, ledger, budget=50 * PRICE)
    broken.calls = (0,)
    result = run(broken_plan, ledger, budget=200 * PRICE)
    assert result.judges[0].switched_off is None
    assert result.judges[0].scored > 0


def test_evaluate_tells_the_first_traceback(tmp_path):
    def broken(item):
        return item.metadata["temperature"]

    found = adjudge.evaluate(
        [{"id": f"i{n}", "response": "text"} for n in range(4)],
        [{"function": broken, "price_per_call": 0.001}],
        budget=0.1,
        scale="1..10",
        ledger=tmp_path / "ledger.sqlite",
    )
    assert found.spent == pytest.approx(0.005)
    assert np.isnan(found.scores).all()
    (off,) = [text for text in found.notices if text.startswith("broken was")]
    assert off == (
        "broken was switched off: raised an exception in each of its first 5 calls "
        "(KeyError: 'temperature'). What to change: correct the judge function."
    )
    (first,) = [text for text in found.notices if text.startswith("broken raised 5 exceptions")]
    assert 'return item.metadata["temperature"]' in first
