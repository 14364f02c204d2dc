"""Limits a judge's concurrent calls: fewer while it is overloaded, none while it is down.

Decides and counts only; the caller waits and passes the time.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.judges import Limits
from adjudge.records import Headroom, Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.pace import Bucket, Pace
from adjudge.run.plan import Patience

_FIRST_ANSWER = 8.0
"""Window after the very first answer: with a slow judge, growing from one takes too long."""
_SLOW_START = 3.0
"""Growth of the window per answer in slow start: it quadruples each round."""
_STREAK = 5
"""Failures in a row, of any calls, after which the judge counts as down."""
_AHEAD = 4
"""One call is reserved ahead per this many under way, and sent as soon as one of them ends."""
_REJECTIONS = 10
"""Rejections in a row after which the judge counts as rejecting everything."""


class Throttle:
    """One judge's window, pauses and health.

    The first call goes alone; its answer opens the window to eight. Each further answer widens the
    window, fast until the judge reports overload; then the window is halved and grows by one call
    per round. A judge that fails several times in a row is paused, longer each time, and tried
    again with one call. After too many pauses without an answer it is switched off.
    """

    def __init__(self, limits: Limits, patience: Patience, rng: np.random.Generator) -> None:
        self._limits = limits
        self._patience = patience
        self._rng = rng
        self._requests = _pace(limits.requests_per_minute)
        self._tokens = _pace(limits.tokens_per_minute)
        self._told: tuple[Bucket, Bucket] | None = None
        """The endpoint's remaining quota of calls and of tokens; None until it states them."""
        self._window = 1.0
        self._growing_fast = True
        self._untried = True
        """Whether no call has ended yet."""
        self._paused_until = -math.inf
        self._last_cut = -math.inf
        self._streak = 0
        self._pauses = 0
        self._rejections = 0
        self.admitted = 0
        """Calls admitted and not ended."""
        self.under_way = 0
        """Admitted calls that were sent and have not ended."""
        self.off: str | None = None
        """Why the judge is switched off; None while it is not."""

    @property
    def most_admitted(self) -> int:
        """Upper bound on the calls admitted at a time."""
        return self._limits.concurrency + self._limits.concurrency // _AHEAD

    @property
    def room(self) -> int:
        """Number of further calls that may be admitted, to be reserved and then sent."""
        window = int(self._window)
        return window + window // _AHEAD - self.admitted

    @property
    def places(self) -> int:
        """Number of further calls that may be sent now."""
        return int(self._window) - self.under_way

    @property
    def failing(self) -> bool:
        """Whether the judge has given no answer since it was last paused."""
        return self._pauses > 0

    def share(self, processes: int) -> None:
        """Use an equal share of the user's rate limits, which this many processes share."""
        for pace, rate in (
            (self._requests, self._limits.requests_per_minute),
            (self._tokens, self._limits.tokens_per_minute),
        ):
            if pace is not None and rate is not None:
                pace.per_minute = rate / processes

    def paused(self, now: float) -> bool:
        """Whether the judge is paused."""
        return self._paused_until > now

    def delay(self, now: float, tokens: int = 0) -> float:
        """Seconds until a call of this size may be admitted; infinite if the window is full."""
        if self.room < 1:
            return math.inf
        if self._requests is None and self._tokens is None and self._told is None:
            return max(self._paused_until - now, 0.0)
        paces = (pace.delay(now) for pace in (self._requests, self._tokens) if pace is not None)
        told = 0.0 if self._told is None else self._told_delay(now, tokens, *self._told)
        return max(self._paused_until - now, *paces, told, 0.0)

    def _told_delay(self, now: float, tokens: int, calls: Bucket, of_tokens: Bucket) -> float:
        """Seconds until the endpoint's stated quota allows another call."""
        wait = max(calls.delay(now, 1), of_tokens.delay(now, tokens))
        # A wait above the limit is not imposed here: the endpoint must ask for it itself.
        return wait if wait <= self._patience.longest_asked_wait else 0.0

    def admit(self, now: float, tokens: int) -> None:
        """Count a call as admitted."""
        self.admitted += 1
        if self._requests is not None:
            self._requests.take(now, 1)
        if self._tokens is not None:
            self._tokens.take(now, tokens)
        if self._told is not None:
            self._told[0].take(now, 1)
            self._told[1].take(now, tokens)

    def send(self) -> None:
        """Count an admitted call as sent."""
        self.under_way += 1

    def withdraw(self) -> None:
        """Take back an admitted call that was not sent."""
        self.admitted -= 1

    def end(self, outcome: Outcome | None, *, started: float, now: float, tokens: int) -> None:
        """Record the outcome of a call sent at `started`; None if it says nothing of the judge."""
        self.admitted -= 1
        self.under_way -= 1
        first, self._untried = self._untried, False
        if isinstance(outcome, Verdict):
            if first:
                self._window = _FIRST_ANSWER - _SLOW_START
            self._answered(outcome, now, tokens)
        elif outcome is None:
            return
        elif outcome.reason is Reason.BUSY:
            self._busy(outcome, started, now)
        elif outcome.reason is Reason.DENIED:
            self.off = outcome.detail
        elif outcome.reason is Reason.REJECTED:
            self._rejected(outcome)
        else:
            self._failed(outcome, started, now)

    def _answered(self, verdict: Verdict, now: float, tokens: int) -> None:
        self._streak = self._pauses = self._rejections = 0
        grown = self._window + (_SLOW_START if self._growing_fast else 1 / self._window)
        self._window = min(grown, float(self._limits.concurrency))
        if verdict.headroom is not None:
            self._learn(verdict.headroom, now, tokens)
        if self._tokens is not None and verdict.prompt_tokens is not None:
            used = verdict.prompt_tokens + (verdict.output_tokens or 0)
            self._tokens.take(now, used - tokens)

    def _learn(self, told: Headroom, now: float, tokens: int) -> None:
        """Adopt the endpoint's stated quota, minus the calls under way, which it may not count."""
        calls, of_tokens = self._told = self._told or (Bucket(), Bucket())
        if told.requests is not None:
            calls.learn(told.requests, now=now, under_way=self.admitted)
        if told.tokens is not None:
            of_tokens.learn(told.tokens, now=now, under_way=self.admitted * tokens)

    def _busy(self, failure: Refused | Lost, started: float, now: float) -> None:
        # A call sent before the last cut says nothing about the present window.
        if started >= self._last_cut:
            self._window = max(self._window / 2, 1.0)
            self._growing_fast = False
            self._pause(failure, now)
        elif failure.retry_after is not None:
            self._paused_until = max(self._paused_until, now + failure.retry_after)

    def _rejected(self, failure: Refused | Lost) -> None:
        self._rejections += 1
        if self._rejections >= _REJECTIONS:
            self.off = f"rejects everything ({failure.detail})"

    def _failed(self, failure: Refused | Lost, started: float, now: float) -> None:
        if started < self._last_cut:
            return
        self._streak += 1
        # Before the first answer, or the first after a pause, one failure is enough to pause.
        if self._streak >= _STREAK or self._window < 2 or failure.retry_after is not None:
            self._window = 1.0
            self._growing_fast = True
            self._pause(failure, now)

    def _pause(self, failure: Refused | Lost, now: float) -> None:
        self._last_cut = now
        self._pauses += 1
        asked = failure.retry_after
        if asked is not None and asked > self._patience.longest_asked_wait:
            self.off = f"asks to wait {asked:.0f} s ({failure.detail})"
        elif self._pauses > self._patience.pauses:
            self.off = f"no answer after {self._pauses} attempts ({failure.detail})"
        # A requested wait is granted in full; jitter keeps processes from retrying together.
        # Backoff still applies: repeated short waits would soon use up the allowed pauses.
        wait = max(self.wait(self._pauses), (asked or 0.0) * self._rng.uniform(1, 1.1))
        self._paused_until = max(self._paused_until, now + wait)

    def wait(self, attempt: int) -> float:
        """Seconds before this attempt, counted from 1: doubled each time, with jitter."""
        longest = self._patience.longest_wait
        whole = min(self._patience.first_wait * 2.0 ** min(attempt - 1, 60), longest)
        return whole * self._rng.uniform(0.5, 1)


def _pace(per_minute: float | None) -> Pace | None:
    return None if per_minute is None else Pace(per_minute)
