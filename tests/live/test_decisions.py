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

PRICES = Prices.of(input="0.10")
LABELS = Scale.of_labels({"good": 2, "poor": 0, "fair": 1})


QUESTIONS = ("Is it correct?", "Is it complete?")
BOTH = pytest.mark.parametrize("protocol", ["decisions", "systemone"])


def request(scale=SCALE, protocol="decisions", **settings):
    prompt = Prompt(scale=scale)
    return ChatRequest(model="m", prompt=prompt, protocol=PROTOCOLS[protocol], **settings)


def read(body, **settings):
    body |= {"usage": {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}}
    answer = HttpAnswer(status=200, headers={}, body=orjson.dumps(body))
    asked = request(**settings)
    return outcome_of(answer, prices=PRICES, scale=asked.prompt.scale, protocol=asked.protocol)


def outcome(*distributions, scale=SCALE, **settings):
    answers = [
        {"type": "score", "score": 1, "confidence": 1, "probabilities": levels}
        for levels in distributions
    ]
    return read({"answers": answers}, scale=scale, **settings)


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
    assert outcome(levels(poor=0.5, good=0.5), scale=LABELS).score == 1.0


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


@BOTH
def test_a_scale_of_too_many_scores_is_refused(protocol):
    with pytest.raises(InputError, match="use a scale of few"):
        request(Scale(low=0, high=1), protocol)
    if protocol == "systemone":
        with pytest.raises(InputError, match="at most 10"):
            request(Scale(low=0, high=10, whole=True), protocol)


def test_several_questions_are_asked_in_one_call_and_their_mean_is_the_score():
    body = orjson.loads(request(questions=QUESTIONS).body(Item(id="a", response="Hello!")))
    assert [question["instructions"] for question in body["questions"]] == list(QUESTIONS)
    verdict = outcome(levels(_3=1.0), levels(_6=0.5, _8=0.5), questions=QUESTIONS)
    assert verdict.score == 5.0
    assert verdict.text == "3: 1.000; 6: 0.500, 8: 0.500"


def test_a_question_without_an_answer_leaves_no_score():
    assert outcome(levels(_3=1.0), questions=QUESTIONS).reason is Reason.UNREADABLE
    assert outcome(levels(_3=1.0), levels(), questions=QUESTIONS).reason is Reason.UNREADABLE
    refused = {"answers": [{"type": "refusal"}, {"type": "score", "probabilities": levels(_3=1.0)}]}
    assert read(refused, questions=QUESTIONS).reason is Reason.DECLINED


def test_typesafe_names_levels_by_their_places():
    def answered(probabilities, **more):
        answer = {"type": "score", "score": 1.5, "confidence": 0.9, "probabilities": probabilities}
        return read({"answers": {"verdict": answer}}, protocol="systemone", **more)

    body = orjson.loads(request(LABELS, "systemone").body(Item(id="a", response="Hello!")))
    assert body["questions"]["verdict"]["criteria"][0] == "poor, from poor (worst) to good (best)"
    assert answered({"0": 0.1, "1": 0.1, "2": 0.8}, scale=LABELS).score == pytest.approx(1.7)
    assert answered({"0": 0.5, "9": 0.5}).score == 5.5
    for wrong in ({"3": 0.5, "10": 0.5}, {"0": 0.5}, {"0": "all"}, {}, None, [1.0]):
        assert answered(wrong).reason is Reason.UNREADABLE


def test_other_questions_are_another_judge():
    assert request(questions=QUESTIONS).identity != request().identity
    assert request(questions=QUESTIONS).identity != request(questions=QUESTIONS[:1]).identity


def play(server, path, strategy, protocol="decisions", **changes):
    judge = openai_judge(
        server.url_of(protocol), protocol=protocol, prices=PRICES, timeout=1.0,
        connect_timeout=0.5, **changes,
    )  # fmt: skip
    plan = Plan(items=some_items(6), judges=[judge], scale=SCALE, strategy=strategy, patience=HASTY)
    return run(plan, path / "ledger.db", budget=nano_dollars("0.01"))


@BOTH
@pytest.mark.parametrize("strategy", [Uniform(), Panel()], ids=["uniform", "panel"])
def test_it_is_asked_once_about_each_item_whatever_money_there_is(tmp_path, strategy, protocol):
    with PracticeServer(prices=PRICES) as server:
        result = play(server, tmp_path, strategy, protocol, questions=QUESTIONS)
        assert result.end is End.DONE
        assert result.scored.tolist() == [[1]] * 6
        assert server.requests == 6
        assert server.bill == result.balance.spent > 0
        assert result.problem.noiseless.tolist() == [True]


def test_a_refusal_is_asked_about_as_often_as_any_answer_without_a_score(tmp_path):
    with PracticeServer(prices=PRICES) as server:
        server.schedule = lambda number: Fault.DECLINED if number == 0 else None
        result = play(server, tmp_path, Uniform())
        assert result.scored.tolist() == [[1]] * 6
        assert result.judges[0].without_score == 1
        assert server.bill == result.balance.spent
