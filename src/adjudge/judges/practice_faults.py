"""What can go wrong with a chat endpoint, as the bytes that a client sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import StrEnum
from typing import Any

import orjson

from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.records import Money

WEB_PAGE = b"<!DOCTYPE html><html><body>Please log in.</body></html>"


class Fault(StrEnum):
    """One way to misbehave."""

    TOO_MANY = "429"
    TOO_MANY_WAIT_SECONDS = "429 with Retry-After in seconds"
    TOO_MANY_WAIT_DATE = "429 with Retry-After as a date"
    TOO_MANY_WAIT_FOR_EVER = "429 with Retry-After at the end of time"
    OUT_OF_CREDIT = "429 for want of credit"
    SPEND_LIMIT = "429 at a spend limit"
    BAD_REQUEST = "400"
    WRONG_KEY = "401 that repeats the key"
    CONFLICT = "409"
    TOO_EARLY = "425"
    ERROR_500 = "500"
    ERROR_503 = "503"
    ERROR_503_SILENT = "503 without a body"
    BILLED_408 = "408 after the model worked"
    BILLED_429 = "429 after the model worked"
    BILLED_500 = "500 after the model worked"
    BILLED_503 = "503 after the model worked"
    BILLED_500_SAID = "500 that states its usage"
    GATEWAY_TIMEOUT = "504 after the model worked"
    SLOW = "an answer that takes too long"
    RESET_BEFORE_BODY = "connection reset before the answer"
    RESET_WITHIN_BODY = "connection reset within the answer"
    RESET_AFTER_BODY = "connection reset after the answer"
    TRUNCATED_JSON = "JSON that ends early"
    INVALID_JSON = "no JSON at all"
    WEB_PAGE = "a web page"
    WRONG_UTF8 = "bytes that are no UTF-8"
    EMPTY_CHOICES = "no choices"
    NO_USAGE = "no usage"
    NEGATIVE_USAGE = "usage below zero"
    ABSURD_USAGE = "usage of a million million tokens, not billed"
    OVERRUN = "usage above the worst case, and billed"
    REASONING_LEFT_OUT = "more reasoning than completion, and a total without it"
    CACHE_WRITE = "most of the prompt written to the cache"
    DEARER_TIER = "served by a dearer service tier than sent"
    OUT_OF_RANGE = "a score off the scale"
    CONTRADICTION = "two different scores"
    PROSE = "prose without a score"
    GIANT = "a body of 12 megabytes"
    REDIRECT = "a redirect elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A chat completion, and what it is billed for."""

    model: str
    text: str
    prompt_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    written_tokens: int = 0
    reasoning_tokens: int = 0
    """Billed on top of the output, and left out of its tokens and of the total."""
    service_tier: str = STANDARD

    def cost(self, prices: Prices) -> Money:
        """What it is billed at."""
        return prices.cost(
            prompt_tokens=self.prompt_tokens,
            output_tokens=self.output_tokens + self.reasoning_tokens,
            cached_tokens=self.cached_tokens,
            written_tokens=self.written_tokens,
            service_tier=self.service_tier,
        ).total

    @property
    def fields(self) -> dict[str, object]:
        """Its JSON."""
        return {
            "id": "chatcmpl-practice",
            "object": "chat.completion",
            "created": 0,
            "model": self.model,
            "service_tier": self.service_tier,
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": self.text},
                }
            ],
            "usage": {
                "prompt_tokens": self.prompt_tokens,
                "completion_tokens": self.output_tokens,
                "total_tokens": self.prompt_tokens + self.output_tokens,
                "prompt_tokens_details": {
                    "cached_tokens": self.cached_tokens,
                    "cache_write_tokens": self.written_tokens,
                },
                "completion_tokens_details": {"reasoning_tokens": self.reasoning_tokens},
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the server sends, and which completion it bills, if any."""

    body: bytes
    billed: Completion | None
    status: int = 200
    headers: tuple[str, ...] = ()
    slow: bool = False
    sent: float = 1.0
    """Share of the reply that is sent."""
    reset: bool = False
    """Whether the connection is reset after that."""


def good_reply(completion: Completion) -> Reply:
    """The completion, as it should be sent."""
    return Reply(body=orjson.dumps(completion.fields), billed=completion)


def faulty_reply(fault: Fault, completion: Completion, *, wait: float, key: str) -> Reply:
    """The same completion, gone wrong."""
    if fault is Fault.WEB_PAGE:
        return Reply(body=WEB_PAGE, billed=None)
    if fault in _REFUSALS:
        return _refusal(fault, wait, key)
    if fault in _TEXTS:
        return good_reply(replace(completion, text=_TEXTS[fault]))
    if fault in _BILLED_AND_FAILED:
        status, message = _BILLED_AND_FAILED[fault]
        return Reply(body=_error(message), billed=completion, status=status)
    if fault in _USAGES:
        return good_reply(_USAGES[fault](completion))
    return _mangled(fault, good_reply(completion))


def _mangled(fault: Fault, reply: Reply) -> Reply:
    if fault in _BODIES:
        return replace(reply, body=_BODIES[fault])
    if fault in _FIELDS:
        return replace(reply, body=orjson.dumps({**orjson.loads(reply.body), **_FIELDS[fault]}))
    if fault is Fault.TRUNCATED_JSON:
        return replace(reply, body=reply.body[: len(reply.body) // 2])
    return replace(reply, **_SENDING[fault])


_REFUSALS = {
    Fault.TOO_MANY: (429, "too many requests"),
    Fault.TOO_MANY_WAIT_SECONDS: (429, "too many requests"),
    Fault.TOO_MANY_WAIT_DATE: (429, "too many requests"),
    Fault.TOO_MANY_WAIT_FOR_EVER: (429, "too many requests"),
    Fault.OUT_OF_CREDIT: (429, "you have no credit left"),
    Fault.SPEND_LIMIT: (429, "you have reached a limit"),
    Fault.BAD_REQUEST: (400, "this item is not to our taste"),
    Fault.WRONG_KEY: (401, "this key is not valid"),
    Fault.CONFLICT: (409, "another request is under way"),
    Fault.TOO_EARLY: (425, "too early"),
    Fault.ERROR_500: (500, "internal error"),
    Fault.ERROR_503: (503, "overloaded"),
    Fault.REDIRECT: (307, "elsewhere"),
}
_CODES: dict[Fault, dict[str, object]] = {
    Fault.OUT_OF_CREDIT: {"type": "insufficient_quota", "code": "credit_balance_exhausted"},
    Fault.SPEND_LIMIT: {
        "type": "rate_limit_error",
        "details": {"error_code": "enforced_spend_limit_reached"},
    },
}
_BILLED_AND_FAILED = {
    Fault.BILLED_408: (408, "that took too long"),
    Fault.BILLED_429: (429, "too many requests"),
    Fault.BILLED_500: (500, "internal error"),
    Fault.BILLED_503: (503, "overloaded"),
}
_USAGES: dict[Fault, Callable[[Completion], Completion]] = {
    Fault.OVERRUN: lambda made: replace(made, output_tokens=made.output_tokens * 40),
    Fault.REASONING_LEFT_OUT: lambda made: replace(made, reasoning_tokens=made.output_tokens + 30),
    Fault.CACHE_WRITE: lambda made: replace(made, written_tokens=made.prompt_tokens - 1),
    Fault.DEARER_TIER: lambda made: replace(made, service_tier="priority"),
}
_BODIES = {
    Fault.INVALID_JSON: b"200 Everything is fine",
    Fault.WRONG_UTF8: b'{"choices": [{"message": {"content": "\xff\xfe score: 5"}}]}',
    Fault.GIANT: b" " * (12 * 2**20),
}
_TEXTS = {
    Fault.OUT_OF_RANGE: '{"score": 1000000}',
    Fault.CONTRADICTION: "Score: 1\nOn reflection, score: 2",
    Fault.PROSE: "What a lovely text. I could hardly put it better myself.",
}
_FIELDS: dict[Fault, dict[str, object]] = {
    Fault.EMPTY_CHOICES: {"choices": []},
    Fault.NO_USAGE: {"usage": None},
    Fault.NEGATIVE_USAGE: {"usage": {"prompt_tokens": -5, "completion_tokens": -7}},
    Fault.ABSURD_USAGE: {"usage": {"prompt_tokens": 10**12, "completion_tokens": 10**12}},
}
_SENDING: dict[Fault, dict[str, Any]] = {
    Fault.SLOW: {"slow": True},
    Fault.BILLED_500_SAID: {"status": 500},
    Fault.GATEWAY_TIMEOUT: {"status": 504},
    Fault.ERROR_503_SILENT: {"status": 503, "body": b""},
    Fault.RESET_BEFORE_BODY: {"sent": 0.0, "reset": True},
    Fault.RESET_WITHIN_BODY: {"sent": 0.6, "reset": True},
    Fault.RESET_AFTER_BODY: {"reset": True},
}


def _refusal(fault: Fault, wait: float, key: str) -> Reply:
    status, message = _REFUSALS[fault]
    headers: tuple[str, ...] = ()
    if fault is Fault.TOO_MANY_WAIT_SECONDS:
        headers = (f"Retry-After: {wait:g}",)
    elif fault is Fault.TOO_MANY_WAIT_DATE:
        now = datetime.now(UTC)
        # Dates have whole seconds; the difference is what counts.
        until = now + timedelta(seconds=max(round(wait), 1))
        headers = (
            f"Date: {format_datetime(now, usegmt=True)}",
            f"Retry-After: {format_datetime(until, usegmt=True)}",
        )
    elif fault is Fault.TOO_MANY_WAIT_FOR_EVER:
        # Further from any other moment than a date can say.
        headers = ("Retry-After: Fri, 31 Dec 9999 23:59:59 -2359",)
    elif fault is Fault.REDIRECT:
        headers = ("Location: http://elsewhere.invalid/v1",)
    elif fault is Fault.WRONG_KEY:
        message = f"{message}: {key}"
    body = _error(message, **_CODES.get(fault, {}))
    return Reply(body=body, billed=None, status=status, headers=headers)


def _error(message: str, **fields: object) -> bytes:
    return orjson.dumps({"error": {"message": message, **fields}})
