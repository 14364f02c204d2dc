"""When a run may end before its money is spent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.core.arrays import BoolArray
from adjudge.run.result import Result

NARROW = 0.02
"""Share of the scale: where every interval is at most so wide, more money tells nothing new."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interim:
    """What is known between two rounds."""

    result: Result
    look: int
    """How often the run has looked whether it is enough; the first time is 1."""
    askable: BoolArray
    """The items that can still be asked; shape (K,)."""


Enough: TypeAlias = Callable[[Interim], str | None]
"""Why the run may end now, in a few words; None if it goes on."""


def narrow_enough(interim: Interim) -> str | None:
    """Whether every item that can be asked has an interval of at most `NARROW` of the scale."""
    width = interim.result.estimate.interval().width[interim.askable]
    if not width.size or width.max() > NARROW:
        return None
    return f"every interval is at most {NARROW:.0%} of the scale wide: more calls change nothing"
