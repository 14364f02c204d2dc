import orjson
import pytest

from adjudge.judges import Prices, Scale
from adjudge.judges.chat_answer import outcome_of, retry_after
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Lost, Reason, Refused, Verdict

SCALE = Scale(low=1, high=10, whole=True)
PRICES = Prices.of(input=1, cached_input="0.1", output=2)
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def outcome(body, status=200, headers=None):
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    return outcome_of(
        HttpAnswer(status=status, headers=headers or {}, body=raw), prices=PRICES, scale=SCALE
    )


def completion(content="Score: 7", usage=USAGE, **message):
    choice = {"message": {"content": content, **message}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": usage}


def test_a_completion_is_a_score_at_its_cost():
    verdict = outcome(completion())
    assert verdict.score == 7
    assert verdict.cost.total == 100 * 1000 + 10 * 2000
    assert (verdict.prompt_tokens, verdict.output_tokens) == (100, 10)


def test_cached_tokens_are_billed_at_their_own_price():
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 60}}
    assert outcome(completion(usage=usage)).cost.input == 40 * 1000 + 60 * 100


def test_tokens_of_reasoning_that_only_the_total_shows_are_billed():
    assert outcome(completion(usage={**USAGE, "total_tokens": 1110})).output_tokens == 1010


def test_content_in_parts_is_joined():
    assert outcome(completion([{"type": "text", "text": "Score:"}, {"text": " 7"}])).score == 7


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [],
        {"prompt_tokens": 0, "completion_tokens": 5},
        {"prompt_tokens": 9, "completion_tokens": 0},
        {"prompt_tokens": -1, "completion_tokens": 5},
        {"prompt_tokens": "9", "completion_tokens": 5},
        {"prompt_tokens": 9, "completion_tokens": True},
        {"prompt_tokens": 9.5, "completion_tokens": 1},
        {"prompt_tokens": 10**15, "completion_tokens": 1},
    ],
)
def test_usage_that_is_no_usage_leaves_the_cost_unknown(usage):
    verdict = outcome(completion(usage=usage))
    assert verdict.score == 7
    assert verdict.cost is None


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.MALFORMED),
        (b"<html>", Reason.MALFORMED),
        (b'{"choices": [{"mess', Reason.MALFORMED),
        (b'{"choices": [{"message": {"content": "\xff 7"}}]}', Reason.MALFORMED),
        (b"[]", Reason.MALFORMED),
        (b"7", Reason.MALFORMED),
        ({"choices": None}, Reason.MALFORMED),
        ({"choices": [7]}, Reason.MALFORMED),
        ({"choices": []}, Reason.EMPTY),
        ({}, Reason.EMPTY),
        (completion(None), Reason.EMPTY),
        (completion(""), Reason.EMPTY),
        (completion(None, refusal="I would rather not."), Reason.DECLINED),
        (completion("No idea."), Reason.UNREADABLE),
        (completion("Score: 99"), Reason.OUT_OF_RANGE),
        (
            {"choices": [{"message": {"content": "So I"}, "finish_reason": "length"}]},
            Reason.CUT_SHORT,
        ),
    ],
)
def test_an_answer_without_a_score_says_why_and_is_billed(body, reason):
    verdict = outcome(body)
    assert isinstance(verdict, Verdict)
    assert verdict.score is None
    assert verdict.reason is reason


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (301, Reason.DENIED),
        (400, Reason.REJECTED),
        (401, Reason.DENIED),
        (402, Reason.DENIED),
        (403, Reason.REJECTED),
        (404, Reason.DENIED),
        (413, Reason.REJECTED),
        (422, Reason.REJECTED),
        (429, Reason.BUSY),
        (500, Reason.DOWN),
        (503, Reason.DOWN),
        (529, Reason.DOWN),
    ],
)
def test_a_refusal_costs_nothing_and_says_what_to_do(status, reason):
    refused = outcome({"error": {"message": "no"}}, status)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert refused.detail == f"HTTP {status}: no"


def test_being_out_of_credit_is_not_being_too_fast():
    body = {"error": {"code": "insufficient_quota", "message": "pay"}}
    assert outcome(body, 429).reason is Reason.DENIED


@pytest.mark.parametrize(
    ("status", "body"), [(504, b"gateway"), (524, b"x"), (500, b""), (503, b" ")]
)
def test_what_may_have_been_answered_behind_is_lost_not_refused(status, body):
    assert isinstance(outcome(body, status), Lost)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        (
            {
                "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT",
                "date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
            30,
        ),
        (
            {
                "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT",
                "date": "Wed, 21 Oct 2015 07:28:30 GMT",
            },
            0,
        ),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0),
    ],
)
def test_both_forms_of_retry_after_are_understood(headers, seconds):
    assert retry_after(headers) == seconds
