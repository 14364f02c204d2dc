"""Means by log-probabilities are believed where they can be, and it is recorded which is which."""

import asyncio
import math

import pytest

from adjudge.core.strategies import Uniform
from adjudge.judges import Scale
from adjudge.judges.expected_score import EXPECTED, Token, expected_score
from adjudge.records import Item, nano_dollars
from adjudge.run import Plan, ledger_calls, run
from adjudge.testing.server import PracticeServer
from tests.live.support import PRICES, SCALE, openai_judge, some_items

FIVE = Scale(low=1, high=5, whole=True)
TEN = Scale(low=1, high=10, whole=True)
LABELS = Scale.of_labels({"poor": 0, "fair": 1, "good": 2})


def spelled(before, likely, after=()):
    place = Token(max(likely, key=likely.get), [(t, math.log(p)) for t, p in likely.items()])
    return [*(Token(text, [(text, 0.0)]) for text in before), place, *(Token(t, []) for t in after)]


JSON = ['{"reason": "4 of 5 points', '", "', "score", '": ']


@pytest.mark.parametrize(
    ("tokens", "sampled", "scale", "mean"),
    [
        (spelled(JSON, {"4": 0.5, "3": 0.25, "5": 0.25}, ["}"]), 4, FIVE, 4.0),
        (spelled(JSON, {"4": 0.6, "3": 0.4}, ["}"]), 4, FIVE, 3.6),
        (spelled(JSON, {"4": 0.6, " 4": 0.1, "3": 0.27, "x": 0.03}, ["}"]), 4, FIVE, None),
        (spelled(["Score", ":"], {" 4": 0.6, " 3": 0.4}), 4, FIVE, 3.6),
        (spelled([], {"4": 0.6, "3": 0.4}), 4, FIVE, 3.6),
        (spelled(JSON, {"9": 0.6, "10": 0.4}, ["}"]), 9, TEN, 9.4),
        (spelled([*JSON[:3], '": "'], {"good": 0.5, "fair": 0.5}, ['"}']), 2, LABELS, 1.5),
    ],
)
def test_the_mean_is_over_the_scores_that_might_have_been_said(tokens, sampled, scale, mean):
    found = expected_score(tokens, sampled, scale)
    if mean is None:
        mean = (0.7 * 4 + 0.27 * 3) / 0.97
    assert found.note == EXPECTED
    assert found.score == pytest.approx(mean)


@pytest.mark.parametrize(
    ("tokens", "sampled", "scale", "why"),
    [
        (None, 4, FIVE, "no log-probabilities came"),
        ([], 4, FIVE, "no log-probabilities came"),
        (spelled(JSON, {"4": 0.6, "three": 0.4}, ["}"]), 4, FIVE, "0.60 of the probability"),
        (spelled(JSON, {"1": 0.6, "2": 0.4}, ["0}"]), 10, TEN, "it is not one token"),
        (spelled(JSON, {"1": 0.6, "2": 0.4}, ["0}"]), 1, TEN, "it is not one token"),
        (spelled(JSON, {"1": 0.6, "2": 0.4}, ["}"]), 1, TEN, "more than one token"),
        (spelled(["I saw "], {"4": 1.0}, [" errors"]), 4, FIVE, "it is not one token"),
        ([Token("4", [("4", 5.0)])], 4, FIVE, "are none"),
        ([Token("4", [("4", math.nan)])], 4, FIVE, "are none"),
        ([Token("4", [("4", 0.0), ("3", 0.0)])], 4, FIVE, "2.00 of the probability"),
    ],
)
def test_what_cannot_be_believed_leaves_the_sampled_score_and_says_why(tokens, sampled, scale, why):
    found = expected_score(tokens, sampled, scale)
    assert found.score is None
    assert found.note.startswith("sampled score: ")
    assert why in found.note


def test_a_long_answer_of_nothing_but_scores_takes_no_time():
    tokens = [Token("4", [("4", 0.0)])] * 200_000
    assert expected_score(tokens, 3, FIVE).score is None


@pytest.mark.parametrize("protocol", ["chat", "generate"])
def test_a_judge_gives_means_and_the_ledger_says_which_scores_are_means(tmp_path, protocol):
    def answer(model, prompt, number):
        return '{"score": 7}' if "item-1" in prompt else '{"score": 10}'

    with PracticeServer(prices=PRICES, answer=answer) as server:
        judge = openai_judge(server.url_of(protocol), protocol=protocol, logprobs=True)
        plan = Plan(items=some_items(2), judges=[judge], scale=SCALE, strategy=Uniform())
        result = run(plan, tmp_path / "ledger.db", budget=nano_dollars("0.0005"))
        assert server.bill > 0
    remarks = [note.text for note in result.notes if "log-probabilities" in note.text]
    assert len(remarks) == 1
    calls = list(ledger_calls(plan, tmp_path / "ledger.db"))
    sampled = {"sampled score: 0.75 of the probability is seen"}
    assert {call.detail for call in calls if call.item == "item-0"} == sampled
    assert {call.score for call in calls if call.item == "item-0"} == {10.0}
    ambiguous = {"sampled score: a score may be more than one token"}
    assert {call.detail for call in calls if call.item == "item-1"} == ambiguous


def test_means_of_a_scale_of_single_tokens_come_through(tmp_path):
    scale = Scale(low=1, high=9, whole=True)
    prompt = openai_judge("http://127.0.0.1/v1")._settings.request.prompt
    with PracticeServer(prices=PRICES, answer=lambda *_: "Score: 8") as server:
        judge = openai_judge(
            server.url, logprobs=True, prompt=type(prompt)(scale=scale, user=prompt.user)
        )

        async def asking():
            await judge.open()
            try:
                return await judge.score(Item(id="a", response="Hello!"))
            finally:
                await judge.close()

        verdict = asyncio.run(asking())
    assert verdict.note == EXPECTED
    assert verdict.score == pytest.approx(8.0)


def test_means_and_sampled_scores_are_two_judges():
    with_means = openai_judge("http://127.0.0.1/v1", logprobs=True)
    assert with_means.identity != openai_judge("http://127.0.0.1/v1").identity
