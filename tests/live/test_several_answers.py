"""Repeats about an item share a request where the endpoint takes it: their prompt is paid once."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import orjson
import pytest

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Uniform
from adjudge.judges import Prices
from adjudge.records import Reason, nano_dollars
from adjudge.run import Plan, run
from adjudge.testing.faults import Fault
from adjudge.testing.reply import Reply
from adjudge.testing.server import PracticeServer
from tests.live.books import rows
from tests.live.support import HASTY, PRICES, SCALE, openai_judge, some_items

BUDGET = nano_dollars("0.001")
BOTH = pytest.mark.parametrize("protocol", ["chat", "generate"])


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, wait=0.02, slow=1.0) as running:
        yield running


def play(
    server,
    path,
    *,
    protocol="chat",
    answers_per_request=4,
    items=3,
    budget=BUDGET,
    strategy=None,
    **changes,
):
    judge = openai_judge(
        server.url_of(protocol),
        protocol=protocol,
        answers_per_request=answers_per_request,
        timeout=0.5,
        connect_timeout=0.4,
        **changes,
    )
    plan = Plan(
        items=some_items(items),
        judges=[judge],
        scale=SCALE,
        strategy=strategy or Uniform(),
        patience=HASTY,
    )
    return run(plan, path / "ledger.db", budget=budget)


@BOTH
def test_repeats_share_a_request_and_each_is_an_answer_of_its_own(server, tmp_path, protocol):
    result = play(server, tmp_path, protocol=protocol)
    (judge,) = result.judges
    assert judge.scored == sum(server.billed.values()) > 12
    assert server.requests < 0.5 * judge.scored
    assert server.bill == result.balance.spent <= BUDGET
    entries, _ = rows(tmp_path / "ledger.db")
    places = [row[1:5] for row in entries.values()]
    assert len(set(places)) == len(places)


def test_answers_to_one_request_are_cheaper(server, tmp_path):
    together = play(server, tmp_path)
    price = together.balance.spent / together.judges[0].scored
    with PracticeServer(prices=PRICES) as other:
        (tmp_path / "alone").mkdir()
        alone = play(other, tmp_path / "alone", answers_per_request=1)
        assert price < 0.9 * alone.balance.spent / alone.judges[0].scored


def test_an_endpoint_that_refuses_it_is_asked_one_by_one_and_no_item_is_left_out(server, tmp_path):
    whole = server.reply_to

    def one_only(body, key):
        if orjson.loads(body).get("n", 1) > 1:
            server.requests += 1
            return Reply(body=b'{"error": {"message": "n must be 1"}}', billed=None, status=400)
        return whole(body, key)

    server.reply_to = one_only
    result = play(server, tmp_path)
    (judge,) = result.judges
    assert judge.rejected_items == ()
    assert judge.switched_off is None
    assert judge.refusals == {}
    assert judge.scored == sum(server.billed.values()) > 12
    assert server.bill == result.balance.spent <= BUDGET


def refusing(server, status, message, *, billed=False):
    whole = server.reply_to

    def one_only(body, key):
        if orjson.loads(body).get("n", 1) == 1:
            return whole(body, key)
        reply = whole(body, key) if billed else Reply(body=b"", billed=None)
        server.refused += 1
        error = orjson.dumps({"error": {"message": message}})
        return replace(reply, body=error, status=status)

    server.refused = 0
    server.reply_to = one_only


@BOTH
def test_it_is_found_out_who_takes_several_and_then_eight_go_together(server, tmp_path, protocol):
    result = play(server, tmp_path, protocol=protocol, answers_per_request=None)
    (judge,) = result.judges
    assert judge.scored == sum(server.billed.values()) > 12
    assert server.requests < 0.5 * judge.scored
    assert server.bill == result.balance.spent <= BUDGET


@pytest.mark.parametrize(("status", "billed"), [(400, False), (422, False), (500, True)])
def test_who_fails_at_several_is_asked_one_by_one_from_then_on(server, tmp_path, status, billed):
    refusing(server, status, "one only", billed=billed)
    result = play(server, tmp_path, answers_per_request=None, items=40, concurrency=2)
    (judge,) = result.judges
    assert judge.switched_off is None
    assert judge.rejected_items == ()
    assert judge.scored > 40
    # Those under way at the same time, and no other.
    assert 1 <= server.refused <= 3
    assert server.bill <= result.balance.spent <= BUDGET


def test_an_endpoint_that_gives_fewer_answers_is_charged_for_those_it_gave(server, tmp_path):
    whole = server.reply_to

    def ignore(body, key):
        asked = orjson.loads(body)
        asked.pop("n", None)
        return whole(orjson.dumps(asked), key)

    server.reply_to = ignore
    result = play(server, tmp_path)
    (judge,) = result.judges
    assert judge.scored == sum(server.billed.values()) > 12
    assert judge.refusals == {}
    assert server.bill == result.balance.spent <= BUDGET


@pytest.mark.parametrize(
    "fault",
    [
        Fault.THINKING, Fault.BILLED_500_SAID, Fault.NO_USAGE, Fault.EMPTY_CHOICES, Fault.SLOW,
        Fault.RESET_WITHIN_BODY, Fault.OVERRUN, Fault.TOO_MANY, Fault.ERROR_500, Fault.BAD_REQUEST,
    ],
)  # fmt: skip
def test_the_bill_stays_in_the_budget_whatever_happens_to_a_request(server, tmp_path, fault):
    server.schedule = lambda number: fault if number % 3 == 1 else None
    result = play(server, tmp_path, free_failures=True)
    owed = sum(call.excess for call in result.overcharged)
    assert server.bill <= result.balance.spent + owed
    assert result.balance.spent <= BUDGET
    assert result.balance.reserved == 0
    if fault in {Fault.THINKING, Fault.BILLED_500_SAID, Fault.TOO_MANY, Fault.ERROR_500}:
        assert server.bill == result.balance.spent


def test_a_price_per_call_is_charged_for_every_answer(server, tmp_path):
    server.prices = Prices.of(per_call="0.00002")
    result = play(server, tmp_path, prices=server.prices)
    (judge,) = result.judges
    assert server.requests < 0.5 * judge.scored
    assert result.balance.spent == judge.scored * nano_dollars("0.00002") <= BUDGET


def test_a_request_that_is_lost_loses_every_call_of_it(server, tmp_path):
    server.schedule = lambda number: Fault.RESET_BEFORE_BODY if number == 2 else None
    result = play(server, tmp_path)
    assert {call.reason for call in result.presumed} == {Reason.BROKEN_OFF}
    assert 1 <= len(result.presumed) <= 4
    assert server.bill <= result.balance.spent <= BUDGET


class Heard:
    """The requests that a server got: model, prompt and how many answers each asked for."""

    def __init__(self, server):
        self._whole, self.asked = server.reply_to, Counter()
        server.reply_to = self

    def __call__(self, body, key):
        fields = orjson.loads(body)
        self.asked[fields["model"], fields["messages"][-1]["content"], fields.get("n", 1)] += 1
        return self._whole(body, key)


@dataclass(frozen=True, slots=True)
class ElevenTimes(Uniform):
    """Eleven calls of every pair, in rounds of at most ten."""

    def next_batch(self, problem, evidence, remaining, rng):
        left = np.maximum(11 - evidence.calls, 0)
        return Allocation(counts=np.minimum(left, 10 - 3 * (np.arange(len(left))[:, None] % 2)))


def test_what_shares_a_request_follows_from_the_plan_and_not_from_when_answers_come(tmp_path):
    played = []
    for concurrency, latency in [(1, 0.0), (4, 0.001), (16, 0.0), (16, 0.003)]:
        with PracticeServer(prices=PRICES, latency=latency) as server:
            heard = Heard(server)
            folder = tmp_path / f"{concurrency}-{latency}"
            folder.mkdir()
            result = play(
                server,
                folder,
                answers_per_request=None,
                concurrency=concurrency,
                items=4,
                budget=nano_dollars("0.01"),
                strategy=ElevenTimes(),
            )
            assert server.bill == result.balance.spent
            played.append((heard.asked, result.judges[0].scored, result.balance.spent))
    assert played[1:] == played[:-1]
    sizes = Counter()
    for (_, _, count), often in played[0][0].items():
        sizes[count] += often
    # The first item tries two; the others' ten and seven go as eight and two, and as seven.
    assert sizes == {8: 2, 7: 2, 4: 2, 2: 2, 1: 2}


def test_no_request_takes_more_than_half_of_the_money(server, tmp_path):
    heard = Heard(server)
    result = play(server, tmp_path, answers_per_request=8, budget=nano_dollars("0.0003"))
    most = max(count for _, _, count in heard.asked)
    assert 1 < most < 8
    assert server.bill == result.balance.spent <= nano_dollars("0.0003")


def test_one_request_finds_out_who_gives_one_answer_only(server, tmp_path):
    heard = Heard(server)
    ask = server.reply_to

    def ignore(body, key):
        fields = orjson.loads(body)
        reply = ask(body, key) if fields.get("n", 1) == 1 else None
        if reply is None:  # heard as it was asked, answered as if it had not been
            heard.asked["several"] += 1
            fields.pop("n")
            reply = ask(orjson.dumps(fields), key)
        return reply

    server.reply_to = ignore
    result = play(server, tmp_path, answers_per_request=None, items=30)
    assert heard.asked.pop("several") == 1
    assert {count for _, _, count in heard.asked} == {1}
    assert result.judges[0].scored == sum(server.billed.values()) > 30
    assert server.bill == result.balance.spent <= BUDGET


def test_a_busy_endpoint_is_asked_for_the_same_answers_together_later(server, tmp_path):
    server.schedule = lambda number: Fault.TOO_MANY if number in {0, 3, 4} else None
    heard = Heard(server)
    result = play(server, tmp_path, answers_per_request=None, free_failures=True)
    ((reason, refused),) = result.judges[0].refusals.items()
    # Which requests come fourth and fifth, and so how many answers they are for, is a race.
    assert reason is Reason.BUSY
    assert 2 + 3 + 3 <= refused <= 2 + 8 + 8
    assert {count for _, _, count in heard.asked if count not in {2, 8}} <= {1, 3, 4, 5, 6, 7}
    assert server.bill == result.balance.spent <= BUDGET
