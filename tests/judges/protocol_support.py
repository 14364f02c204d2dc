"""Requests and answers in every protocol, the answers made from the providers' documents."""

import orjson

from adjudge.judges import ChatRequest, Prices, Prompt, Scale
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.providers import PROTOCOLS
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Item

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
