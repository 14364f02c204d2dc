"""What to send after a request, given the outcomes of its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.records import Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.panel import Panellist
from adjudge.run.requests import Call, Request

SAID_BY_THE_JUDGE = frozenset({Reason.BUSY, Reason.DOWN, Reason.REJECTED, Reason.DENIED})
"""Failures that the judge's own reply states, billed or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """What follows a request."""

    requests: tuple[Request, ...] = ()
    """What is to be sent."""
    pause: bool = False
    """Whether to wait before that."""
    rejected: bool = False
    """Whether the item is not to be asked about any more."""


def following(calls: Request, outcomes: Sequence[Outcome], panellist: Panellist) -> Following:
    """What to send after these calls, which shared a request.

    A request that was not answered is sent again as it was; an answer without a score, or one that
    is missing, is asked for by a request of its own.
    """
    first = outcomes[0]
    if not isinstance(first, Verdict) and first.reason is not Reason.WITHDRAWN:
        return _after_failure(calls, first, panellist)
    singly: list[Request] = []
    for call, outcome in zip(calls, outcomes, strict=True):
        if outcome.reason is Reason.WITHDRAWN:  # not asked after all: no answer came for it
            singly.append((call,))
        elif isinstance(outcome, Verdict) and outcome.score is None and call.ask_again > 0:
            ordinal = panellist.following(call.phase, call.item)
            singly.append((Call(call.item, call.phase, ordinal, ask_again=call.ask_again - 1),))
    return Following(requests=tuple(singly))


def _after_failure(calls: Request, outcome: Refused | Lost, panellist: Panellist) -> Following:
    reason = outcome.reason
    if reason not in SAID_BY_THE_JUDGE:
        return Following()  # lost on the way: asked again if the strategy wants it
    if reason is Reason.BUSY or (reason is Reason.DOWN and panellist.throttle.failing):
        # The judge's fault, not the call's: pauses are counted.
        return Following(requests=(_again(calls, outcome, panellist),))
    if reason is Reason.REJECTED or calls[0].attempt >= panellist.attempts:
        return Following(rejected=True)
    later = tuple(call._replace(attempt=call.attempt + 1) for call in calls)
    return Following(requests=(_again(later, outcome, panellist),), pause=True)


def _again(calls: Request, outcome: Refused | Lost, panellist: Panellist) -> Request:
    if isinstance(outcome, Refused):
        return calls
    # Presumed billed, they keep their places in the ledger.
    return tuple(
        call._replace(ordinal=panellist.following(call.phase, call.item)) for call in calls
    )
