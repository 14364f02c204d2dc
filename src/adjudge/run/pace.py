"""Rate limits, set by the user or stated by the endpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.records import Quota

_BURST = 1.0
"""Largest burst, as seconds of the rate."""

_NOTHING = 1e-6
"""Smaller shortfalls are rounding errors."""


@dataclass(slots=True)
class Pace:
    """Spreads amounts evenly over time; the clock is the caller's."""

    per_minute: float
    _paid_until: float = 0.0
    """The time up to which the rate is used up."""

    def delay(self, now: float) -> float:
        """Seconds until anything may be taken."""
        return max(self._paid_until - _BURST - now, 0.0)

    def take(self, now: float, amount: float) -> None:
        """Take an amount; a negative amount gives back what was overestimated."""
        start = max(self._paid_until, now) if amount > 0 else self._paid_until
        self._paid_until = start + amount * 60 / self.per_minute


@dataclass(slots=True)
class Bucket:
    """Remaining quota that an endpoint states, and its refill rate.

    Read from response headers. Calls still under way when a response arrives may be missing from
    its quota, so they are subtracted.
    """

    _left: float = math.inf
    _at: float = 0.0
    """The time at which `_left` was right."""
    _rate: float = 0.0
    """Refill per second."""
    _full: float = math.inf

    def learn(self, quota: Quota, *, now: float, under_way: float) -> None:
        """Adopt the quota of a response, minus what was under way when it arrived."""
        used = quota.limit - quota.remaining
        self._full = float(quota.limit)
        self._rate = used / quota.reset if quota.reset > 0 else math.inf
        self._left, self._at = float(quota.remaining) - under_way, now

    def delay(self, now: float, amount: float) -> float:
        """Seconds until this amount may be taken; at most until the bucket is full."""
        missing = min(amount, self._full) - self._left_at(now)
        if missing <= _NOTHING or self._rate <= 0:
            return 0.0
        return missing / self._rate

    def take(self, now: float, amount: float) -> None:
        """Take this amount."""
        self._left, self._at = self._left_at(now) - amount, now

    def _left_at(self, now: float) -> float:
        if self._rate == math.inf:
            return self._full
        return min(self._left + (now - self._at) * self._rate, self._full)
