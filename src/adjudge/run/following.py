"""What to send after a request, given the outcomes of its calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.records import Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.panel import Panellist
from adjudge.run.requests import Call, Request

SAID_BY_THE_JUDGE = frozenset({Reason.BUSY, Reason.DOWN, Reason.REJECTED, Reason.DENIED})
"""Failures that the judge itself reports, billed or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """What follows a request."""

    requests: tuple[Request, ...] = ()
    """Requests to send next."""
    pause: bool = False
    """Whether to wait before sending them."""
    rejected: bool = False
    """Whether to stop asking about the item."""


def following(calls: Request, outcomes: Sequence[Outcome], panellist: Panellist) -> Following:
    """What to send after these calls, which shared a request.

    A request whose failure the judge reported is sent again, with the same calls. A missing answer,
    or one without a score, is asked for again in a request of its own.
    """
    first = outcomes[0]
    if not isinstance(first, Verdict) and first.reason is not Reason.WITHDRAWN:
        return _after_failure(calls, first, panellist)
    singly: list[Request] = []
    for call, outcome in zip(calls, outcomes, strict=True):
        if outcome.reason is Reason.WITHDRAWN:  # the reply had no answer for this call
            singly.append((call,))
        elif isinstance(outcome, Verdict) and outcome.score is None and call.ask_again > 0:
            ordinal = panellist.following(call.phase, call.item)
            singly.append((Call(call.item, call.phase, ordinal, ask_again=call.ask_again - 1),))
    return Following(requests=tuple(singly))


def _after_failure(calls: Request, outcome: Refused | Lost, panellist: Panellist) -> Following:
    reason = outcome.reason
    if reason not in SAID_BY_THE_JUDGE:
        return Following()  # lost on the way: the strategy decides whether to ask again
    if reason is Reason.BUSY or (reason is Reason.DOWN and panellist.throttle.failing):
        # The judge failed, not the call: count pauses instead of attempts.
        return Following(requests=(_again(calls, outcome, panellist),))
    if reason is Reason.REJECTED or calls[0].attempt >= panellist.attempts:
        return Following(rejected=True)
    later = tuple(call._replace(attempt=call.attempt + 1) for call in calls)
    return Following(requests=(_again(later, outcome, panellist),), pause=True)


def _again(calls: Request, outcome: Refused | Lost, panellist: Panellist) -> Request:
    if isinstance(outcome, Refused):
        return calls
    # The failed calls are presumed billed and keep their ordinals in the ledger.
    return tuple(
        call._replace(ordinal=panellist.following(call.phase, call.item)) for call in calls
    )
