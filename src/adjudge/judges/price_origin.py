"""The origin of prices."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The source and day of a price."""

    source: str
    """Such as `run file`, `prices.json` or `genai-prices 0.2.2`."""
    model: str = ""
    """The name that was looked up, such as `openai/gpt-4o-mini`; empty if there was no lookup."""
    entry: str = ""
    """The name in the list, if different."""
    day: date | None = None
    """The day for which the prices hold; None if the source has no dates."""
    asked: date | None = None
    """The day that the user asked for; None for the day of the first run."""
    frozen: bool = False
    """Whether they are kept from an earlier run on this ledger."""

    @property
    def words(self) -> str:
        """The origin, for people to read."""
        entry = f" as {self.entry}" if self.entry else ""
        day = f", prices of {self.day}" if self.day is not None else ""
        kept = ", kept since the run began" if self.frozen else ""
        return f"{self.source}{entry}{day}{kept}"
