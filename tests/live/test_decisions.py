"""A judge that answers with a distribution over levels: its mean is the score, once is enough."""

import orjson
import pytest

from adjudge.core.strategies import Panel, Uniform
from adjudge.errors import InputError
from adjudge.judges import ChatRequest, Prices, Prompt, Scale
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.providers import PROTOCOLS
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Item, Reason, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, SCALE, openai_judge, some_items

DECISIONS = PROTOCOLS["decisions"]
PRICES = Prices.of(input="0.10")
LABELS = Scale.of_labels({"good": 2, "poor": 0, "fair": 1})


def request(scale=SCALE, **settings):
    return ChatRequest(model="m", prompt=Prompt(scale=scale), protocol=DECISIONS, **settings)


def outcome(levels, scale=SCALE):
    body = {
        "answers": [{"type": "score", "score": 1, "confidence": 1, "probabilities": levels}],
        "usage": {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105},
    }
    answer = HttpAnswer(status=200, headers={}, body=orjson.dumps(body))
    return outcome_of(answer, prices=PRICES, scale=scale, protocol=DECISIONS)


def levels(**shares):
    return [
        {"label": label.strip("_"), "value": value, "probability": share}
        for value, (label, share) in enumerate(shares.items())
    ]


def test_the_levels_are_asked_for_from_the_worst_to_the_best():
    body = orjson.loads(request(LABELS).body(Item(id="a", response="Hello!")))
    (question,) = body["questions"]
    assert [level["label"] for level in question["levels"]] == ["poor", "fair", "good"]
    assert [message["role"] for message in body["input"]] == ["system", "user"]


def test_the_score_is_the_mean_of_the_distribution():
    verdict = outcome(levels(_3=0.25, _7=0.75))
    assert (verdict.score, verdict.text) == (6.0, "3: 0.250, 7: 0.750")
    assert verdict.cost.total == 100 * 100
    assert outcome(levels(poor=0.5, good=0.5), LABELS).score == 1.0


@pytest.mark.parametrize(
    "given",
    [levels(_3=0.25), levels(_3=0.5, _30=0.5), levels(_3=1.5, _7=-0.5), levels(), "none", None],
)
def test_what_is_no_distribution_over_the_scale_is_no_score(given):
    verdict = outcome(given)
    assert verdict.score is None
    assert verdict.reason is Reason.UNREADABLE


@pytest.mark.parametrize(
    "settings",
    [{"effort": "low"}, {"temperature": 1.0}, {"service_tier": "flex"}, {"answers_per_request": 2}],
)
def test_settings_that_decisions_have_not_are_refused(settings):
    with pytest.raises(InputError, match="leave it out"):
        request(**settings)


def test_a_scale_of_too_many_scores_is_refused():
    with pytest.raises(InputError, match="use a scale of few"):
        request(Scale(low=0, high=1))


def play(server, path, strategy):
    judge = openai_judge(
        server.url_of("decisions"), protocol="decisions", prices=PRICES, timeout=1.0,
        connect_timeout=0.5,
    )  # fmt: skip
    plan = Plan(items=some_items(6), judges=[judge], scale=SCALE, strategy=strategy, patience=HASTY)
    return run(plan, path / "ledger.db", budget=nano_dollars("0.01"))


@pytest.mark.parametrize("strategy", [Uniform(), Panel()], ids=["uniform", "panel"])
def test_it_is_asked_once_about_each_item_whatever_money_there_is(tmp_path, strategy):
    with PracticeServer(prices=PRICES) as server:
        result = play(server, tmp_path, strategy)
        assert result.end is End.DONE
        assert result.scored.tolist() == [[1]] * 6
        assert server.requests == 6
        assert server.bill == result.balance.spent > 0


def test_a_refusal_is_asked_about_as_often_as_any_answer_without_a_score(tmp_path):
    with PracticeServer(prices=PRICES) as server:
        server.schedule = lambda number: Fault.DECLINED if number == 0 else None
        result = play(server, tmp_path, Uniform())
        assert result.scored.tolist() == [[1]] * 6
        assert result.judges[0].without_score == 1
        assert server.bill == result.balance.spent
