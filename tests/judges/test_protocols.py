"""What each protocol sends, and how it reads answers made from the providers' documents."""

from decimal import Decimal

import orjson
import pytest

from adjudge.errors import InputError
from adjudge.judges import ChatRequest, Prices, Prompt, ResponseFormat, Scale
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.providers import PROTOCOLS
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Headroom, Item, Lost, Quota, Reason, Refused

SCALE = Scale(low=1, high=10, whole=True)
ITEM = Item(id="a", response="Hello!")
PROMPT = Prompt(scale=SCALE, system="Be fair.", user="Score {{ response }}")
PRICES = Prices.of(input=3, cached_input="0.3", cache_write="3.75", output=15)


def sent(protocol: str, **settings):
    prompt = settings.pop("prompt", PROMPT)
    request = ChatRequest(model="m", prompt=prompt, protocol=PROTOCOLS[protocol], **settings)
    return orjson.loads(request.body(ITEM))


def outcome(
    protocol: str, body, *, status=200, headers=None, prices=PRICES, tier="default", **more
):
    answer = HttpAnswer(status=status, headers=headers or {}, body=orjson.dumps(body))
    return outcome_of(
        answer,
        prices=prices,
        scale=SCALE,
        service_tier=tier,
        protocol=PROTOCOLS[protocol],
        **more,
    )


@pytest.mark.parametrize(
    ("protocol", "body"),
    [
        (
            "messages",
            {
                "model": "m",
                "system": "Be fair.",
                "messages": [{"role": "user", "content": "Score Hello!"}],
                "max_tokens": 512,
                "service_tier": "standard_only",
            },
        ),
        (
            "generate",
            {
                "contents": [{"role": "user", "parts": [{"text": "Score Hello!"}]}],
                "systemInstruction": {"parts": [{"text": "Be fair."}]},
                "generationConfig": {
                    "maxOutputTokens": 512,
                    "responseMimeType": "application/json",
                },
                "serviceTier": "standard",
            },
        ),
        (
            "converse",
            {
                "messages": [{"role": "user", "content": [{"text": "Score Hello!"}]}],
                "system": [{"text": "Be fair."}],
                "inferenceConfig": {"maxTokens": 512},
                "serviceTier": {"type": "default"},
            },
        ),
        (
            "openrouter",
            {
                "model": "m",
                "messages": [
                    {"role": "system", "content": "Be fair."},
                    {"role": "user", "content": "Score Hello!"},
                ],
                "max_tokens": 512,
                "response_format": {"type": "json_object"},
            },
        ),
    ],
)
def test_a_request_has_the_provider_s_form(protocol, body):
    assert sent(protocol) == body


def test_a_lone_system_message_is_sent_as_the_user_s():
    lone = Prompt(scale=SCALE, system="Score {{ response }}", user="")
    assert sent("messages", prompt=lone)["messages"] == [
        {"role": "user", "content": "Score Hello!"}
    ]
    assert "system" not in sent("messages", prompt=lone)


SCHEMA = {
    "type": "object",
    "properties": {
        "reason": {"type": "string"},
        "score": {"type": "integer", "enum": list(range(1, 11))},
    },
    "required": ["reason", "score"],
    "additionalProperties": False,
}


def test_a_schema_stands_where_each_provider_wants_it():
    form = {"response_format": ResponseFormat.JSON_SCHEMA}
    assert sent("messages", **form)["output_config"] == {
        "format": {"type": "json_schema", "schema": SCHEMA}
    }
    assert sent("generate", **form)["generationConfig"]["responseJsonSchema"] == SCHEMA
    told = sent("converse", **form)["outputConfig"]["textFormat"]
    assert told["type"] == "json_schema"
    assert orjson.loads(told["structure"]["jsonSchema"]["schema"]) == SCHEMA
    assert sent("chat", **form)["response_format"]["json_schema"]["schema"] == SCHEMA


def test_effort_and_thinking_stand_where_each_provider_wants_them():
    thinking = {"max_tokens": 4000, "thinking_budget": 2000}
    enabled = {"type": "enabled", "budget_tokens": 2000}
    assert sent("messages", **thinking)["thinking"] == enabled
    assert sent("messages", thinking_budget=0)["thinking"] == {"type": "disabled"}
    assert sent("messages", effort="low")["output_config"] == {"effort": "low"}
    assert sent("generate", **thinking)["generationConfig"]["thinkingConfig"] == {
        "thinkingBudget": 2000
    }
    assert sent("generate", effort="low")["generationConfig"]["thinkingConfig"] == {
        "thinkingLevel": "LOW"
    }
    assert sent("converse", **thinking)["additionalModelRequestFields"] == {"thinking": enabled}
    assert sent("converse", effort="low")["outputConfig"] == {"effort": "low"}
    assert sent("chat", effort="low")["reasoning_effort"] == "low"
    assert sent("openrouter", effort="low")["reasoning"] == {"effort": "low"}
    assert sent("openrouter", thinking_budget=2000)["reasoning"] == {"max_tokens": 2000}


@pytest.mark.parametrize(
    ("protocol", "extra"),
    [
        ("chat", {"n": 2}),
        ("messages", {"speed": "fast"}),
        ("messages", {"tools": []}),
        ("generate", {"cachedContent": "cachedContents/1"}),
        ("generate", {"generationConfig": {"maxOutputTokens": 9}}),
        ("converse", {"guardrailConfig": {}}),
        ("converse", {"inferenceConfig": {"maxTokens": 9}}),
        ("converse", {"additionalModelRequestFields": {"max_tokens": 9}}),
    ],
)
def test_nothing_may_be_added_that_makes_the_worst_case_untrue(protocol, extra):
    with pytest.raises(InputError, match="use the judge's own settings"):
        sent(protocol, extra=extra)


def test_further_settings_of_a_provider_are_joined_with_ours():
    extra = {"generationConfig": {"topP": 0.9}, "safetySettings": []}
    assert sent("generate", extra=extra)["generationConfig"] == {
        "maxOutputTokens": 512,
        "responseMimeType": "application/json",
        "topP": 0.9,
    }


def test_a_prompt_that_may_be_cached_for_long_is_reserved_at_twice_its_price():
    extra = {"cache_control": {"type": "ephemeral", "ttl": "1h"}}
    short, long = (
        ChatRequest(model="m", prompt=PROMPT, protocol=PROTOCOLS["messages"], extra=given)
        for given in ({}, extra)
    )
    assert short.quote(1000, PRICES).most.input == 1000 * 3750
    assert long.quote(1000, PRICES).most.input == 1000 * 6000


def test_words_that_explain_a_schema_are_reserved_too():
    plain, held = (
        ChatRequest(
            model="m",
            prompt=PROMPT,
            protocol=PROTOCOLS["messages"],
            response_format=form,
        )
        for form in (ResponseFormat.NONE, ResponseFormat.JSON_SCHEMA)
    )
    assert held.quote(1000, PRICES).most.input > plain.quote(1000, PRICES).most.input


ANTHROPIC = {
    "id": "msg_013Zva2CMHLNnXjNJJKqJ2EF",
    "type": "message",
    "role": "assistant",
    "model": "claude-sonnet-4-6",
    "content": [
        {"type": "thinking", "thinking": "Score: 2?", "signature": "EqoB"},
        {"type": "text", "text": '{"reason": "Polite.", "score": 7}'},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 2095,
        "cache_creation_input_tokens": 248,
        "cache_read_input_tokens": 1800,
        "cache_creation": {"ephemeral_5m_input_tokens": 148, "ephemeral_1h_input_tokens": 100},
        "output_tokens": 503,
        "output_tokens_details": {"thinking_tokens": 480},
        "service_tier": "standard",
        "inference_geo": "global",
    },
}
GEMINI = {
    "candidates": [
        {
            "content": {
                "parts": [{"text": "Score: 2?", "thought": True}, {"text": "Score: 7"}],
                "role": "model",
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 1100,
        "cachedContentTokenCount": 1000,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 300,
        "totalTokenCount": 1420,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 1100}],
    },
    "modelVersion": "gemini-2.5-flash",
    "responseId": "R1",
}
BEDROCK = {
    "metrics": {"latencyMs": 1275},
    "output": {
        "message": {
            "content": [
                {"reasoningContent": {"reasoningText": {"text": "Score: 2?", "signature": "s"}}},
                {"text": "Score: 7"},
            ],
            "role": "assistant",
        }
    },
    "stopReason": "end_turn",
    "serviceTier": {"type": "default"},
    "usage": {
        "inputTokens": 125,
        "outputTokens": 60,
        "totalTokens": 1185,
        "cacheReadInputTokens": 800,
        "cacheWriteInputTokens": 200,
        "cacheDetails": [{"ttl": "1h", "inputTokens": 50}, {"ttl": "5m", "inputTokens": 150}],
    },
}
OPENROUTER = {
    "id": "gen-1",
    "provider": "Somebody",
    "model": "openai/gpt-4.1-nano",
    "object": "chat.completion",
    "choices": [
        {
            "finish_reason": "stop",
            "native_finish_reason": "stop",
            "index": 0,
            "message": {"role": "assistant", "content": "Score: 7", "refusal": None},
        }
    ],
    "usage": {
        "prompt_tokens": 194,
        "completion_tokens": 2,
        "total_tokens": 196,
        "cost": 0.000020213,
        "is_byok": False,
        "cost_details": {"upstream_inference_cost": None},
        "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 100},
        "completion_tokens_details": {"reasoning_tokens": 0},
    },
}


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


def google(code, status, *details):
    return {"error": {"code": code, "message": "no", "status": status, "details": [*details]}}


def anthropic(kind, **more):
    return {"type": "error", "error": {"type": kind, "message": "no", **more}, "request_id": "r"}


@pytest.mark.parametrize(
    ("protocol", "status", "body", "headers", "reason"),
    [
        ("messages", 402, anthropic("billing_error"), {}, Reason.DENIED),
        ("messages", 403, anthropic("permission_error"), {}, Reason.DENIED),
        ("messages", 429, anthropic("rate_limit_error"), {}, Reason.BUSY),
        (
            "messages",
            429,
            anthropic("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
            {},
            Reason.DENIED,
        ),
        ("messages", 529, anthropic("overloaded_error"), {}, Reason.BUSY),
        ("messages", 400, anthropic("invalid_request_error"), {}, Reason.REJECTED),
        ("messages", 500, anthropic("api_error"), {}, Reason.DOWN),
        ("generate", 429, google(429, "RESOURCE_EXHAUSTED"), {}, Reason.BUSY),
        ("generate", 503, google(503, "UNAVAILABLE"), {}, Reason.BUSY),
        ("generate", 402, google(402, "FAILED_PRECONDITION"), {}, Reason.DENIED),
        (
            "generate",
            400,
            google(400, "INVALID_ARGUMENT", {"reason": "API_KEY_INVALID"}),
            {},
            Reason.DENIED,
        ),
        ("generate", 400, google(400, "INVALID_ARGUMENT"), {}, Reason.REJECTED),
        ("generate", 403, google(403, "PERMISSION_DENIED"), {}, Reason.DENIED),
        (
            "converse",
            429,
            {"message": "Too many tokens"},
            {"x-amzn-errortype": "ThrottlingException"},
            Reason.BUSY,
        ),
        (
            "converse",
            403,
            {"message": "no"},
            {"x-amzn-errortype": "AccessDeniedException:http://internal"},
            Reason.DENIED,
        ),
        (
            "converse",
            400,
            {"message": "no"},
            {"x-amzn-errortype": "ValidationException"},
            Reason.REJECTED,
        ),
        (
            "converse",
            503,
            {"message": "no"},
            {"x-amzn-errortype": "ServiceUnavailableException"},
            Reason.BUSY,
        ),
        ("openrouter", 402, {"error": {"code": 402, "message": "no"}}, {}, Reason.DENIED),
        ("openrouter", 429, {"error": {"code": 429, "message": "no"}}, {}, Reason.BUSY),
        ("azure", 429, {"error": {"code": "429", "message": "no"}}, {}, Reason.BUSY),
    ],
)
def test_each_provider_s_errors_are_understood(protocol, status, body, headers, reason):
    refused = outcome(protocol, body, status=status, headers=headers, free_failures=True)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert refused.detail.startswith(f"HTTP {status}: ")


@pytest.mark.parametrize("status", [408, 424])
def test_a_model_that_failed_on_bedrock_is_presumed_billed(status):
    lost = outcome("converse", {"message": "no"}, status=status, free_failures=True)
    assert isinstance(lost, Lost)


def test_gemini_s_wait_is_read_from_its_body():
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "39.5s"}
    body = google(429, "RESOURCE_EXHAUSTED", wait)
    assert outcome("generate", body, status=429).retry_after == 39.5


def test_what_an_endpoint_still_takes_is_read_from_its_headers():
    headers = {
        "x-ratelimit-limit-requests": "5000",
        "x-ratelimit-remaining-requests": "4999",
        "x-ratelimit-reset-requests": "12ms",
        "x-ratelimit-limit-tokens": "160000",
        "x-ratelimit-remaining-tokens": "159976",
        "x-ratelimit-reset-tokens": "1m9.5s",
    }
    assert outcome("chat", OPENROUTER, headers=headers).headroom == Headroom(
        requests=Quota(limit=5000, remaining=4999, reset=0.012),
        tokens=Quota(limit=160000, remaining=159976, reset=69.5),
    )
    headers = {
        "date": "Wed, 18 Nov 2026 07:00:00 GMT",
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-18T07:00:30Z",
    }
    assert outcome("messages", ANTHROPIC, headers=headers).headroom == Headroom(
        requests=Quota(limit=50, remaining=0, reset=30.0)
    )


@pytest.mark.parametrize(
    ("limit", "remaining", "reset"),
    [("5", "9", "1s"), ("5", "-1", "1s"), ("x", "1", "1s"), ("5", "1", "soon"), ("5", "1", "999d")],
)
def test_headers_that_cannot_be_believed_pace_nothing(limit, remaining, reset):
    headers = {
        "x-ratelimit-limit-requests": limit,
        "x-ratelimit-remaining-requests": remaining,
        "x-ratelimit-reset-requests": reset,
    }
    assert outcome("chat", OPENROUTER, headers=headers).headroom is None
