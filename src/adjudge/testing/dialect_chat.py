"""Chat completions of OpenAI, OpenRouter and Azure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from adjudge.records import NANO
from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Refusal, Trouble

_UNLIMITED = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatDialect:
    """Chat completions of OpenAI and compatible endpoints."""

    protocol: str = "chat"
    base: str = "/v1"
    key_headers: tuple[str, ...] = ()
    credit: int = 429
    """The HTTP status when credit has run out."""
    codes: Mapping[Trouble, Mapping[str, object]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    states_cost: bool = False
    usage_field: str = "usage"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"choices": []})
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return path.partition("?")[0] == f"{self.base}/chat/completions"

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        return Asked(
            model=body["model"],
            prompt=body["messages"][-1]["content"],
            limit=body.get("max_tokens") or body.get("max_completion_tokens") or _UNLIMITED,
            service_tier=body.get("service_tier"),
            answers=body.get("n") or 1,
            logprobs=bool(body.get("logprobs")),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, long_written_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        finish = "length" if completion.cut_short else "stop"
        usage: dict[str, object] = {
            "prompt_tokens": completion.prompt_tokens,
            "completion_tokens": completion.answer_tokens,
            "total_tokens": completion.prompt_tokens + completion.answer_tokens,
            "prompt_tokens_details": {
                "cached_tokens": completion.cached_tokens,
                "cache_write_tokens": completion.written_tokens,
            },
            "completion_tokens_details": {
                "reasoning_tokens": completion.reasoning_tokens or completion.thinking_tokens
            },
        }
        if self.states_cost:
            usage |= {"cost": completion.cost / NANO, "is_byok": False}
        return {
            "id": "chatcmpl-practice",
            "object": "chat.completion",
            "created": 0,
            "model": completion.model,
            "service_tier": completion.service_tier,
            "choices": [
                {
                    "index": index,
                    "finish_reason": finish,
                    "logprobs": _logprobs(completion, text) if completion.logprobs else None,
                    "message": {
                        "role": "assistant",
                        "content": None if completion.declined else text,
                        "refusal": text if completion.declined else None,
                    },
                }
                for index, text in enumerate(completion.texts)
            ],
            "usage": usage,
        }

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """See `Dialect`."""
        return {"prompt_tokens": prompt, "completion_tokens": output}

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        paid = trouble in {Trouble.CREDIT, Trouble.SPEND_LIMIT}
        error = {"message": message, **self.codes.get(trouble, {})}
        return Refusal(status=self.credit if paid else status, fields={"error": error})

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        if self.states_cost:
            return ()
        return (
            f"x-ratelimit-limit-requests: {limit}",
            f"x-ratelimit-remaining-requests: {remaining}",
            f"x-ratelimit-reset-requests: {round(reset * 1000)}ms",
        )


def _logprobs(completion: Completion, text: str) -> dict[str, object]:
    return {
        "content": [
            {
                "token": piece,
                "bytes": list(piece.encode()),
                "logprob": likely[0][1],
                "top_logprobs": [
                    {"token": one, "bytes": list(one.encode()), "logprob": logarithm}
                    for one, logarithm in likely
                ],
            }
            for piece, likely in completion.tokens(text)
        ],
        "refusal": None,
    }


CHAT = ChatDialect(
    codes=MappingProxyType(
        {
            Trouble.CREDIT: {"type": "insufficient_quota", "code": "credit_balance_exhausted"},
            Trouble.SPEND_LIMIT: {
                "type": "rate_limit_error",
                "details": {"error_code": "enforced_spend_limit_reached"},
            },
        }
    )
)
OPENROUTER = ChatDialect(
    protocol="openrouter",
    base="/api/v1",
    key_headers=("authorization",),
    credit=402,
    codes=MappingProxyType({Trouble.CREDIT: {"code": 402}, Trouble.BUSY: {"code": 429}}),
    states_cost=True,
)
AZURE = ChatDialect(
    protocol="azure",
    base="/openai/v1",
    key_headers=("api-key", "authorization"),
    codes=MappingProxyType(
        {
            Trouble.BUSY: {"code": "429"},
            Trouble.CREDIT: {"code": "insufficient_quota"},
            Trouble.SPEND_LIMIT: {"code": "insufficient_quota"},
        }
    ),
)
