"""Faults of an endpoint, as the bytes a client receives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import StrEnum
from typing import Any

import orjson

from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Dialect, Trouble
from adjudge.testing.dialect_chat import CHAT
from adjudge.testing.reply import Reply

_NO = "I will not judge this."
WEB_PAGE = b"<!DOCTYPE html><html><body>Please log in.</body></html>"


class Fault(StrEnum):
    """One way to misbehave."""

    TOO_MANY = "429"
    TOO_MANY_WAIT_SECONDS = "429 with Retry-After in seconds"
    TOO_MANY_WAIT_DATE = "429 with Retry-After as a date"
    TOO_MANY_WAIT_FOR_EVER = "429 with Retry-After in the year 9999"
    OVERLOADED = "529"
    OUT_OF_CREDIT = "429 for lack of credit"
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
    INVALID_JSON = "not JSON"
    WEB_PAGE = "a web page"
    WRONG_UTF8 = "bytes that are not UTF-8"
    EMPTY_CHOICES = "no choices"
    NO_USAGE = "no usage"
    NEGATIVE_USAGE = "usage below zero"
    ABSURD_USAGE = "usage of 10^12 tokens, not billed"
    OVERRUN = "usage above the worst case, billed"
    REASONING_LEFT_OUT = "more reasoning than completion, and a total without it"
    CACHE_WRITE = "most of the prompt written to the cache"
    LONG_CACHE_WRITE = "most of the prompt written to the cache for an hour"
    CACHE_READ = "most of the prompt read from the cache"
    THINKING = "thinking before the answer"
    CHEAPER_TIER = "served by a cheaper service tier than sent"
    DEARER_TIER = "served by a more expensive service tier than sent"
    DECLINED = "the model declined"
    CUT_SHORT = "an answer cut off at its maximum length"
    OUT_OF_RANGE = "a score off the scale"
    CONTRADICTION = "two different scores"
    PROSE = "prose without a score"
    GIANT = "a body of 12 megabytes"
    REDIRECT = "a redirect elsewhere"


def good_reply(completion: Completion, dialect: Dialect = CHAT) -> Reply:
    """The completion, sent correctly."""
    return Reply(
        body=orjson.dumps(dialect.fields(completion)),
        billed=completion,
        headers=dialect.headers(completion),
    )


def faulty_reply(
    fault: Fault, completion: Completion, *, wait: float, key: str, dialect: Dialect = CHAT
) -> Reply:
    """The completion with a fault."""
    if fault is Fault.WEB_PAGE:
        return Reply(body=WEB_PAGE, billed=None)
    if fault in _REFUSALS:
        return _refusal(fault, wait, key, dialect)
    if fault in _TEXTS:
        return good_reply(replace(completion, text=_TEXTS[fault]), dialect)
    if fault in _BILLED_AND_FAILED:
        status, message = _BILLED_AND_FAILED[fault]
        refused = dialect.refusal(Trouble.OTHER, status, message, None)
        return Reply(body=orjson.dumps(refused.fields), billed=completion, status=status)
    if fault in _CHANGES:
        return good_reply(dialect.billable(_CHANGES[fault](completion)), dialect)
    return _mangled(fault, good_reply(completion, dialect), dialect)


def _mangled(fault: Fault, reply: Reply, dialect: Dialect) -> Reply:
    if fault in _BODIES:
        return replace(reply, body=_BODIES[fault])
    if fault in _FIELDS:
        changed = {**orjson.loads(reply.body), **_FIELDS[fault](dialect)}
        return replace(reply, body=orjson.dumps(changed))
    if fault is Fault.TRUNCATED_JSON:
        return replace(reply, body=reply.body[: len(reply.body) // 2])
    return replace(reply, **_SENDING[fault])


_REFUSALS = {
    Fault.TOO_MANY: (429, Trouble.BUSY, "too many requests"),
    Fault.TOO_MANY_WAIT_SECONDS: (429, Trouble.BUSY, "too many requests"),
    Fault.TOO_MANY_WAIT_DATE: (429, Trouble.BUSY, "too many requests"),
    Fault.TOO_MANY_WAIT_FOR_EVER: (429, Trouble.BUSY, "too many requests"),
    Fault.OVERLOADED: (529, Trouble.OVERLOADED, "overloaded"),
    Fault.OUT_OF_CREDIT: (429, Trouble.CREDIT, "you have no credit left"),
    Fault.SPEND_LIMIT: (429, Trouble.SPEND_LIMIT, "you have reached a limit"),
    Fault.BAD_REQUEST: (400, Trouble.REQUEST, "this item is rejected"),
    Fault.WRONG_KEY: (401, Trouble.KEY, "this key is not valid"),
    Fault.CONFLICT: (409, Trouble.OTHER, "another request is under way"),
    Fault.TOO_EARLY: (425, Trouble.OTHER, "too early"),
    Fault.ERROR_500: (500, Trouble.OTHER, "internal error"),
    Fault.ERROR_503: (503, Trouble.OTHER, "overloaded"),
    Fault.REDIRECT: (307, Trouble.OTHER, "elsewhere"),
}
_BILLED_AND_FAILED = {
    Fault.BILLED_408: (408, "that took too long"),
    Fault.BILLED_429: (429, "too many requests"),
    Fault.BILLED_500: (500, "internal error"),
    Fault.BILLED_503: (503, "overloaded"),
}
_CHANGES: dict[Fault, Callable[[Completion], Completion]] = {
    Fault.OVERRUN: lambda made: replace(made, output_tokens=made.output_tokens * 40),
    Fault.REASONING_LEFT_OUT: lambda made: replace(made, reasoning_tokens=made.output_tokens + 30),
    Fault.CACHE_WRITE: lambda made: replace(made, written_tokens=made.prompt_tokens - 1),
    Fault.LONG_CACHE_WRITE: lambda made: replace(
        made, written_tokens=made.prompt_tokens - 1, long_written_tokens=made.prompt_tokens - 2
    ),
    Fault.CACHE_READ: lambda made: replace(made, cached_tokens=made.prompt_tokens - 1),
    Fault.THINKING: lambda made: replace(made, thinking_tokens=17),
    Fault.CHEAPER_TIER: lambda made: replace(made, service_tier="flex"),
    Fault.DEARER_TIER: lambda made: replace(made, service_tier="priority"),
    Fault.DECLINED: lambda made: replace(
        made, text=_NO, more=(_NO,) * len(made.more), declined=True
    ),
    Fault.CUT_SHORT: lambda made: replace(made, text='{"reason": "because it', cut_short=True),
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
_FIELDS: dict[Fault, Callable[[Dialect], Mapping[str, object]]] = {
    Fault.EMPTY_CHOICES: lambda dialect: dialect.no_answer,
    Fault.NO_USAGE: lambda dialect: {dialect.usage_field: None},
    Fault.NEGATIVE_USAGE: lambda dialect: {dialect.usage_field: dialect.counts(-5, -7)},
    Fault.ABSURD_USAGE: lambda dialect: {dialect.usage_field: dialect.counts(10**12, 10**12)},
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


def _refusal(fault: Fault, wait: float, key: str, dialect: Dialect) -> Reply:
    status, trouble, message = _REFUSALS[fault]
    if fault is Fault.WRONG_KEY:
        message = f"{message}: {key}"
    asked = wait if fault is Fault.TOO_MANY_WAIT_SECONDS else None
    refused = dialect.refusal(trouble, status, message, asked)
    return Reply(
        body=orjson.dumps(refused.fields),
        billed=None,
        status=refused.status,
        headers=(*refused.headers, *_wait_headers(fault, wait)),
    )


def _wait_headers(fault: Fault, wait: float) -> tuple[str, ...]:
    if fault is Fault.TOO_MANY_WAIT_SECONDS:
        return (f"Retry-After: {wait:g}",)
    if fault is Fault.TOO_MANY_WAIT_DATE:
        now = datetime.now(UTC)
        # HTTP dates have whole seconds; clients use the difference.
        until = now + timedelta(seconds=max(round(wait), 1))
        return (
            f"Date: {format_datetime(now, usegmt=True)}",
            f"Retry-After: {format_datetime(until, usegmt=True)}",
        )
    if fault is Fault.TOO_MANY_WAIT_FOR_EVER:
        # The offset moves it beyond the largest datetime.
        return ("Retry-After: Fri, 31 Dec 9999 23:59:59 -2359",)
    return ("Location: http://elsewhere.invalid/v1",) if fault is Fault.REDIRECT else ()
