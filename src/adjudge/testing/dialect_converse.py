"""Converse of Amazon Bedrock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Refusal, Trouble

_UNLIMITED = 10**6
_CONVERSE = re.compile(r"^/model/([^/]+)/converse")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConverseDialect:
    """Converse of Amazon Bedrock."""

    protocol: str = "converse"
    base: str = ""
    key_headers: tuple[str, ...] = ("authorization",)
    usage_field: str = "usage"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType(
            {"output": {"message": {"role": "assistant", "content": []}}}
        )
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return _CONVERSE.match(path) is not None

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        named = _CONVERSE.match(path)
        return Asked(
            model=unquote(named[1]) if named else "",
            prompt=[part["text"] for part in body["messages"][-1]["content"] if "text" in part][-1],
            limit=body.get("inferenceConfig", {}).get("maxTokens") or _UNLIMITED,
            service_tier=body.get("serviceTier", {}).get("type"),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, reasoning_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        thought = {"reasoningContent": {"reasoningText": {"text": "Let me see."}}}
        content: list[object] = [thought] * bool(completion.thinking_tokens)
        stop = "max_tokens" if completion.cut_short else "end_turn"
        short = completion.written_tokens - completion.long_written_tokens
        return {
            "metrics": {"latencyMs": 1},
            "output": {
                "message": {"role": "assistant", "content": [*content, {"text": completion.text}]}
            },
            "stopReason": "content_filtered" if completion.declined else stop,
            "serviceTier": {"type": completion.service_tier},
            "usage": {
                "inputTokens": completion.fresh_tokens,
                "outputTokens": completion.answer_tokens,
                "totalTokens": completion.prompt_tokens + completion.answer_tokens,
                "cacheReadInputTokens": completion.cached_tokens,
                "cacheWriteInputTokens": completion.written_tokens,
                "cacheDetails": [
                    {"ttl": "5m", "inputTokens": short},
                    {"ttl": "1h", "inputTokens": completion.long_written_tokens},
                ],
            },
        }

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """See `Dialect`."""
        return {"inputTokens": prompt, "outputTokens": output}

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        statuses = {
            Trouble.CREDIT: 403,
            Trouble.SPEND_LIMIT: 403,
            Trouble.KEY: 403,
            Trouble.OVERLOADED: 503,
        }
        kinds = {
            Trouble.BUSY: "ThrottlingException",
            Trouble.OVERLOADED: "ServiceUnavailableException",
            Trouble.CREDIT: "AccessDeniedException",
            Trouble.SPEND_LIMIT: "AccessDeniedException",
            Trouble.KEY: "AccessDeniedException",
            Trouble.REQUEST: "ValidationException",
        }
        kind = kinds.get(trouble, "InternalServerException")
        header = f"x-amzn-ErrorType: {kind}:http://internal.amazon.com/"
        return Refusal(
            status=statuses.get(trouble, status), fields={"message": message}, headers=(header,)
        )

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()
