"""Amazon Bedrock's Converse, with a bearer key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

import orjson

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
from adjudge.judges.protocol_messages import thinking
from adjudge.judges.rates import STANDARD
from adjudge.judges.usage import Usage, believed, count
from adjudge.records import Reason

_OURS = frozenset(
    {
        "guardrailConfig", "messages", "modelId", "performanceConfig", "promptVariables",
        "serviceTier", "system", "toolConfig",
    }
)  # fmt: skip
_OUR_MODEL_FIELDS = frozenset({"max_tokens", "maxTokens", "max_completion_tokens", "tools"})
_DECLINED = frozenset({"guardrail_intervened", "content_filtered", "refusal"})
_CUT_SHORT = frozenset({"max_tokens", "model_context_window_exceeded"})
_CACHED = b',{"cachePoint":{"type":"default"}}'
"""Asks to cache everything before it for five minutes, if it is long enough for the model."""
_REASONS = MappingProxyType(
    {
        "AccessDeniedException": Reason.DENIED,
        "ExpiredTokenException": Reason.DENIED,
        "InvalidSignatureException": Reason.DENIED,
        "ResourceNotFoundException": Reason.DENIED,
        "UnrecognizedClientException": Reason.DENIED,
        "ModelNotReadyException": Reason.BUSY,
        "ServiceUnavailableException": Reason.BUSY,
        "ThrottlingException": Reason.BUSY,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Converse(ChatProtocol):
    """`POST /model/{model}/converse`."""

    name: str = "converse"
    family: str = "bedrock"
    default_tier: str | None = STANDARD
    reasons: ClassVar[Mapping[str, Reason]] = _REASONS
    maybe_billed: Collection[int] = (408, 424)
    models: str = ""
    schema_tokens: int = SCHEMA_TOKENS

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return "model", quote(model, safe=""), "converse"

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        check_plain(wanted)
        check_extra(_OUR_MODEL_FIELDS, mapping(wanted.extra.get("additionalModelRequestFields")))
        limits: dict[str, object] = {"maxTokens": wanted.longest_answer}
        if wanted.temperature is not None:
            limits["temperature"] = wanted.temperature
        fields: dict[str, object] = {"inferenceConfig": limits}
        if wanted.service_tier is not None:
            names = {"standard": STANDARD}
            tier = names.get(wanted.service_tier, wanted.service_tier)
            fields["serviceTier"] = {"type": tier}
        if wanted.thinking_budget is not None:  # in the form of Claude on Bedrock
            fields["additionalModelRequestFields"] = {"thinking": thinking(wanted)}
        config: dict[str, object] = {}
        if wanted.effort is not None:
            config["effort"] = wanted.effort
        if wanted.form is ResponseFormat.JSON_SCHEMA:
            config["textFormat"] = _schema(wanted.schema)
        elif not isinstance(wanted.form, ResponseFormat):
            config["textFormat"] = dict(wanted.form)
        if config:
            fields["outputConfig"] = config
        # The chat ends within the content of the last message; see `chat`.
        end = _CACHED if wanted.caching is Caching.WORTH_IT else b""
        return b"{", end + b"]}]" + fields_after(fields, wanted.extra)

    def chat(self, messages: Sequence[Mapping[str, str]], as_json: bytes) -> bytes:
        """See `ChatProtocol`; it ends inside the content of the last message."""
        system, user = split(messages)
        before = b'"system":' + orjson.dumps([{"text": system}]) + b"," if system else b""
        content = orjson.dumps([{"text": text} for text in user])[:-1]
        return before + b'"messages":[{"role":"user","content":' + content

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`."""
        if not isinstance(said, dict):
            return None
        message = mapping(mapping(said.get("output")).get("message"))
        blocks = message.get("content", [])
        if not isinstance(blocks, list):
            return None
        texts = [mapping(block).get("text") for block in blocks]
        text = "".join(part for part in texts if isinstance(part, str)) or None
        stop = said.get("stopReason")
        declined = f"stopped by a filter: {stop}" if stop in _DECLINED else None
        cut_short = stop in _CUT_SHORT
        if text is None and declined is None and not cut_short:
            return ()
        return (Said(text=text, declined=declined, cut_short=cut_short),)

    def usages(self, said: object) -> Sequence[Usage]:
        """See `ChatProtocol`; cache tokens are not included in the input tokens."""
        usage = mapping(mapping(said).get("usage"))
        fresh, output = count(usage, "inputTokens"), count(usage, "outputTokens")
        if fresh is None or output is None:
            return ()
        cached = believed(usage, "cacheReadInputTokens")
        details = usage.get("cacheDetails")
        by_time = [mapping(one) for one in details] if isinstance(details, list) else []
        counts = [(one.get("ttl"), count(one, "inputTokens") or 0) for one in by_time]
        long = sum(tokens for ttl, tokens in counts if ttl != "5m")
        written = max(
            count(usage, "cacheWriteInputTokens") or 0, sum(tokens for _, tokens in counts)
        )
        prompt = fresh + cached + written
        return [Usage(prompt, output, cached, written, long)] if prompt else ()

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """See `ChatProtocol`."""
        if mapping(mapping(said).get("performanceConfig")).get("latency") == "optimized":
            return "priority"
        stated = mapping(mapping(said).get("serviceTier")).get("type")
        return stated if isinstance(stated, str) else None


def _schema(schema: Mapping[str, object]) -> dict[str, object]:
    text = orjson.dumps(dict(schema)).decode()
    return {"type": "json_schema", "structure": {"jsonSchema": {"name": "verdict", "schema": text}}}


CONVERSE = Converse()
