import orjson
import pytest

from adjudge.judges import Prices, Scale
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Lost, Reason, Refused, Verdict

SCALE = Scale(low=1, high=10, whole=True)
PRICES = Prices.of(input=1, cached_input="0.1", output=2)
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def outcome(body, prices=PRICES, service_tier=None):
    raw = body if isinstance(body, bytes) else orjson.dumps(body)
    answer = HttpAnswer(status=200, headers={}, body=raw)
    return outcome_of(answer, prices=prices, scale=SCALE, service_tier=service_tier)


def completion(content="Score: 7", usage=USAGE, **message):
    choice = {"message": {"content": content, **message}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": usage}


def test_a_completion_is_a_score_at_its_cost():
    verdict = outcome(completion())
    assert verdict.score == 7
    assert verdict.cost.total == 100 * 1000 + 10 * 2000
    assert (verdict.prompt_tokens, verdict.output_tokens) == (100, 10)


def usage(prompt=100, completion=10, total=110, **details):
    parts = {
        "prompt_tokens_details": {k: v for k, v in details.items() if k.startswith("cache")},
        "completion_tokens_details": {k: v for k, v in details.items() if k.startswith("reason")},
    }
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
    return {**counts, **parts}


@pytest.mark.parametrize(
    ("stated", "output"),
    [
        # OpenAI: the completion includes the reasoning, and the total confirms it.
        (usage(completion=50, total=150, reasoning_tokens=40), 50),
        (usage(completion=50, total=150, reasoning_tokens=50), 50),
        # Counted in the total only.
        (usage(completion=10, total=1110), 1010),
        (usage(completion=10, total=410, reasoning_tokens=300), 310),
        (usage(completion=300, total=500, reasoning_tokens=100), 400),
        # In neither: more reasoning than completion cannot be part of it.
        (usage(completion=10, total=110, reasoning_tokens=300), 310),
        # No total, or one that is too small, confirms nothing.
        (usage(completion=50, total=None, reasoning_tokens=40), 90),
        (usage(completion=50, total=20, reasoning_tokens=40), 90),
        ({**usage(completion=10), "reasoning_tokens": 300}, 310),
    ],
)
def test_reasoning_is_billed_once_wherever_it_is_counted(stated, output):
    verdict = outcome(completion(usage=stated))
    assert verdict.output_tokens == output
    assert verdict.cost.output == output * 2000


def test_tokens_on_neither_side_are_billed_by_the_dearer_price():
    prices = Prices.of(input=5, output=1)
    verdict = outcome(completion(usage=usage(total=130)), prices)
    assert verdict.cost.total == 120 * 5000 + 10 * 1000


@pytest.mark.parametrize(
    ("details", "paid"),
    [
        ({"cached_tokens": 60}, 40 * 1000 + 60 * 100),
        ({"cache_write_tokens": 90}, 10 * 1000 + 90 * 1250),
        ({"cache_creation_tokens": 90}, 10 * 1000 + 90 * 1250),
        ({"cached_tokens": 60, "cache_write_tokens": 30}, 10 * 1000 + 60 * 100 + 30 * 1250),
        # More than the prompt: they were counted apart from it.
        ({"cached_tokens": 60, "cache_write_tokens": 90}, 100 * 1000 + 60 * 100 + 90 * 1250),
        ({"cached_tokens": -5, "cache_write_tokens": 0}, 100 * 1000),
    ],
)
def test_every_kind_of_prompt_token_is_billed_at_its_price(details, paid):
    verdict = outcome(completion(usage=usage(**details)))
    assert verdict.cost.input == paid
    assert verdict.written_tokens == max(
        details.get("cache_write_tokens", 0), details.get("cache_creation_tokens", 0)
    )


GPT = Prices.of(
    input=4,
    output=20,
    cached_input="0.4",
    cache_write=5,
    service_tiers={"priority": 2, "flex": 0.5},
)
GPT_USAGE = usage(3000, 200, 3200, cache_write_tokens=2900)


@pytest.mark.parametrize(
    ("sent", "stated", "cost", "dearer"),
    [
        (None, None, 18_900_000, False),
        ("default", "default", 18_900_000, False),
        ("priority", "priority", 37_800_000, False),
        ("fast", "priority", 37_800_000, False),
        ("priority", "default", 18_900_000, False),
        ("priority", None, 37_800_000, False),
        ("flex", "flex", 9_450_000, False),
        ("flex", "default", 18_900_000, False),
        ("auto", "priority", 37_800_000, False),
        (None, "priority", 37_800_000, False),
        ("default", "priority", 37_800_000, True),
        ("flex", "priority", 37_800_000, True),
        ("default", "on_demand", 18_900_000, False),
        ("default", "ultrafast", 6 * 18_900_000, True),
    ],
)
def test_the_price_is_that_of_the_service_tier_that_served(sent, stated, cost, dearer):
    """3,000 prompt tokens of gpt-5.6 of which 2,900 are written, 200 out: OpenAI bills $0.0189."""
    body = {**completion(usage=GPT_USAGE), "service_tier": stated}
    verdict = outcome(body, GPT, sent)
    assert verdict.cost.total == cost
    assert bool(verdict.surcharge) == dearer
    assert not dearer or stated in verdict.surcharge


def test_a_dear_tier_without_a_price_is_billed_at_the_most_that_is_known():
    body = {**completion(), "service_tier": "priority"}
    verdict = outcome(body)
    assert verdict.cost.total == 2.5 * (100 * 1000 + 10 * 2000)
    assert "priority" in verdict.surcharge


def test_content_in_parts_is_joined():
    assert outcome(completion([{"type": "text", "text": "Score:"}, {"text": " 7"}])).score == 7


@pytest.mark.parametrize(
    "stated",
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
        {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10**15},
        usage(reasoning_tokens=-1),
        usage(cache_write_tokens="many"),
    ],
)
def test_usage_that_is_no_usage_leaves_the_cost_unknown(stated):
    verdict = outcome(completion(usage=stated))
    assert verdict.score == 7
    assert verdict.cost is None


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", b" <html>"),
        ("", b"\xef\xbb\xbf\n<!DOCTYPE html>"),
        ("text/html; charset=utf-8", b"Please log in."),
        ("text/html", None),
    ],
)
@pytest.mark.parametrize("free", [True, False])
def test_a_web_page_is_an_endpoint_that_does_not_work_and_no_answer(kind, body, free):
    answer = HttpAnswer(status=200, headers={"content-type": kind}, body=body)
    ended = outcome_of(answer, prices=PRICES, scale=SCALE, free_failures=free)
    assert isinstance(ended, Refused if free else Lost)
    assert ended.reason is Reason.DOWN
    assert "a web page" in ended.detail


def test_a_completion_that_is_called_html_is_read():
    body = orjson.dumps(completion())
    answer = HttpAnswer(status=200, headers={"content-type": "text/html"}, body=body)
    assert outcome_of(answer, prices=PRICES, scale=SCALE).score == 7


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", Reason.MALFORMED),
        (b"all is well", Reason.MALFORMED),
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
        (
            {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]},
            Reason.CUT_SHORT,
        ),
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
