"""From the HTTP answer of a chat endpoint to the way the call ended."""

from __future__ import annotations

from typing import Any

import orjson

from adjudge.judges.chat_failure import failure_of, web_page
from adjudge.judges.chat_usage import Bill, bill_of
from adjudge.judges.prices import Prices
from adjudge.judges.reading import read_score
from adjudge.judges.scale import Scale
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Outcome, Reason, Verdict


def outcome_of(
    answer: HttpAnswer,
    *,
    prices: Prices,
    scale: Scale,
    service_tier: str | None = None,
    free_failures: bool = False,
) -> Outcome:
    """How the call ended, by the status and body of its answer.

    The service tier is the one that was sent; `free_failures` says whether the provider is known
    not to bill requests that it answers with a failure.
    """
    if not 200 <= answer.status < 300:
        return failure_of(
            answer, prices=prices, service_tier=service_tier, free_failures=free_failures
        )
    if answer.is_web_page:
        return web_page(answer, free_failures=free_failures)
    if answer.body is None:
        return Verdict(score=None, cost=None, reason=Reason.TOO_LONG)
    try:
        said = orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return Verdict(score=None, cost=None, reason=Reason.MALFORMED)
    bill = bill_of(said, prices=prices, service_tier=service_tier)
    return _verdict(said, bill, scale)


def _verdict(said: Any, bill: Bill | None, scale: Scale) -> Verdict:
    try:
        choice = said["choices"][0]
        message = choice["message"]
    except TypeError:
        return Verdict(score=None, cost=None, reason=Reason.MALFORMED)
    except (IndexError, KeyError):
        return _billed(None, Reason.EMPTY, "", bill)
    text = _text(message)
    if text is None:
        declined = isinstance(message, dict) and message.get("refusal")
        reason = Reason.DECLINED if declined else Reason.EMPTY
        return _billed(None, reason, str(declined or ""), bill)
    if bill is not None and bill.usage.output == 0:
        bill = None  # words without tokens: the count was not kept
    reading = read_score(text, scale)
    cut_short = choice.get("finish_reason") == "length"
    if cut_short and reading.reason in {Reason.UNREADABLE, Reason.EMPTY}:
        return _billed(None, Reason.CUT_SHORT, text, bill)
    return _billed(reading.score, reading.reason, text, bill)


def _billed(score: float | None, reason: Reason | None, text: str, bill: Bill | None) -> Verdict:
    if bill is None:
        return Verdict(score=score, cost=None, reason=reason, text=text)
    return Verdict(
        score=score,
        cost=bill.cost,
        reason=reason,
        text=text,
        prompt_tokens=bill.usage.prompt,
        cached_tokens=bill.usage.cached,
        written_tokens=bill.usage.written,
        output_tokens=bill.usage.output,
        surcharge=bill.surcharge,
    )


def _text(message: object) -> str | None:
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and content else None
