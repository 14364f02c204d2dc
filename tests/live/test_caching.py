"""Prompts are written to a provider's cache where they will be read from it, and nowhere else."""

from datetime import date

import numpy as np
import orjson
import pytest

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Uniform
from adjudge.judges import Prices
from adjudge.judges.price_list import looked_up
from adjudge.judges.protocol import Caching
from adjudge.records import Item, nano_dollars
from adjudge.run import Plan, run
from adjudge.run.requests import requests_of
from adjudge.testing.faults import Fault
from adjudge.testing.reply import Reply
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, SCALE, openai_judge, some_items

BUDGET = nano_dollars("0.0015")
PRICES = Prices.of(input="1", cached_input="0.1", cache_write="1.25", output="2")
ITEM = Item(id="a", response="Hello!")


class CachingServer(PracticeServer):
    """Keeps the prompts that it is told to keep, and bills accordingly."""

    def __init__(self, **settings):
        super().__init__(schedule=self._cached, **settings)
        self.kept = set()
        self.told = []

    def reply_in(self, dialect, path, body, key):
        self.told.append(b'"cache_control"' in body or b'"cachePoint"' in body)
        self.prompt = dialect.asked(path, orjson.loads(body)).prompt
        return super().reply_in(dialect, path, body, key)

    def _cached(self, number):
        if not self.told[-1]:
            return None
        if self.prompt in self.kept:
            return Fault.CACHE_READ
        self.kept.add(self.prompt)
        return Fault.CACHE_WRITE


class Once(Uniform):
    """One call about each item."""

    def next_batch(self, problem, evidence, remaining, rng):
        return Allocation(counts=np.maximum(1 - evidence.calls, 0))


BOTH = pytest.mark.parametrize("protocol", ["messages", "converse"])


def play(server, path, *, items, budget=BUDGET, strategy=None, protocol="messages", prices=PRICES):
    judge = openai_judge(server.url_of(protocol), protocol=protocol, prices=prices, concurrency=2)
    plan = Plan(
        items=some_items(items),
        judges=[judge],
        scale=SCALE,
        strategy=strategy or Uniform(),
        patience=HASTY,
    )
    return run(plan, path / "ledger.db", budget=budget)


@BOTH
def test_repeats_find_their_prompt_in_the_cache_and_are_cheaper(tmp_path, protocol):
    with CachingServer(prices=PRICES) as server:
        result = play(server, tmp_path, items=2, protocol=protocol)
        assert any(server.told)
        assert server.bill == result.balance.spent <= BUDGET
        assert result.judges[0].scored > 1.5 * BUDGET / _alone(tmp_path / "alone", protocol)


def _alone(path, protocol):
    """What a call costs that is not cached."""
    path.mkdir()
    with PracticeServer(prices=PRICES) as server:
        result = play(server, path, items=2, budget=BUDGET // 4, protocol=protocol)
        return result.balance.spent / result.judges[0].scored


@BOTH
def test_a_single_call_pays_for_no_cache(tmp_path, protocol):
    with CachingServer(prices=PRICES) as server:
        result = play(server, tmp_path, items=6, strategy=Once(), protocol=protocol)
        assert result.scored.tolist() == [[1]] * 6
        assert not any(server.told)


@pytest.mark.parametrize(
    ("model", "single"), [("gpt-5.6", {"mode": "explicit"}), ("gpt-4o-mini", None)]
)
def test_openai_is_told_not_to_cache_what_is_sent_once(model, single):
    prices = looked_up(f"openai/{model}", day=date(2026, 11, 18))
    judge = openai_judge("https://api.openai.com/v1", model=model, prices=prices)
    request = judge._settings.request

    def options(caching):
        return orjson.loads(request.varied(request.body(ITEM), 1, caching)).get(
            "prompt_cache_options"
        )

    assert options(judge._alone) == single
    assert options(Caching.WORTH_IT) is None


def test_prices_that_were_typed_say_nothing_of_what_a_model_takes():
    judge = openai_judge("https://api.openai.com/v1", prices=Prices.of(input=1, output=2))
    assert judge._alone is Caching.UNSAID


@BOTH
def test_a_model_whose_cache_saves_nothing_is_told_nothing_of_it(tmp_path, protocol):
    with CachingServer(prices=Prices.of(input=1, output=2)) as server:
        play(server, tmp_path, items=2, protocol=protocol, prices=Prices.of(input=1, output=2))
        assert len(server.told) > 4
        assert not any(server.told)


@pytest.mark.parametrize(
    ("protocol", "status", "message"),
    [
        ("messages", 400, "unknown"),
        ("converse", 400, "extraneous key"),
        ("converse", 403, "You invoked an unsupported model or prompt caching is not allowed"),
    ],
)
def test_an_endpoint_that_refuses_words_about_its_cache_is_asked_without(
    tmp_path, protocol, status, message
):
    with PracticeServer(prices=PRICES) as server:
        whole = server.reply_in

        def refusing(dialect, path, body, key):
            if b'"cache_control"' in body or b'"cachePoint"' in body:
                said = {"message": message, "error": {"message": message}}
                return Reply(body=orjson.dumps(said), billed=None, status=status)
            return whole(dialect, path, body, key)

        server.reply_in = refusing
        result = play(server, tmp_path, items=2, protocol=protocol)
        (judge,) = result.judges
        assert judge.rejected_items == ()
        assert judge.refusals == {}
        assert judge.scored > 4
        assert server.bill == result.balance.spent <= BUDGET


def test_repeats_go_before_calls_about_items_further_down():
    counts = np.array([2, 1, 0, 3, 2])
    nothing = np.zeros(5, int)
    calls = requests_of(
        counts,
        nothing,
        0,
        nothing,
        several=lambda: 1,
        known=lambda: True,
        covered=1,
        abreast=2,
    )
    order = [(call.item, call.ordinal, call.repeated) for (call,) in calls]
    assert order == [
        (0, 0, True), (1, 0, False), (0, 1, True),
        (3, 0, True), (4, 0, True), (3, 1, True), (4, 1, True), (3, 2, True),
    ]  # fmt: skip
