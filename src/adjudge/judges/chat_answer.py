"""Outcomes of calls, read from the HTTP answers of an endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import orjson

from adjudge.judges.chat_failure import failure_of, web_page
from adjudge.judges.chat_usage import Bill, bill_of
from adjudge.judges.expected_score import expected_score, mean_decision, shown_decision
from adjudge.judges.headroom import headroom_of
from adjudge.judges.prices import Prices
from adjudge.judges.protocol import ChatProtocol, Said
from adjudge.judges.protocol_chat import CHAT
from adjudge.judges.reading import read_score
from adjudge.judges.scale import Scale
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Headroom, Lost, Outcome, Reason, Refused, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Everything about a request that is needed to read its answer."""

    prices: Prices
    scale: Scale
    service_tier: str | None = None
    """The service tier that was sent."""
    free_failures: bool = False
    """Whether the provider is known not to bill failed requests."""
    protocol: ChatProtocol = CHAT
    expected: bool = False
    """Whether scores are means by log-probabilities."""


def outcome_of(
    answer: HttpAnswer,
    *,
    prices: Prices,
    scale: Scale,
    service_tier: str | None = None,
    free_failures: bool = False,
    protocol: ChatProtocol = CHAT,
    expected: bool = False,
) -> Outcome:
    """The outcome of a request for one call; see `outcomes_of`."""
    terms = Terms(
        prices=prices,
        scale=scale,
        service_tier=service_tier,
        free_failures=free_failures,
        protocol=protocol,
        expected=expected,
    )
    (outcome,) = outcomes_of(answer, 1, terms)
    return outcome


def outcomes_of(answer: HttpAnswer, count: int, terms: Terms) -> list[Outcome]:
    """The outcomes of the `count` calls of one request, from its answer."""
    prices, tier, protocol = terms.prices, terms.service_tier, terms.protocol
    if not 200 <= answer.status < 300:
        failed = failure_of(
            answer,
            prices=prices,
            service_tier=tier,
            free_failures=terms.free_failures,
            protocol=protocol,
        )
        return _failures(failed, count)
    said = _parsed(answer)
    if not isinstance(said, dict) and answer.is_web_page:
        return [web_page(answer, free_failures=terms.free_failures)] * count
    answers = None if isinstance(said, Reason) else protocol.read(said)
    if answers is None:
        reason = said if isinstance(said, Reason) else Reason.MALFORMED
        return [Verdict(score=None, cost=None, reason=reason)] * count
    bill = bill_of(
        said, prices=prices, service_tier=tier, protocol=protocol, headers=answer.headers
    )
    if bill is not None and not bill.usage.output and any(one.text for one in answers):
        bill = None  # text but no output tokens: the count is wrong
    scale = terms.scale
    verdicts = _verdicts(answers[:count], count, bill, scale, headroom_of(answer.headers))
    if not terms.expected:
        return verdicts
    means = [_expected(*pair, scale) for pair in zip(verdicts, answers, strict=False)]
    return means + verdicts[len(means) :]


def _parsed(answer: HttpAnswer) -> object:
    """The parsed JSON of the answer, or the reason why there is none."""
    if answer.body is None:
        return Reason.TOO_LONG
    try:
        return orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return Reason.MALFORMED


def _expected(outcome: Outcome, said: Said, scale: Scale) -> Outcome:
    """The verdict with the expected score, if known, and a note of where its score is from."""
    if not isinstance(outcome, Verdict) or outcome.score is None:
        return outcome
    found = expected_score(said.tokens, outcome.score, scale)
    score = outcome.score if found.score is None else found.score
    return replace(outcome, score=score, note=found.note)


def _failures(failed: Refused | Lost, count: int) -> list[Outcome]:
    """The failure for every call of the request; its cost is charged once."""
    if count == 1 or isinstance(failed, Refused) or failed.cost is None:
        return [failed] * count
    return [replace(failed, cost=cost) for cost in failed.cost.parts(count)]


def _verdicts(
    answers: Sequence[Said], count: int, bill: Bill | None, scale: Scale, headroom: Headroom | None
) -> list[Outcome]:
    """A verdict for every answer, each with its part of the bill.

    If there are fewer answers than calls, but at least one, and the bill is known, the other calls
    count as never made.
    """
    if count == len(answers) == 1:
        return [_verdict(answers[0], bill, scale, headroom)]
    if not answers or bill is None:
        answers = [*answers, *[Said(text=None)] * (count - len(answers))]
    bills = [None] * len(answers) if bill is None else bill.parts(len(answers))
    outcomes: list[Outcome] = [
        _verdict(one, own, scale, headroom) for one, own in zip(answers, bills, strict=True)
    ]
    missing = Refused(reason=Reason.WITHDRAWN, detail="fewer answers came than were asked for")
    return outcomes + [missing] * (count - len(answers))


def _verdict(said: Said, bill: Bill | None, scale: Scale, headroom: Headroom | None) -> Verdict:
    score, reason, text = None, None, said.text
    if said.declined is not None:
        reason, text = Reason.DECLINED, said.declined
    elif said.decided is not None:
        score, text = mean_decision(said.decided, scale), shown_decision(said.decided)
        reason = Reason.UNREADABLE if score is None else None
    elif text is None:
        reason = Reason.CUT_SHORT if said.cut_short else Reason.EMPTY
    else:
        reading = read_score(text, scale)
        score, reason = reading.score, reading.reason
        if said.cut_short and reason in {Reason.UNREADABLE, Reason.EMPTY}:
            reason = Reason.CUT_SHORT
    if bill is None:
        return Verdict(score=score, cost=None, reason=reason, text=text or "", headroom=headroom)
    return Verdict(
        score=score,
        cost=bill.cost,
        reason=reason,
        text=text or "",
        prompt_tokens=bill.usage.prompt,
        cached_tokens=bill.usage.cached,
        written_tokens=bill.usage.written,
        output_tokens=bill.usage.output,
        surcharge=bill.surcharge,
        headroom=headroom,
    )
