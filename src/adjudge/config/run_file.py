"""A checked run file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from adjudge.config.label_sources import LabelSources, without_labels
from adjudge.core.panel import Target
from adjudge.core.strategies import Panel, Strategy
from adjudge.dataset import read_items
from adjudge.judges import Judge, Scale
from adjudge.records import Item, Money
from adjudge.run import Patience, People, Plan, label_reading
from adjudge.run.place import Place
from adjudge.store import Address


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunFile:
    """The content of a run file in our own types; relative paths are resolved."""

    path: Path
    """The run file itself."""
    title: str
    items_source: str | Path
    """The file that holds the items, or "-" for standard input."""
    fields: Mapping[str, str]
    """Columns by field, as named in the run file."""
    limit: int | None
    """Number of items to use, from the first; None for all."""
    budget: Money
    judges: tuple[Judge, ...]
    weights: tuple[float, ...]
    """Each judge's weight in the panel's score."""
    scale: Scale
    labels: LabelSources
    """Sources of people's labels."""
    strategy: Strategy
    strategy_name: str
    norm: float
    confidence: float
    until: tuple[str, ...]
    """Gates that end the run as soon as they all hold."""
    spend_all: bool
    """Whether the whole budget is spent, even if it hardly changes the results."""
    seed: int
    keep_reasons: bool
    ask_again: int
    grace: float
    patience: Patience
    ledger: Address
    output: Path
    """Path of the report."""
    place: Place | None = None
    """Where calls are made; None for the process of the run."""

    def read_items(self, *, stdin: BinaryIO | None = None) -> list[Item]:
        """The items in the file that the run file names, with the labels in that file."""
        return read_items(
            self.items_source,
            fields=self.fields,
            limit=self.limit,
            labels=label_reading(self.labels.scale),
            stdin=stdin,
        )

    def people(self, items: Sequence[Item]) -> People | None:
        """People's labels of these items from all sources; None if there are none."""
        return self.labels.people(items, some=self.limit is not None)

    def plan(self, items: Sequence[Item], people: People | None = None) -> Plan:
        """The plan for these items; with `people`, scores are on the people's scale by default.

        The labels are removed from the items, so that no judge sees them.
        """
        return Plan(
            items=without_labels(items),
            judges=self.judges,
            scale=self.scale,
            people=people,
            strategy=self._strategy(people),
            norm=self.norm,
            confidence=self.confidence,
            weights=self.weights,
            ask_again=self.ask_again,
            keep_texts=self.keep_reasons,
            grace=self.grace,
            patience=self.patience,
            place=self.place,
        )

    def _strategy(self, people: People | None) -> Strategy:
        """The strategy; with labels, its target is people's scores unless the run file sets one.

        A file of labels counts even if it is still empty.
        """
        wanted = people is not None or self.labels.file is not None
        if not wanted or not self.labels.count or not isinstance(self.strategy, Panel):
            return self.strategy
        return replace(self.strategy, target=Target.REFERENCE)
