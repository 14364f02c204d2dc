"""Keeping to a rate per minute."""

from __future__ import annotations

from dataclasses import dataclass

_BURST = 1.0
"""Seconds' worth of calls that may be made at once."""


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
