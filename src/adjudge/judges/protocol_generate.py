"""Gemini's generateContent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import quote

import orjson

from adjudge.judges.expected_score import Token
from adjudge.judges.protocol import (
    ChatProtocol,
    ResponseFormat,
    Said,
    Wanted,
    check_extra,
    fields_after,
    mapping,
    split,
    token,
)
from adjudge.judges.rates import STANDARD
from adjudge.judges.usage import Usage, believed, count
from adjudge.records import Reason

_OURS = frozenset(
    {
        "cachedContent",
        "contents",
        "model",
        "serviceTier",
        "systemInstruction",
        "toolConfig",
        "tools",
    }
)
_OUR_SETTINGS = frozenset(
    {"candidateCount", "imageConfig", "maxOutputTokens", "responseModalities", "speechConfig"}
)
_WITHIN_LIMITS = frozenset({"STOP", "MAX_TOKENS"})
_REASONS = MappingProxyType(
    {
        "API_KEY_INVALID": Reason.DENIED,
        "API_KEY_SERVICE_BLOCKED": Reason.DENIED,
        "BILLING_DISABLED": Reason.DENIED,
        "PERMISSION_DENIED": Reason.DENIED,
        "SERVICE_DISABLED": Reason.DENIED,
        "UNAUTHENTICATED": Reason.DENIED,
        "UNAVAILABLE": Reason.BUSY,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerateContent(ChatProtocol):
    """`POST /models/{model}:generateContent`."""

    name: str = "generate"
    family: str = "gemini"
    key_header: str = "x-goog-api-key"
    default_tier: str | None = STANDARD
    reasons: ClassVar[Mapping[str, Reason]] = _REASONS
    models: str = "models?pageSize=1000"
    most_answers: int = 8

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        name = quote(model.removeprefix("models/"), safe="")
        return "models", f"{name}:generateContent"

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        check_extra(_OUR_SETTINGS, mapping(wanted.extra.get("generationConfig")))
        config: dict[str, object] = {"maxOutputTokens": wanted.longest_answer}
        if wanted.answers > 1:
            config["candidateCount"] = wanted.answers
        if wanted.logprobs:
            config |= {"responseLogprobs": True, "logprobs": 20}
        if wanted.temperature is not None:
            config["temperature"] = wanted.temperature
        if wanted.form is not ResponseFormat.NONE:
            config["responseMimeType"] = "application/json"
        if wanted.form is ResponseFormat.JSON_SCHEMA:
            config["responseJsonSchema"] = dict(wanted.schema)
        elif not isinstance(wanted.form, ResponseFormat):
            config["responseJsonSchema"] = dict(wanted.form)
        thinking: dict[str, object] = {}
        if wanted.effort is not None:
            thinking["thinkingLevel"] = wanted.effort.upper()
        if wanted.thinking_budget is not None:
            thinking["thinkingBudget"] = wanted.thinking_budget
        if thinking:
            config["thinkingConfig"] = thinking
        fields: dict[str, object] = {"generationConfig": config}
        if wanted.service_tier is not None:
            names = {STANDARD: "standard"}
            fields["serviceTier"] = names.get(wanted.service_tier, wanted.service_tier)
        return b"{", fields_after(fields, wanted.extra)

    def chat(self, messages: Sequence[Mapping[str, str]], as_json: bytes) -> bytes:
        """See `ChatProtocol`."""
        system, user = split(messages)
        fields: dict[str, object] = {
            "contents": [{"role": "user", "parts": [{"text": text} for text in user]}]
        }
        if system:
            fields["systemInstruction"] = {"parts": [{"text": system}]}
        return orjson.dumps(fields)[1:-1]

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`."""
        if not isinstance(said, dict):
            return None
        candidates = said.get("candidates", [])
        if not isinstance(candidates, list):
            return None
        if not candidates:
            blocked = mapping(said.get("promptFeedback")).get("blockReason")
            return (Said(text=None, declined=f"the prompt was blocked: {blocked}"),) * bool(blocked)
        return tuple(_answer(mapping(candidate)) for candidate in candidates)

    def usages(self, said: object) -> Sequence[Usage]:
        """See `ChatProtocol`; the prompt includes cached tokens, candidates exclude thoughts."""
        usage = mapping(mapping(said).get("usageMetadata"))
        prompt = count(usage, "promptTokenCount")
        if not prompt:
            return ()
        prompt += count(usage, "toolUsePromptTokenCount") or 0
        output = (count(usage, "candidatesTokenCount") or 0) + (
            count(usage, "thoughtsTokenCount") or 0
        )
        cached = believed(usage, "cachedContentTokenCount")
        missing = max((count(usage, "totalTokenCount") or 0) - prompt - output, 0)
        usages = [Usage(prompt, output + missing, cached)]
        if missing:  # they may be input or output
            usages.append(Usage(prompt + missing, output, cached))
        return usages

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """See `ChatProtocol`."""
        usage = mapping(mapping(said).get("usageMetadata"))
        stated = headers.get("x-gemini-service-tier") or usage.get("serviceTier")
        return stated.lower() if isinstance(stated, str) else None

    def listed(self, said: object) -> frozenset[str]:
        """See `ChatProtocol`."""
        whole = isinstance(said, dict) and not said.get("nextPageToken")
        models = mapping(said).get("models") if whole else None
        if not isinstance(models, list):
            return frozenset()
        names = (mapping(model).get("name") for model in models)
        return frozenset(
            name.removeprefix("models/") for name in names if isinstance(name, str) and name
        )


def _answer(candidate: Mapping[str, object]) -> Said:
    parts = mapping(candidate.get("content")).get("parts")
    texts = [
        part.get("text")
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("thought") is not True
    ]
    text = "".join(part for part in texts if isinstance(part, str)) or None
    finish = candidate.get("finishReason")
    filtered = isinstance(finish, str) and finish not in _WITHIN_LIMITS
    declined = f"stopped by a filter: {finish}" if filtered and text is None else None
    given = candidate.get("logprobsResult")
    tokens = None if given is None else _tokens(mapping(given))
    return Said(text=text, declined=declined, cut_short=finish == "MAX_TOKENS", tokens=tokens)


def _tokens(given: Mapping[str, object]) -> list[Token]:
    chosen, likely = given.get("chosenCandidates"), given.get("topCandidates")
    if not isinstance(chosen, list) or not isinstance(likely, list):
        return []
    return [
        token(
            mapping(one).get("token"),
            mapping(others).get("candidates"),
            name="token",
            logarithm="logProbability",
        )
        for one, others in zip(chosen, likely, strict=False)
    ]


GENERATE = GenerateContent()
