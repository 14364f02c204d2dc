"""Outcomes of failed HTTP requests, and whether they are presumed billed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum

import orjson

from adjudge.judges.chat_usage import bill_of
from adjudge.judges.headroom import duration
from adjudge.judges.prices import Prices
from adjudge.judges.protocol import ChatProtocol
from adjudge.judges.protocol_chat import CHAT
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Lost, Reason, Refused

_LONGEST_WAIT = 31 * 24 * 3600.0
"""Seconds in a billing period; a longer wait is not credible, as from a wrong clock."""


class Billed(Enum):
    """Whether a failed call is presumed billed at its worst case."""

    NO = "no"
    """The status says that the request was refused before any work."""
    UNLESS_FREE = "unless failures are free"
    """The work may have been done."""
    YES = "yes"
    """A gateway reports the failure; the provider may have done the work and billed it."""


_STATUSES: tuple[tuple[tuple[int, ...] | range, Reason, Billed], ...] = (
    # Redirects are not followed: they would take the key to another host.
    ((301, 302, 305, 307, 308), Reason.DENIED, Billed.NO),
    ((401, 402, 404, 405, 407, 410, 426), Reason.DENIED, Billed.NO),
    (
        (400, 403, 406, 411, 412, 413, 414, 415, 416, 417, 422, 428, 431, 451),
        Reason.REJECTED,
        Billed.NO,
    ),
    ((409, 421, 423, 425), Reason.DOWN, Billed.NO),
    ((429,), Reason.BUSY, Billed.UNLESS_FREE),
    ((408,), Reason.DOWN, Billed.UNLESS_FREE),
    ((504, 524), Reason.TIMED_OUT, Billed.YES),
    ((520,), Reason.DOWN, Billed.YES),
    ((529,), Reason.BUSY, Billed.UNLESS_FREE),
    (range(500, 600), Reason.DOWN, Billed.UNLESS_FREE),
    (range(400, 500), Reason.REJECTED, Billed.UNLESS_FREE),
)
"""Statuses, with their reason and whether they are billed; the first matching row counts."""
_OUT_OF_CREDIT = frozenset(
    {
        "insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded", "organization_usage_limit_exceeded",
        "billing_hard_limit_reached", "billing_not_active", "billing_error",
        "enforced_spend_limit_reached",
    }
)  # fmt: skip
"""Error codes and types that waiting does not resolve."""
_BROKE = " (out of credit or at a spend limit)"
_LIMIT_OF_OURS = "You have reached your specified "
"""Start of Anthropic's message about a spend limit set by the customer: it has no error code."""


def failure_of(
    answer: HttpAnswer,
    *,
    prices: Prices,
    service_tier: str | None,
    free_failures: bool,
    protocol: ChatProtocol = CHAT,
) -> Refused | Lost:
    """The outcome of a call whose HTTP status is a failure.

    The status decides whether the call is presumed billed; the error code decides the reason. If
    the answer states its usage, that is charged, whatever the status.
    """
    body, said = (answer.body or b"").strip(), failure_json(answer)
    reason, billed = presumption(answer.status)
    if answer.status in protocol.maybe_billed:
        billed = Billed.YES
    codes = set(codes_of(answer.headers, said))
    wait = retry_after(answer.headers) or _retry_delay(said)
    meant = [protocol.reasons[code] for code in sorted(codes & protocol.reasons.keys())]
    broke = _is_out_of_credit(said, codes)
    if broke or Reason.DENIED in meant:
        reason = Reason.DENIED
    elif meant:
        reason = meant[0]
    elif answer.status == 402 and wait is not None:
        reason = Reason.BUSY  # OpenRouter's answer to too many concurrent requests
    # Some providers show an empty balance by the code alone, so the detail says it.
    detail = f"HTTP {answer.status}: {_complaint(said, body)}" if body else _silence(answer)
    detail += _BROKE if broke else ""
    bill = bill_of(
        said, prices=prices, service_tier=service_tier, protocol=protocol, headers=answer.headers
    )
    silent = answer.status >= 500 and not body
    free = billed is Billed.NO or (billed is Billed.UNLESS_FREE and free_failures and not silent)
    if free and bill is None:
        return Refused(reason=reason, detail=detail, retry_after=wait)
    cost = None if bill is None else bill.cost
    return Lost(reason=reason, detail=detail, retry_after=wait, cost=cost)


def web_page(answer: HttpAnswer, *, free_failures: bool) -> Refused | Lost:
    """The outcome of a call answered by a web page, such as a login page: nothing was judged."""
    detail = f"HTTP {answer.status}: a web page came back, and no chat completion"
    kind = Refused if free_failures else Lost
    return kind(reason=Reason.DOWN, detail=detail, retry_after=retry_after(answer.headers))


def presumption(status: int) -> tuple[Reason, Billed]:
    """The reason for a failure of this status, and whether it is presumed billed."""
    for statuses, reason, billed in _STATUSES:
        if status in statuses:
            return reason, billed
    return Reason.DENIED, Billed.UNLESS_FREE


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the answer asks; None if it does not say, or is not credible.

    A date is compared with the answer's own date, if it has one: our clock may be wrong.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _credible(milliseconds / 1000)
    asked = headers.get("retry-after")
    seconds = _number(asked)
    if seconds is not None or asked is None:
        return _credible(seconds)
    try:
        until = parsedate_to_datetime(asked)
        own = headers.get("date")
        now = datetime.now(UTC) if own is None else parsedate_to_datetime(own)
        return _credible((until - now).total_seconds())
    except (TypeError, ValueError, OverflowError):
        return None


def _credible(seconds: float | None) -> float | None:
    # Waits of zero would use up all of the judge's pauses at once.
    return seconds if seconds is not None and 0 < seconds <= _LONGEST_WAIT else None


def _number(value: str | None) -> float | None:
    try:
        return None if value is None else float(value)
    except ValueError:
        return None


def failure_json(answer: HttpAnswer) -> object:
    """The parsed JSON of a failure; None if it is not JSON."""
    try:
        return orjson.loads(answer.body or b"")
    except orjson.JSONDecodeError:
        return None


def codes_of(headers: Mapping[str, str], said: object) -> Iterator[str]:
    """Codes, types and statuses of the error; never its message, which may repeat judged text."""
    error = _error(said)
    details = error.get("details")
    parts = details if isinstance(details, list) else [details]
    for part in (error, *parts):
        for key in ("code", "type", "error_code", "status", "reason"):
            value = part.get(key) if isinstance(part, dict) else None
            if isinstance(value, str):
                yield value
    # Amazon's error code is in a header, before a colon.
    yield headers.get("x-amzn-errortype", "").partition(":")[0]


def _is_out_of_credit(said: object, codes: Collection[str]) -> bool:
    error = _error(said)
    if error.get("type") == "invalid_request_error":
        message = error.get("message")
        if isinstance(message, str) and message.startswith(_LIMIT_OF_OURS):
            return True
    return not _OUT_OF_CREDIT.isdisjoint(codes)


def _retry_delay(said: object) -> float | None:
    """Seconds to wait, from the body of Gemini's errors."""
    details = _error(said).get("details")
    for part in details if isinstance(details, list) else ():
        asked = part.get("retryDelay") if isinstance(part, dict) else None
        if isinstance(asked, str):
            return _credible(duration(asked))
    return None


def _error(said: object) -> Mapping[str, object]:
    """The error object; Gemini's is inside a list."""
    if isinstance(said, list) and said:
        said = said[0]
    error = said.get("error") if isinstance(said, dict) else None
    return error if isinstance(error, dict) else {}


def _complaint(said: object, body: bytes) -> str:
    """The endpoint's error message, shortened."""
    message = _error(said).get("message")
    if message is None and isinstance(said, dict):
        message = said.get("error") or said.get("message") or said.get("detail")
    return body[:400].decode(errors="replace") if message is None else str(message)[:400]


def _silence(answer: HttpAnswer) -> str:
    silent = "with an empty body" if answer.body is not None else "with a body that is too large"
    return f"HTTP {answer.status} {silent}"
