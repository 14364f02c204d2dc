"""Recorded answers of every provider cost what genai-prices itself reads and calculates."""

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from genai_prices import extract_usage
from genai_prices.data import providers

from adjudge.judges.price_list import PROVIDERS, looked_up
from adjudge.records import NANO
from tests.judges.protocol_support import ANTHROPIC, BEDROCK, GEMINI, OPENROUTER, outcome

DAY = date(2026, 11, 18)
MOMENT = datetime(2026, 11, 18, tzinfo=UTC)


def chat(model, *, prompt, output, cached=0, written=0, reasoning=0, tier="default"):
    """A chat completion, as OpenAI documents it."""
    return {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1741569952,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "Score: 7", "refusal": None},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "total_tokens": prompt + output,
            "prompt_tokens_details": {
                "cached_tokens": cached,
                "cache_write_tokens": written,
                "audio_tokens": 0,
            },
            "completion_tokens_details": {
                "reasoning_tokens": reasoning,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": tier,
    }


def with_usage(body, **usage):
    field = next(name for name in ("usage", "usageMetadata") if name in body)
    return {**body, field: {**body[field], **usage}}


LONG = {"promptTokenCount": 250_000, "cachedContentTokenCount": 0, "totalTokenCount": 250_320}
CASES = {
    "plain": ("openai/gpt-4o", "chat", chat("gpt-4o", prompt=1000, output=200), {}),
    "reasoning": (
        "openai/gpt-5-mini",
        "chat",
        chat("gpt-5-mini", prompt=1117, output=946, reasoning=896, cached=1024),
        {},
    ),
    "written": (
        "openai/gpt-5.6",
        "chat",
        chat("gpt-5.6", prompt=3000, output=200, written=2900),
        {},
    ),
    "priority": (
        "openai/gpt-5.6",
        "chat",
        chat("gpt-5.6", prompt=3000, output=200, written=2900, tier="priority"),
        {"service_tier": "priority"},
    ),
    "flex": (
        "openai/gpt-5.6",
        "chat",
        chat("gpt-5.6", prompt=3000, output=200, cached=1024, tier="flex"),
        {"service_tier": "flex"},
    ),
    "long": ("openai/gpt-5.6", "chat", chat("gpt-5.6", prompt=272_001, output=900), {}),
    "claude": ("anthropic/claude-sonnet-4-6", "messages", ANTHROPIC, {}),
    "claude-plain": (
        "anthropic/claude-haiku-4-5",
        "messages",
        with_usage(
            {**ANTHROPIC, "model": "claude-haiku-4-5"},
            cache_creation_input_tokens=0,
            cache_read_input_tokens=0,
            cache_creation=None,
        ),
        {},
    ),
    "gemini": ("gemini/gemini-2.5-flash", "generate", GEMINI, {}),
    "gemini-long": (
        "gemini/gemini-2.5-pro",
        "generate",
        with_usage({**GEMINI, "modelVersion": "gemini-2.5-pro"}, **LONG),
        {},
    ),
    "bedrock": (
        "bedrock/global.anthropic.claude-haiku-4-5-20251001-v1:0",
        "converse",
        with_usage(BEDROCK, cacheWriteInputTokens=200, cacheDetails=[]),
        {},
    ),
    "nova": (
        "bedrock/amazon.nova-lite-v1:0",
        "converse",
        with_usage(BEDROCK, cacheWriteInputTokens=0, cacheDetails=[]),
        {},
    ),
}
FLAVOURS = {"chat": "chat", "messages": "default", "generate": "default", "converse": "default"}


def by_the_list(name, protocol, body, context):
    """Input and output in nano-dollars, as genai-prices reads and calculates them."""
    prefix, _, model = name.partition("/")
    read = extract_usage(body, provider_id=PROVIDERS[prefix], api_flavor=FLAVOURS[protocol])
    provider = next(one for one in providers if one.id == PROVIDERS[prefix])
    entry = read.model or provider.find_model(model)
    found = read.calc_price(
        genai_request_timestamp=MOMENT, model=entry, price_context=context or None
    )
    return found.input_price * NANO, found.output_price * NANO


@pytest.mark.parametrize("case", CASES)
def test_a_recorded_answer_costs_what_the_list_reads_and_calculates(case):
    name, protocol, body, context = CASES[case]
    prices = looked_up(name, day=DAY)
    tier = context.get("service_tier", "default")
    verdict = outcome(protocol, body, prices=prices, tier=tier)
    assert verdict.score == 7
    assert verdict.surcharge == ""
    listed = by_the_list(name, protocol, body, context)
    assert (verdict.cost.input, verdict.cost.output) == listed


@pytest.mark.parametrize(
    ("case", "dollars"), [("written", "0.0189"), ("priority", "0.0378"), ("plain", "0.0045")]
)
def test_published_examples_cost_what_is_billed(case, dollars):
    name, protocol, body, context = CASES[case]
    verdict = outcome(
        protocol,
        body,
        prices=looked_up(name, day=DAY),
        tier=context.get("service_tier", "default"),
    )
    assert verdict.cost.total == Decimal(dollars) * NANO


def test_openrouter_s_answer_costs_what_it_states_and_not_what_the_list_calculates():
    verdict = outcome(
        "openrouter", OPENROUTER, prices=looked_up("openrouter/openai/gpt-4.1-nano", day=DAY)
    )
    assert verdict.cost.total == Decimal("0.000020213") * NANO
