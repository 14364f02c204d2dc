"""What each protocol sends."""

import orjson
import pytest

from adjudge.errors import InputError
from adjudge.judges import ChatRequest, Prompt, ResponseFormat
from adjudge.judges.providers import PROTOCOLS
from tests.judges.protocol_support import PRICES, PROMPT, SCALE, sent


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
    with pytest.raises(InputError, match=r"use the judge's own settings|billed beside the tokens"):
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


def test_a_long_cache_is_refused_where_answers_do_not_tell_what_it_costs():
    extra = {"prompt_cache_options": {"mode": "implicit", "ttl": "12h"}}
    with pytest.raises(InputError, match="do not tell apart"):
        sent("chat", extra=extra)
    assert sent("openrouter", extra=extra)["prompt_cache_options"]["ttl"] == "12h"
    assert "prompt_cache_options" in sent("chat", extra={"prompt_cache_options": {"ttl": "30m"}})


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
