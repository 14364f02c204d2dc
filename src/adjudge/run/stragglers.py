"""Stragglers: judges so slow that the others go on without them; the caller passes the times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low

_TIMES_SLOWER = 50.0
"""A judge is a straggler if it takes more than this many times the others' median time per call.

A reasoning model may take dozens of times as long as a small model, and is worth waiting for; a
model that hangs is not.
"""
_SOONEST = 0.2
"""Shortest wait after which a judge can be a straggler, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """One judge's response times."""

    typical: float | None
    """Median seconds of its latest calls; None before the first has ended."""
    silent: float
    """Seconds since the last answer while calls wait for the judge; 0 if none do."""
    local: bool = False
    """Whether the judge runs in this process. Local and remote times are not comparable."""

    @property
    def lag(self) -> float:
        """Expected seconds until the next answer."""
        return max(self.typical or 0.0, self.silent)


def longest_wait(beats: Sequence[Beat], j: int) -> float | None:
    """Seconds after which judge j is a straggler; None if no other judge is comparable."""
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
