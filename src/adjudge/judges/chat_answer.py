"""From the HTTP answer of a chat endpoint to the way the call ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import orjson

from adjudge.judges.prices import Prices
from adjudge.judges.reading import read_score
from adjudge.judges.scale import Scale
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Cost, Lost, Outcome, Reason, Refused, Verdict

_MOST_TOKENS = 10**9
"""A number of tokens above this is not a number of tokens."""
_GAVE_UP_WAITING = frozenset({504, 524})
"""A gateway stopped waiting for a model that may work on, and bill."""
_DENIED = frozenset({401, 402, 404, 405})


def outcome_of(answer: HttpAnswer, *, prices: Prices, scale: Scale) -> Outcome:
    """How the call ended, by the status and body of its answer."""
    body = answer.body
    if body is None:
        return Verdict(score=None, cost=None, reason=Reason.TOO_LONG)
    if 200 <= answer.status < 300:
        return _verdict(body, prices, scale)
    said = f"HTTP {answer.status}: {_complaint(body)}"
    if answer.status in _GAVE_UP_WAITING:
        return Lost(reason=Reason.TIMED_OUT, detail=said)
    if answer.status >= 500 and not body.strip():
        # Nobody says what happened, so it may have been answered, and billed, behind.
        return Lost(reason=Reason.BROKEN_OFF, detail=f"HTTP {answer.status} without a word")
    reason = _refusal(answer.status, body)
    return Refused(reason=reason, detail=said, retry_after=retry_after(answer.headers))


def _refusal(status: int, body: bytes) -> Reason:
    if status == 429:
        # Out of credit comes with the same status as too fast; waiting does not mend it.
        return Reason.DENIED if b"insufficient_quota" in body else Reason.BUSY
    if status >= 500:
        return Reason.DOWN
    # A redirect is not followed: it would take the key to another host.
    denied = status < 400 or status in _DENIED
    return Reason.DENIED if denied else Reason.REJECTED


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the answer asks us to wait; None if it does not say.

    A date is compared with the answer's own date where it has one: our clock may be wrong.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return seconds
    try:
        until = parsedate_to_datetime(asked)
        own = headers.get("date")
        now = datetime.now(UTC) if own is None else parsedate_to_datetime(own)
        return max((until - now).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _verdict(body: bytes, prices: Prices, scale: Scale) -> Verdict:
    try:
        answer = orjson.loads(body)
        usage = _Usage.of(answer)
        choice = answer["choices"][0]
        message = choice["message"]
    except (orjson.JSONDecodeError, TypeError):
        return Verdict(score=None, cost=None, reason=Reason.MALFORMED)
    except (IndexError, KeyError):
        return _billed(None, Reason.EMPTY, "", usage, prices)
    text = _text(message)
    if text is None:
        declined = isinstance(message, dict) and message.get("refusal")
        reason = Reason.DECLINED if declined else Reason.EMPTY
        return _billed(None, reason, str(declined or ""), usage, prices)
    if usage is not None and usage.output == 0:
        usage = None  # words without tokens: the count was not kept
    reading = read_score(text, scale)
    cut_short = choice.get("finish_reason") == "length"
    if cut_short and reading.reason in {Reason.UNREADABLE, Reason.EMPTY}:
        return _billed(None, Reason.CUT_SHORT, text, usage, prices)
    return _billed(reading.score, reading.reason, text, usage, prices)


def _billed(
    score: float | None, reason: Reason | None, text: str, usage: _Usage | None, prices: Prices
) -> Verdict:
    if usage is None:
        return Verdict(score=score, cost=None, reason=reason, text=text)
    return Verdict(
        score=score,
        cost=usage.cost(prices),
        reason=reason,
        text=text,
        prompt_tokens=usage.prompt,
        cached_tokens=usage.cached,
        output_tokens=usage.output,
    )


@dataclass(frozen=True, slots=True)
class _Usage:
    prompt: int
    output: int
    cached: int

    @classmethod
    def of(cls, answer: Any) -> _Usage | None:
        """The tokens that were billed; None if the answer does not say so credibly."""
        usage = answer.get("usage") if isinstance(answer, dict) else None
        if not isinstance(usage, dict):
            return None
        prompt, output = (
            _tokens(usage.get("prompt_tokens")),
            _tokens(usage.get("completion_tokens")),
        )
        if not prompt or output is None:
            return None
        # Some count the tokens of reasoning only in the total.
        total = _tokens(usage.get("total_tokens")) or 0
        details = usage.get("prompt_tokens_details")
        cached = _tokens(details.get("cached_tokens")) if isinstance(details, dict) else None
        return cls(prompt, max(output, total - prompt), min(cached or 0, prompt))

    def cost(self, prices: Prices) -> Cost:
        return prices.cost(
            prompt_tokens=self.prompt, output_tokens=self.output, cached_tokens=self.cached
        )


def _tokens(value: object) -> int | None:
    if type(value) is int and 0 <= value <= _MOST_TOKENS:
        return value
    return None


def _text(message: object) -> str | None:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and content else None


def _complaint(body: bytes) -> str:
    """What the endpoint says is wrong, in a few words."""
    try:
        error = orjson.loads(body)["error"]
        message = error if isinstance(error, str) else error["message"]
    except (orjson.JSONDecodeError, KeyError, IndexError, TypeError):
        message = body[:400].decode(errors="replace")
    return str(message)[:400]


def _number(value: str | None) -> float | None:
    try:
        number = float(value) if value is not None else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < 10**6 else None
