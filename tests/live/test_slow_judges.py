"""Healthy judges go on while a slow or hanging one is waited for."""

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Panel, Uniform
from adjudge.judges import FunctionJudge, Limits
from adjudge.records import Reason, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, PRICES, SCALE, openai_judge, some_items

PRICE = nano_dollars("0.001")


class Hanging:
    """A judge that answers when it is told to, and not before."""

    def __init__(self):
        self.asked = 0
        self.go = threading.Event()

    def __call__(self, item):
        self.asked += 1
        self.go.wait(60)
        return 5


def quick(calls, seed):
    rng = np.random.default_rng(seed)

    def score(item):
        calls.append(time.monotonic())
        return int(np.clip(rng.normal(5 + int(item.id[5:]) % 3, 1), 1, 10))

    return score


def plan_with(slow, calls, **changes):
    judges = [
        FunctionJudge("ann", quick(calls, 1), scale=SCALE, price=PRICE),
        FunctionJudge("bob", quick(calls, 2), scale=SCALE, price=PRICE),
        FunctionJudge("cas", slow, scale=SCALE, price=PRICE, timeout=60),
    ]
    settings = {
        "items": some_items(20),
        "scale": SCALE,
        "strategy": Panel(),
        "patience": HASTY,
        **changes,
    }
    return Plan(judges=judges, **settings)


def test_a_hanging_judge_does_not_keep_the_others_from_spending_the_budget(tmp_path):
    hanging, calls = Hanging(), []

    def release_once_the_others_are_done(settlements):
        if len(calls) >= 95:
            hanging.go.set()

    result = run(
        plan_with(hanging, calls),
        tmp_path / "ledger.db",
        budget=100 * PRICE,
        on_settled=release_once_the_others_are_done,
    )
    ann, bob, cas = result.judges
    assert hanging.go.is_set(), "the others waited for the judge that hangs"
    assert ann.scored + bob.scored >= 95
    assert cas.scored == hanging.asked > 0
    assert result.balance.reserved == 0
    assert result.end in {End.BUDGET, End.DONE}
    assert any("went on without it" in note.text for note in result.notes)


def test_a_strategy_with_a_fixed_design_waits_for_every_judge(tmp_path):
    hanging, calls = Hanging(), []

    def release_later(settlements):
        if len(calls) >= 40:
            hanging.go.set()

    result = run(
        plan_with(hanging, calls, strategy=Uniform()),
        tmp_path / "ledger.db",
        budget=60 * PRICE,
        on_settled=release_later,
    )
    assert [judge.scored for judge in result.judges] == [20, 20, 20]


def test_a_judge_that_hangs_to_its_timeout_is_presumed_billed_and_the_rest_is_spent(tmp_path):
    with PracticeServer(prices=PRICES) as server, PracticeServer(prices=PRICES, latency=30) as dead:
        judges = [
            openai_judge(server.url, "ann"),
            openai_judge(server.url, "bob"),
            openai_judge(dead.url, "cas", timeout=1.5, connect_timeout=1.0),
        ]
        budget = nano_dollars("0.004")
        plan = Plan(
            items=some_items(12), judges=judges, scale=SCALE, strategy=Panel(), patience=HASTY
        )
        result = run(plan, tmp_path / "ledger.db", budget=budget)
    ann, bob, cas = result.judges
    assert {call.reason for call in result.presumed} <= {Reason.TIMED_OUT}
    assert (cas.scored, cas.presumed) == (0, len(result.presumed))
    assert ann.spent + bob.spent + cas.spent > 0.9 * budget
    assert server.bill <= result.balance.spent <= budget
    assert ann.spent + bob.spent == server.bill


@pytest.mark.parametrize("again", [0, 1, 2])
def test_a_pair_that_never_gives_a_score_is_asked_again_so_often_in_all_rounds(tmp_path, again):
    calls: list[float] = []
    asked: dict[str, int] = {}

    def often_silent(item):
        asked[item.id] = asked.get(item.id, 0) + 1
        return None if int(item.id[5:]) % 2 else 5

    plan = plan_with(often_silent, calls, ask_again=again)
    run(plan, tmp_path / "ledger.db", budget=400 * PRICE)
    run(plan, tmp_path / "ledger.db", budget=800 * PRICE)
    silent = [count for item, count in asked.items() if int(item[5:]) % 2]
    assert silent
    assert max(silent) <= 1 + again


def test_an_item_about_which_a_function_always_raises_is_given_up(tmp_path):
    asked: dict[str, int] = {}

    def often_raising(item):
        asked[item.id] = asked.get(item.id, 0) + 1
        if int(item.id[5:]) % 4 == 1:
            raise KeyError(item.id)
        return 5

    plan = plan_with(often_raising, [])
    run(plan, tmp_path / "ledger.db", budget=400 * PRICE)
    run(plan, tmp_path / "ledger.db", budget=800 * PRICE)
    raising = [count for item, count in asked.items() if int(item[5:]) % 4 == 1]
    assert raising
    # A round may hold several calls about an item before its exceptions are known.
    assert max(raising) <= 2 * HASTY.attempts


def test_a_judge_whose_first_answers_have_no_score_is_switched_off(tmp_path):
    calls: list[float] = []
    result = run(
        plan_with(lambda item: "Sure! I would be glad to help.", calls, items=some_items(60)),
        tmp_path / "ledger.db",
        budget=400 * PRICE,
    )
    cas = result.judges[2]
    assert cas.answered < 20
    assert "no readable score" in cas.switched_off
    assert "Sure! I would be glad to help." in cas.switched_off


@dataclass(frozen=True, slots=True)
class FiveAtOnce(Uniform):
    """Five calls of every pair, in one round."""

    def next_batch(self, problem, evidence, remaining, rng):
        return Allocation(counts=np.maximum(5 - evidence.calls, 0) * (evidence.calls == 0))


def test_a_pair_without_a_score_is_given_up_within_a_round_too(tmp_path):
    asked: dict[str, int] = {}

    async def often_silent(item):
        asked[item.id] = asked.get(item.id, 0) + 1
        return None if int(item.id[5:]) % 2 else 5

    judge = FunctionJudge("j", often_silent, scale=SCALE, price=PRICE, limits=Limits(concurrency=1))
    plan = Plan(items=some_items(8), judges=[judge], scale=SCALE, strategy=FiveAtOnce())
    run(plan, tmp_path / "ledger.db", budget=400 * PRICE)
    assert [asked[f"item-{k}"] for k in range(8)] == [5, 2] * 4


def test_a_judge_that_gives_scores_but_rarely_is_switched_off(tmp_path):
    said: list[float] = []

    def rarely(item):
        said.append(1)
        return 5 if len(said) % 10 == 1 else "Let me tell you a story."

    judge = FunctionJudge("j", rarely, scale=SCALE, price=PRICE, limits=Limits(concurrency=1))
    plan = Plan(items=some_items(60), judges=[judge], scale=SCALE, strategy=Uniform())
    result = run(plan, tmp_path / "ledger.db", budget=2000 * PRICE)
    (found,) = result.judges
    assert found.answered == 40
    assert "gave a readable score in 4 of 40 answers only" in found.switched_off
    assert "Let me tell you a story." in found.switched_off
