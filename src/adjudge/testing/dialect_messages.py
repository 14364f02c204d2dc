"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

from adjudge.judges.rates import STANDARD
from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Refusal, Trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagesDialect:
    """Anthropic's messages."""

    protocol: str = "messages"
    base: str = "/v1"
    key_headers: tuple[str, ...] = ("authorization", "x-api-key")
    usage_field: str = "usage"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"content": []})
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return path.partition("?")[0] == "/v1/messages"

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        tiers = {"standard_only": STANDARD, "auto": "priority"}
        return Asked(
            model=body["model"],
            prompt=body["messages"][-1]["content"],
            limit=body["max_tokens"],
            service_tier=tiers[body["service_tier"]] if "service_tier" in body else None,
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, reasoning_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        thought = {"type": "thinking", "thinking": "Let me see.", "signature": "c2lnbmVk"}
        said = {"type": "text", "text": completion.text}
        stop = "max_tokens" if completion.cut_short else "end_turn"
        details = None
        if completion.declined:
            stop = "refusal"
            details = {"type": "refusal", "category": None, "explanation": completion.text}
        names = {STANDARD: "standard"}
        return {
            "id": "msg_practice",
            "type": "message",
            "role": "assistant",
            "model": completion.model,
            "content": [thought] * bool(completion.thinking_tokens)
            + [said] * (not completion.declined),
            "stop_reason": stop,
            "stop_details": details,
            "stop_sequence": None,
            "usage": {
                "input_tokens": completion.fresh_tokens,
                "cache_creation_input_tokens": completion.written_tokens,
                "cache_read_input_tokens": completion.cached_tokens,
                "cache_creation": {
                    "ephemeral_5m_input_tokens": completion.written_tokens
                    - completion.long_written_tokens,
                    "ephemeral_1h_input_tokens": completion.long_written_tokens,
                },
                "output_tokens": completion.answer_tokens,
                "output_tokens_details": {"thinking_tokens": completion.thinking_tokens},
                "service_tier": names.get(completion.service_tier, completion.service_tier),
            },
        }

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """See `Dialect`."""
        return ("request-id: req_practice",)

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """See `Dialect`."""
        return {"input_tokens": prompt, "output_tokens": output}

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        statuses = {Trouble.CREDIT: 402, Trouble.OVERLOADED: 529}
        kinds = {
            Trouble.BUSY: "rate_limit_error",
            Trouble.OVERLOADED: "overloaded_error",
            Trouble.CREDIT: "billing_error",
            Trouble.SPEND_LIMIT: "rate_limit_error",
            Trouble.KEY: "authentication_error",
            Trouble.REQUEST: "invalid_request_error",
        }
        error: dict[str, object] = {"type": kinds.get(trouble, "api_error"), "message": message}
        if trouble is Trouble.SPEND_LIMIT:
            error["details"] = {"error_code": "enforced_spend_limit_reached"}
        fields = {"type": "error", "error": error, "request_id": "req_practice"}
        return Refusal(status=statuses.get(trouble, status), fields=fields)

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        until = datetime.now(UTC) + timedelta(seconds=reset)
        kind = "anthropic-ratelimit-requests"
        return (
            f"{kind}-limit: {limit}",
            f"{kind}-remaining: {remaining}",
            f"{kind}-reset: {until.isoformat()}",
        )
