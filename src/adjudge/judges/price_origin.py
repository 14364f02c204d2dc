"""Where prices are from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source and day of a price."""

    source: str
    """As `run file`, `prices.json` or `genai-prices 0.2.2`."""
    model: str = ""
    """What was looked up there, as `openai/gpt-4o-mini`; empty if nothing was."""
    entry: str = ""
    """What the list calls it, if that is not the same."""
    day: date | None = None
    """The prices are those of this day; None if the source has no days."""
    asked: date | None = None
    """The day that the user asked for; None for the day of the first run."""
    frozen: bool = False
    """Whether they are those with which an earlier run on this ledger began."""

    @property
    def words(self) -> str:
        """As people read it."""
        entry = f" as {self.entry}" if self.entry else ""
        day = f", prices of {self.day}" if self.day is not None else ""
        kept = ", kept since the run began" if self.frozen else ""
        return f"{self.source}{entry}{day}{kept}"
