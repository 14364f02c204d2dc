"""A run file that was read and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from adjudge.core.strategies import Strategy
from adjudge.dataset import read_items
from adjudge.judges import Judge, Scale
from adjudge.records import Item, Money
from adjudge.run import Patience, Plan
from adjudge.store import Address


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunFile:
    """Everything that a run file says, in our own types; relative paths are resolved."""

    path: Path
    """The run file itself."""
    title: str
    items_source: str | Path
    """The file that holds the items, or "-" for standard input."""
    fields: Mapping[str, str]
    """Columns of the fields that the run file names."""
    limit: int | None
    """Take only the first so many items."""
    budget: Money
    judges: tuple[Judge, ...]
    weights: tuple[float, ...]
    """How much each judge counts."""
    scale: Scale
    strategy: Strategy
    strategy_name: str
    norm: float
    confidence: float
    until: tuple[str, ...]
    """Gates that end the run as soon as they all hold."""
    spend_all: bool
    """Whether money is spent that would change nothing that is told."""
    seed: int
    keep_reasons: bool
    ask_again: int
    grace: float
    patience: Patience
    ledger: Address
    output: Path
    """Where the report goes."""

    def read_items(self, *, stdin: BinaryIO | None = None) -> list[Item]:
        """The items that the file names."""
        return read_items(self.items_source, fields=self.fields, limit=self.limit, stdin=stdin)

    def plan(self, items: Sequence[Item]) -> Plan:
        """What is to be run about these items."""
        return Plan(
            items=items,
            judges=self.judges,
            scale=self.scale,
            strategy=self.strategy,
            norm=self.norm,
            confidence=self.confidence,
            weights=self.weights,
            ask_again=self.ask_again,
            keep_texts=self.keep_reasons,
            grace=self.grace,
            patience=self.patience,
        )
