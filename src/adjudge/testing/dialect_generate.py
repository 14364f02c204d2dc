"""Gemini's generateContent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from adjudge.judges.rates import STANDARD
from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Refusal, Trouble

_UNLIMITED = 10**6
_GENERATE = re.compile(r"^/v1beta/models/([^/]+):generateContent")


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateDialect:
    """Gemini's generateContent."""

    protocol: str = "generate"
    base: str = "/v1beta"
    key_headers: tuple[str, ...] = ("x-goog-api-key",)
    usage_field: str = "usageMetadata"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"candidates": []})
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return _GENERATE.match(path) is not None

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        named = _GENERATE.match(path)
        config = body.get("generationConfig", {})
        tier = body.get("serviceTier")
        return Asked(
            model=unquote(named[1]) if named else "",
            prompt=body["contents"][-1]["parts"][-1]["text"],
            limit=config.get("maxOutputTokens") or _UNLIMITED,
            service_tier={"standard": STANDARD}.get(tier, tier),
            answers=config.get("candidateCount") or 1,
            logprobs=bool(config.get("responseLogprobs")),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, written_tokens=0, long_written_tokens=0, reasoning_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        usage: dict[str, object] = {
            "promptTokenCount": completion.prompt_tokens,
            "candidatesTokenCount": completion.output_tokens,
            "totalTokenCount": completion.prompt_tokens + completion.answer_tokens,
        }
        if completion.cached_tokens:
            usage["cachedContentTokenCount"] = completion.cached_tokens
        if completion.thinking_tokens:
            usage["thoughtsTokenCount"] = completion.thinking_tokens
        answer: dict[str, object] = {
            "modelVersion": completion.model,
            "responseId": "practice",
            "usageMetadata": usage,
        }
        if completion.declined:
            return {**answer, "promptFeedback": {"blockReason": "SAFETY"}}
        thought = [{"text": "Let me see.", "thought": True}] * bool(completion.thinking_tokens)
        finish = "MAX_TOKENS" if completion.cut_short else "STOP"
        candidates = [
            {
                "content": {"role": "model", "parts": [*thought, {"text": text}]},
                "finishReason": finish,
                "index": index,
                **(_logprobs(completion, text) if completion.logprobs else {}),
            }
            for index, text in enumerate(completion.texts)
        ]
        return {**answer, "candidates": candidates}

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """See `Dialect`."""
        names = {STANDARD: "standard"}
        tier = names.get(completion.service_tier, completion.service_tier)
        return (f"x-gemini-service-tier: {tier}",)

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """See `Dialect`."""
        return {"promptTokenCount": prompt, "candidatesTokenCount": output}

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        statuses = {Trouble.CREDIT: 402, Trouble.KEY: 400, Trouble.OVERLOADED: 503}
        kinds = {
            Trouble.BUSY: "RESOURCE_EXHAUSTED",
            Trouble.OVERLOADED: "UNAVAILABLE",
            Trouble.CREDIT: "FAILED_PRECONDITION",
            Trouble.SPEND_LIMIT: "PERMISSION_DENIED",
            Trouble.KEY: "INVALID_ARGUMENT",
            Trouble.REQUEST: "INVALID_ARGUMENT",
        }
        details: list[dict[str, object]] = []
        if trouble is Trouble.KEY:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            details = [{"@type": kind, "reason": "API_KEY_INVALID", "domain": "googleapis.com"}]
        elif trouble is Trouble.BUSY and wait is not None:
            kind = "type.googleapis.com/google.rpc.RetryInfo"
            details = [{"@type": kind, "retryDelay": f"{wait:g}s"}]
        elif trouble is Trouble.SPEND_LIMIT:
            status = 403
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            details = [{"@type": kind, "reason": "BILLING_DISABLED", "domain": "googleapis.com"}]
        status = statuses.get(trouble, status)
        error = {
            "code": status,
            "message": message,
            "status": kinds.get(trouble, "INTERNAL"),
            "details": details,
        }
        return Refusal(status=status, fields={"error": error})

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()


def _logprobs(completion: Completion, text: str) -> dict[str, object]:
    tokens = completion.tokens(text)
    return {
        "logprobsResult": {
            "chosenCandidates": [
                {"token": piece, "logProbability": likely[0][1]} for piece, likely in tokens
            ],
            "topCandidates": [
                {"candidates": [{"token": one, "logProbability": log} for one, log in likely]}
                for _, likely in tokens
            ],
        }
    }
