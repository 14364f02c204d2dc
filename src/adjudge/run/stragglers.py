"""Which judges are so slow that the others go on without them; the clock is the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

_TIMES_SLOWER = 50.0
"""A judge is a straggler beyond so many times the others' usual time of a call.

A model that reasons at length takes some dozens of times as long as a small one and is worth
waiting for; one that hangs is not.
"""
_SOONEST = 0.2
"""Seconds of silence that never make a straggler: nobody notices them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """How fast one judge answers."""

    typical: float | None
    """Median seconds of its latest calls; None before the first has ended."""
    silent: float
    """Seconds since it last answered while calls wait for it; 0 if none do."""
    local: bool = False
    """Whether it is computed in this process: its time says nothing of a model's, nor the other
    way round."""

    @property
    def lag(self) -> float:
        """Expected seconds to its next answer."""
        return max(self.typical or 0.0, self.silent)


def longest_wait(beats: Sequence[Beat], j: int) -> float | None:
    """Seconds after which judge j is a straggler; None if it has none to be compared with."""
    others = [
        beat.typical
        for i, beat in enumerate(beats)
        if i != j and beat.typical is not None and beat.local == beats[j].local
    ]
    return max(_TIMES_SLOWER * median_low(others), _SOONEST) if others else None


def is_straggler(beats: Sequence[Beat], j: int) -> bool:
    """Whether the other judges go on without judge j."""
    longest = longest_wait(beats, j)
    return longest is not None and beats[j].lag > longest
