"""In every protocol the provider's bill stays in the budget, and the ledger is equal to it."""

from typing import Any

import numpy as np
import orjson
import pytest

from adjudge.core.strategies import Uniform
from adjudge.judges import Prices
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Reason, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.testing.faults import Fault
from adjudge.testing.limit import RequestLimit
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, KEY, SCALE, openai_judge, some_items

BUDGET = nano_dollars("0.0006")
PRICES = Prices.of(
    input="0.15",
    cached_input="0.015",
    cache_write="0.1875",
    output="0.60",
    service_tiers={"flex": "0.5", "priority": 2},
)
STATED = (
    None, Fault.CACHE_WRITE, Fault.LONG_CACHE_WRITE, Fault.CACHE_READ, Fault.THINKING,
    Fault.CHEAPER_TIER, Fault.DECLINED, Fault.CUT_SHORT, Fault.OUT_OF_RANGE,
)  # fmt: skip
"""What is billed by a usage that the answer states."""
OFF_AT_ONCE = (Fault.OUT_OF_CREDIT, Fault.SPEND_LIMIT, Fault.WRONG_KEY, Fault.DEARER_TIER)
EACH = pytest.mark.parametrize("protocol", sorted(PROTOCOLS.keys() - {"decisions", "systemone"}))
OWN = pytest.mark.parametrize("protocol", ["chat", "converse", "generate", "messages"])
"""Those with a form of their own; the others are chat completions."""


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, slow=1.0, wait=0.02) as running:
        yield running


def play(
    server: PracticeServer, path, protocol: str, *, items: int = 3, budget=BUDGET, **changes: Any
):
    settings = {"timeout": 0.5, "connect_timeout": 0.4, "prices": PRICES, **changes}
    judge = openai_judge(server.url_of(protocol), "ann", protocol=protocol, **settings)
    plan = Plan(
        items=some_items(items), judges=[judge], scale=SCALE, strategy=Uniform(), patience=HASTY
    )
    return run(plan, path / "ledger.db", budget=budget)


@EACH
@pytest.mark.parametrize("fault", STATED)
def test_the_ledger_is_equal_to_the_bill_where_usage_is_stated(server, tmp_path, protocol, fault):
    server.schedule = lambda number: fault if number % 3 == 1 else None
    result = play(server, tmp_path, protocol)
    assert result.end in {End.BUDGET, End.DONE}
    assert result.judges[0].scored > 3
    assert server.bill == result.balance.spent <= BUDGET
    assert (result.judges[0].without_score > 0) == (
        fault in {Fault.DECLINED, Fault.CUT_SHORT, Fault.OUT_OF_RANGE}
    )


@EACH
@pytest.mark.parametrize("fault", OFF_AT_ONCE)
def test_no_credit_no_key_or_a_dearer_tier_switch_the_judge_off_at_once(
    server, tmp_path, protocol, fault
):
    server.schedule = lambda number: fault if number >= 2 else None
    result = play(server, tmp_path, protocol, concurrency=1, service_tier="default")
    by_amount = protocol == "openrouter" and fault is Fault.DEARER_TIER
    if by_amount:  # what it bills is what it says it bills
        assert result.end is End.BUDGET
    else:
        assert result.end is End.JUDGES_OFF
        assert server.requests == 3
    assert server.bill <= result.balance.spent <= BUDGET
    assert KEY not in repr(result)


@EACH
@pytest.mark.parametrize("fault", [Fault.TOO_MANY_WAIT_SECONDS, Fault.OVERLOADED])
def test_a_judge_that_is_too_busy_is_tried_again_and_costs_nothing_for_it(
    server, tmp_path, protocol, fault
):
    server.schedule = lambda number: fault if number in {3, 4} else None
    result = play(server, tmp_path, protocol, free_failures=True)
    (judge,) = result.judges
    assert judge.refusals == {Reason.BUSY: 2}
    assert judge.rejected_items == ()
    assert judge.switched_off is None
    assert server.bill == result.balance.spent <= BUDGET


@OWN
@pytest.mark.parametrize(
    "fault",
    [Fault.NO_USAGE, Fault.ABSURD_USAGE, Fault.EMPTY_CHOICES, Fault.BILLED_500, Fault.OVERRUN],
)
def test_the_bill_never_exceeds_the_budget_whatever_is_stated(server, tmp_path, protocol, fault):
    server.schedule = lambda number: fault if number % 4 == 2 else None
    result = play(server, tmp_path, protocol)
    owed = sum(call.excess for call in result.overcharged)
    assert server.bill <= result.balance.spent + owed
    assert result.balance.spent <= BUDGET
    assert np.isfinite(result.estimate.score).all()


@OWN
@pytest.mark.parametrize("per_call", [False, True])
def test_answers_that_do_not_say_what_they_used_are_counted_and_charged_at_their_worst_case(
    server, tmp_path, protocol, per_call
):
    server.schedule = lambda number: Fault.NO_USAGE if number % 2 else None
    prices = Prices.of(per_call="0.00003") if per_call else PRICES
    (judge,) = play(server, tmp_path, protocol, prices=prices).judges
    assert judge.answered > 4
    assert judge.unstated == (0 if per_call else judge.answered // 2)


@EACH
def test_an_unset_service_tier_is_sent_as_the_ordinary_one_where_there_are_tiers(
    server, tmp_path, protocol
):
    asked = []
    whole = server.reply_in

    def noted(dialect, path, body, key):
        asked.append(dialect.asked(path, orjson.loads(body)).service_tier)
        return whole(dialect, path, body, key)

    server.reply_in = noted
    play(server, tmp_path, protocol, items=2)
    tiered = protocol in {"messages", "generate", "converse"}
    assert set(asked) == {"default" if tiered else None}


def test_openrouter_is_charged_what_it_says_and_not_what_the_price_list_says(server, tmp_path):
    server.prices = Prices.of(input="0.1", output="0.7")
    result = play(server, tmp_path, "openrouter")
    assert server.bill == result.balance.spent <= BUDGET
    assert result.judges[0].scored > 3


@pytest.mark.parametrize("protocol", ["chat", "messages"])
def test_told_limits_pace_the_calls_before_any_is_refused(server, tmp_path, protocol):
    server.latency = 0.002
    limit = server.limit = RequestLimit(requests=10, per_second=100)
    budget = nano_dollars("0.0015")
    result = play(server, tmp_path, protocol, budget=budget, concurrency=16)
    assert result.judges[0].scored > 30
    assert limit.refused == 0
    assert server.bill == result.balance.spent


def test_limits_that_are_not_told_are_found_by_refusals(server, tmp_path):
    server.latency = 0.002
    limit = server.limit = RequestLimit(requests=10, per_second=100, told=False)
    budget = nano_dollars("0.0015")
    result = play(server, tmp_path, "chat", budget=budget, concurrency=16, free_failures=True)
    assert limit.refused > 0
    assert server.bill == result.balance.spent
