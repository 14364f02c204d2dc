"""A call that is to be made, and what became of several."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """A call to be made."""

    item: int
    """The item's row in the run."""
    phase: int
    ordinal: int
    ask_again: int
    """How often it may be followed by another, should its answer have no score."""
    attempt: int = 1
    repeated: bool = False
    """Whether other requests about the same item are sent soon before or after it."""


@dataclass(slots=True)
class Tally:
    """What became of the calls that a lane was given last."""

    sent: int = 0
    """Calls that were sent."""
    unaffordable: int = 0
    """Calls whose worst case did not fit the money left with nothing under way."""
    taken: int = 0
    """Calls that another process made."""
