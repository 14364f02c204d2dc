"""What every judge must keep."""

import asyncio
from collections.abc import Iterator

import pytest

from adjudge.judges import FunctionJudge, Judge, RepeatsItself, SimulatedJudge
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Item, Verdict
from adjudge.testing.server import PracticeServer
from tests.live.support import PRICES, SCALE, openai_judge

ITEM = Item(id="a", prompt="Greet me.", response="Hello!")


def always_five(item: Item) -> int:
    return 5


async def always_six(item: Item) -> str:
    return "Score: 6"


@pytest.fixture(params=[*PROTOCOLS, "sync function", "async function", "simulated"])
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    if request.param in PROTOCOLS:
        with PracticeServer(prices=PRICES) as server:
            yield openai_judge(server.url_of(request.param), protocol=request.param)
    elif request.param == "simulated":
        yield SimulatedJudge(name="judge", scale=SCALE, price=100)
    else:
        function = always_five if request.param == "sync function" else always_six
        yield FunctionJudge("judge", function, scale=SCALE, price=100)


def ask(judge: Judge, *items: Item, salt: bytes = b"") -> list[object]:
    async def all_of_them() -> list[object]:
        await judge.open(salt=salt)
        try:
            return [await judge.score(item) for item in items]
        finally:
            await judge.close()

    return asyncio.run(all_of_them())


def test_it_gives_a_score_on_the_scale_within_its_quote(judge):
    (verdict,) = ask(judge, ITEM)
    assert isinstance(verdict, Verdict)
    mean = isinstance(judge, RepeatsItself) and judge.repeats_itself
    assert SCALE.low <= verdict.score <= SCALE.high if mean else SCALE.holds(verdict.score)
    assert verdict.cost.total <= judge.quote(ITEM).most.total
    assert judge.quote(ITEM).likely.total <= judge.quote(ITEM).most.total


def test_it_can_be_asked_again_and_opened_again(judge):
    assert len(ask(judge, ITEM, ITEM)) == 2
    assert len(ask(judge, ITEM)) == 1


def test_it_has_a_name_an_identity_and_a_preview(judge):
    assert judge.name == "judge"
    assert judge.identity
    assert "a" in judge.preview(ITEM)


def test_its_identity_does_not_change_by_itself(judge):
    before = judge.identity
    ask(judge, ITEM)
    assert judge.identity == before


def test_a_run_s_salt_changes_neither_its_quotes_nor_its_identity(judge):
    identity, quote = judge.identity, judge.quote(ITEM)
    (verdict,) = ask(judge, ITEM, salt=bytes(range(16)))
    assert isinstance(verdict, Verdict)
    assert (judge.identity, judge.quote(ITEM)) == (identity, quote)
