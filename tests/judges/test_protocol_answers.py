"""How each protocol's answers are read and charged."""

from decimal import Decimal

import pytest

from adjudge.judges import Prices
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Reason
from tests.judges.protocol_support import ANTHROPIC, BEDROCK, GEMINI, OPENROUTER, outcome, sent


def test_every_kind_of_token_of_anthropic_is_charged():
    verdict = outcome("messages", ANTHROPIC)
    by_hand = 2095 * 3000 + 1800 * 300 + 148 * 3750 + 100 * 6000 + 503 * 15000
    assert verdict.score == 7
    assert verdict.cost.total == by_hand
    assert verdict.prompt_tokens == 2095 + 248 + 1800
    assert (verdict.cached_tokens, verdict.written_tokens) == (1800, 248)
    assert verdict.output_tokens == 503


def test_thoughts_of_gemini_are_charged_as_output_and_not_read():
    verdict = outcome("generate", GEMINI, headers={"x-gemini-service-tier": "standard"})
    assert verdict.score == 7
    assert verdict.cost.total == 100 * 3000 + 1000 * 300 + 320 * 15000
    assert (verdict.prompt_tokens, verdict.cached_tokens, verdict.output_tokens) == (
        1100, 1000, 320,
    )  # fmt: skip


def test_tokens_of_gemini_that_only_the_total_has_are_charged_too():
    usage = {**GEMINI["usageMetadata"], "thoughtsTokenCount": None}
    verdict = outcome("generate", {**GEMINI, "usageMetadata": usage})
    assert verdict.output_tokens == 320


def test_every_kind_of_token_of_bedrock_is_charged():
    verdict = outcome("converse", BEDROCK)
    by_hand = 125 * 3000 + 800 * 300 + 150 * 3750 + 50 * 6000 + 60 * 15000
    assert verdict.score == 7
    assert verdict.cost.total == by_hand
    assert (verdict.cached_tokens, verdict.written_tokens) == (800, 200)


def test_openrouter_is_charged_what_it_says_it_cost():
    verdict = outcome("openrouter", OPENROUTER)
    assert verdict.score == 7
    assert verdict.cost.total == 20213
    assert 0 < verdict.cost.output < verdict.cost.total
    assert outcome("chat", OPENROUTER).cost.total != 20213


def test_a_key_of_one_s_own_at_openrouter_is_charged_both_ways():
    usage = {
        **OPENROUTER["usage"],
        "is_byok": True,
        "cost": 0.000001,
        "cost_details": {"upstream_inference_cost": 0.00002},
    }
    assert outcome("openrouter", {**OPENROUTER, "usage": usage}).cost.total == 21000
    usage["cost_details"] = {}
    by_tokens = outcome("chat", {**OPENROUTER, "usage": usage}).cost
    assert outcome("openrouter", {**OPENROUTER, "usage": usage}).cost == by_tokens


@pytest.mark.parametrize("cost", [-1, "much", True, 1e30, float("nan"), None])
def test_an_incredible_cost_is_not_believed(cost):
    body = {**OPENROUTER, "usage": {**OPENROUTER["usage"], "cost": cost}}
    assert outcome("openrouter", body).cost == outcome("chat", body).cost


@pytest.mark.parametrize(
    ("usage", "tier"),
    [
        ({"service_tier": "priority"}, "priority"),
        ({"speed": "fast"}, "ultrafast"),
        ({"inference_geo": "us"}, "us"),
    ],
)
def test_a_dearer_way_to_serve_claude_than_was_sent_is_told_and_charged(usage, tier):
    dear = outcome("messages", {**ANTHROPIC, "usage": {**ANTHROPIC["usage"], **usage}})
    assert dear.surcharge.startswith(f"billed by the service tier {tier}")
    assert dear.cost.total > outcome("messages", ANTHROPIC).cost.total
    assert outcome("messages", ANTHROPIC).surcharge == ""


def test_serving_claude_in_the_united_states_can_be_asked_for_at_its_price():
    body = sent("messages", service_tier="us")
    assert (body["service_tier"], body["inference_geo"]) == ("standard_only", "us")
    prices = Prices.of(input=3, output=15, service_tiers={"us": "1.1"})
    usage = {**ANTHROPIC["usage"], "inference_geo": "us"}
    verdict = outcome("messages", {**ANTHROPIC, "usage": usage}, prices=prices, tier="us")
    plain = outcome("messages", ANTHROPIC, prices=prices)
    assert verdict.surcharge == ""
    assert verdict.cost.output == plain.cost.output * Decimal("1.1")


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (
            "messages",
            {
                **ANTHROPIC,
                "content": [{"type": "text", "text": "Score: 7"}],
                "stop_reason": "refusal",
                "stop_details": {"type": "refusal", "category": "bio", "explanation": "No."},
            },
        ),
        ("generate", {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {}}),
        ("generate", {"candidates": [{"finishReason": "SAFETY", "index": 0}]}),
        ("converse", {**BEDROCK, "stopReason": "guardrail_intervened"}),
        ("chat", {"choices": [{"message": {"content": None}, "finish_reason": "content_filter"}]}),
    ],
)
def test_a_refusal_or_a_filter_is_no_score(protocol, body):
    assert outcome(protocol, body).reason is Reason.DECLINED


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        ("messages", {**ANTHROPIC, "content": [], "stop_reason": "max_tokens"}),
        ("generate", {"candidates": [{"finishReason": "MAX_TOKENS", "content": {}}]}),
        ("converse", {**BEDROCK, "output": {}, "stopReason": "max_tokens"}),
        ("chat", {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}),
    ],
)
def test_an_answer_that_thinking_used_up_is_cut_short(protocol, body):
    assert outcome(protocol, body).reason is Reason.CUT_SHORT


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        7,
        "x",
        {},
        {"choices": 3, "content": 3, "candidates": 3, "output": 3, "answers": 3},
    ],
)
def test_what_is_no_completion_is_no_score_and_charged_at_the_worst_case(protocol, body):
    verdict = outcome(protocol, body)
    assert verdict.score is None
    assert verdict.cost is None
    assert verdict.reason in {Reason.MALFORMED, Reason.EMPTY}
