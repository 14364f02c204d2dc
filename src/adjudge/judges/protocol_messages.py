"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import orjson

from adjudge.errors import InputError
from adjudge.judges.protocol import (
    SCHEMA_TOKENS,
    Caching,
    ChatProtocol,
    ResponseFormat,
    Said,
    Wanted,
    check_extra,
    check_plain,
    fields_after,
    mapping,
    split,
)
from adjudge.judges.rates import STANDARD
from adjudge.judges.usage import Usage, believed, count, part
from adjudge.records import Reason

VERSION = "2026-10-21"
"""The API version whose answers are read here; it takes the key as a bearer token."""
_US = "us"
"""Our name for the tier of requests that stay in the United States, with its own price."""
_OURS = frozenset(
    {
        "container", "fallbacks", "inference_geo", "max_tokens", "mcp_servers", "messages", "model",
        "service_tier", "speed", "stream", "system", "temperature", "tools",
    }
)  # fmt: skip
_LEAST_THINKING = 1024
_REASONS = MappingProxyType(
    {
        "authentication_error": Reason.DENIED,
        "billing_error": Reason.DENIED,
        "permission_error": Reason.DENIED,
        "not_found_error": Reason.DENIED,
        "overloaded_error": Reason.BUSY,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages(ChatProtocol):
    """`POST /messages`."""

    name: str = "messages"
    family: str = "anthropic"
    headers: ClassVar[Mapping[str, str]] = MappingProxyType({"anthropic-version": VERSION})
    default_tier: str | None = STANDARD
    reasons: ClassVar[Mapping[str, Reason]] = _REASONS
    models: str = "models?limit=1000"
    schema_tokens: int = SCHEMA_TOKENS

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return ("messages",)

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        check_plain(wanted)
        fields: dict[str, object] = {"max_tokens": wanted.longest_answer, **_tier(wanted)}
        if wanted.temperature is not None:
            fields["temperature"] = wanted.temperature
        if wanted.caching is Caching.WORTH_IT and "cache_control" not in wanted.extra:
            fields["cache_control"] = {"type": "ephemeral"}
        if wanted.thinking_budget is not None:
            fields["thinking"] = thinking(wanted)
        config: dict[str, object] = {}
        if wanted.effort is not None:
            config["effort"] = wanted.effort
        if wanted.form is ResponseFormat.JSON_SCHEMA:
            config["format"] = {"type": "json_schema", "schema": dict(wanted.schema)}
        elif not isinstance(wanted.form, ResponseFormat):
            config["format"] = dict(wanted.form)
        if config:
            fields["output_config"] = config
        before = b'{"model":' + orjson.dumps(wanted.model) + b","
        return before, fields_after(fields, wanted.extra)

    def chat(self, messages: Sequence[Mapping[str, str]], as_json: bytes) -> bytes:
        """See `ChatProtocol`."""
        system, user = split(messages)
        fields: dict[str, object] = {"system": system} if system else {}
        fields["messages"] = [{"role": "user", "content": text} for text in user]
        return orjson.dumps(fields)[1:-1]

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`."""
        if not isinstance(said, dict):
            return None
        blocks = said.get("content", [])
        if not isinstance(blocks, list):
            return None
        texts = [
            block.get("text")
            for block in blocks
            if isinstance(block, dict) and block.get("type") == "text"
        ]
        text = "".join(part for part in texts if isinstance(part, str)) or None
        stop, details = said.get("stop_reason"), mapping(said.get("stop_details"))
        declined = str(details.get("explanation") or "") if stop == "refusal" else None
        cut_short = stop in {"max_tokens", "model_context_window_exceeded"}
        if text is None and declined is None and not cut_short:
            return ()
        return (Said(text=text, declined=declined, cut_short=cut_short),)

    def usages(self, said: object) -> Sequence[Usage]:
        """See `ChatProtocol`; cache tokens are not included in the input tokens."""
        usage = mapping(mapping(said).get("usage"))
        fresh, output = count(usage, "input_tokens"), count(usage, "output_tokens")
        if fresh is None or output is None:
            return ()
        cached = believed(usage, "cache_read_input_tokens")
        by_time = part(usage, "cache_creation")
        long = count(by_time, "ephemeral_1h_input_tokens") or 0
        short = count(by_time, "ephemeral_5m_input_tokens") or 0
        written = max(count(usage, "cache_creation_input_tokens") or 0, long + short)
        prompt = fresh + cached + written
        return [Usage(prompt, output, cached, written, long)] if prompt else ()

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """See `ChatProtocol`; other speeds and regions are priced like tiers."""
        usage = mapping(mapping(said).get("usage"))
        if usage.get("speed") == "fast":
            return "ultrafast"
        stated = usage.get("service_tier")
        if stated in {None, "standard"} and usage.get("inference_geo") == _US:
            return _US
        return stated if isinstance(stated, str) else None


def thinking(wanted: Wanted) -> dict[str, object]:
    """Claude's thinking settings."""
    budget = wanted.thinking_budget or 0
    if budget == 0:
        return {"type": "disabled"}
    if not _LEAST_THINKING <= budget < wanted.longest_answer:
        raise InputError(
            "thinking_budget",
            f"{budget}, and the longest answer is {wanted.longest_answer} tokens",
            f"give at least {_LEAST_THINKING}, and a max_tokens above it",
        )
    return {"type": "enabled", "budget_tokens": budget}


def _tier(wanted: Wanted) -> dict[str, object]:
    tier = wanted.service_tier
    if tier == _US:
        return {"service_tier": "standard_only", "inference_geo": _US}
    names = {STANDARD: "standard_only", "standard": "standard_only", "priority": "auto"}
    return {} if tier is None else {"service_tier": names.get(tier, tier)}


MESSAGES = Messages()
