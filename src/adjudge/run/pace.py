"""Keeping to a rate: one that the user set, or one that the endpoint tells of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.records import Quota

_BURST = 1.0
"""Seconds' worth of calls that may be made at once."""

_NOTHING = 1e-6
"""Smaller shortfalls are rounding errors."""


@dataclass(slots=True)
class Pace:
    """Spreads amounts evenly over time; the clock is the caller's."""

    per_minute: float
    _paid_until: float = 0.0
    """The moment up to which the rate has been used."""

    def delay(self, now: float) -> float:
        """Seconds until something may be taken."""
        return max(self._paid_until - _BURST - now, 0.0)

    def take(self, now: float, amount: float) -> None:
        """Use the rate; a negative amount gives back what was taken too much."""
        start = max(self._paid_until, now) if amount > 0 else self._paid_until
        self._paid_until = start + amount * 60 / self.per_minute


@dataclass(slots=True)
class Bucket:
    """Remaining quota that an endpoint states, and its refill rate.

    Known from the headers of its answers; calls that were sent before an answer came, and end
    after it, may not be counted in it, so that they are taken off.
    """

    _left: float = math.inf
    _at: float = 0.0
    """The moment of `_left`."""
    _rate: float = 0.0
    """What is filled up per second."""
    _full: float = math.inf

    def learn(self, quota: Quota, *, now: float, under_way: float) -> None:
        """Take over what an answer says, with so much under way that it may not have counted."""
        used = quota.limit - quota.remaining
        self._full = float(quota.limit)
        self._rate = used / quota.reset if quota.reset > 0 else math.inf
        self._left, self._at = float(quota.remaining) - under_way, now

    def delay(self, now: float, amount: float) -> float:
        """Seconds until so much may be taken; more than the bucket ever holds is never held up."""
        missing = min(amount, self._full) - self._left_at(now)
        if missing <= _NOTHING or self._rate <= 0:
            return 0.0
        return missing / self._rate

    def take(self, now: float, amount: float) -> None:
        """Take so much out of it."""
        self._left, self._at = self._left_at(now) - amount, now

    def _left_at(self, now: float) -> float:
        if self._rate == math.inf:
            return self._full
        return min(self._left + (now - self._at) * self._rate, self._full)
