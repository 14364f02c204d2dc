"""The result of `evaluate`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.text import Text

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.estimate import Interval
from adjudge.core.people import Comparison, group_mean
from adjudge.errors import InputError
from adjudge.records import NANO, Item, dollars
from adjudge.report.content import (
    Notice,
    PeopleCard,
    ReportContent,
    Weight,
    content_of,
    shown_items,
)
from adjudge.report.frames import items_frame, judges_frame
from adjudge.report.function_notices import function_notices, with_notices
from adjudge.report.html import page
from adjudge.report.notebook import notebook_html
from adjudge.report.numbers import count_text
from adjudge.report.printable import printable
from adjudge.report.tables import agreement_table, groups_table, items_table, judges_table
from adjudge.run import Plan, Result, history, ledger_calls
from adjudge.store import Address

_SHOWN_ITEMS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """An item's score, or a group's mean, with its interval."""

    id: str
    score: float | None
    """None if no judge scored it."""
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evaluation:
    """Every item's score with an interval, and the costs; iterate over it for the items."""

    items: Sequence[Item]
    plan: Plan
    result: Result
    ledger: Address
    """The ledger with every paid answer."""
    strategy: str = "panel"
    """The strategy's name."""
    remarks: tuple[str, ...] = ()
    """Remarks on the call of `evaluate`, besides those on the result."""

    @property
    def asked(self) -> BoolArray:
        """The items with a score from a judge, or with a label that counts; shape (K,)."""
        return self.result.asked

    @property
    def scores(self) -> FloatArray:
        """Every item's score; nan for items that are not `asked`; shape (K,)."""
        return self.result.scores

    @property
    def panel_scores(self) -> FloatArray:
        """The panel's own scores, on the judges' scale; nan where no judge gave one; shape (K,)."""
        return self.result.panel_scores

    @property
    def people(self) -> PeopleCard | None:
        """People's labels, and the agreement of judges and panel with them; None without labels."""
        return self._content(full=False).people

    def interval(self, level: float | None = None) -> Interval:
        """Every item's interval, at this level or at the run's confidence."""
        return self.result.interval(level)

    @property
    def spent(self) -> float:
        """Dollars spent through the ledger, in this run and all before it."""
        return self.result.balance.spent / NANO

    @property
    def notices(self) -> tuple[str, ...]:
        """Warnings and notes, the most serious first."""
        return tuple(notice.text for notice in self._content(full=False).notices)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Scored]:
        interval = self.interval()
        for item, asked, score, low, high in zip(
            self.items,
            self.asked.tolist(),
            self.scores.tolist(),
            interval.low.tolist(),
            interval.high.tolist(),
            strict=True,
        ):
            yield Scored(id=item.id, score=score if asked else None, low=low, high=high)

    def mean(self, group: str | None = None) -> Scored:
        """The mean score of a group, or of all items, with its interval."""
        scale = self.result.scale
        found = group_mean(self.result.estimate, self._members(group))
        low, high = (scale.low + scale.width * end for end in found.interval())
        mean = scale.low + scale.width * found.mean
        return Scored(id=group or "all items", score=mean, low=low, high=high)

    def difference(self, first: str, second: str) -> Scored:
        """Mean of the first group minus mean of the second, with its interval, as in the report.

        If most items are in pairs with the same prompt, the difference is paired.
        """
        width = self.result.scale.width
        found = Comparison.of(
            self.result.estimate,
            self._members(first),
            self._members(second),
            prompts=[item.prompt for item in self.items],
        ).here
        low, high = (width * end for end in found.interval())
        return Scored(id=f"{first} - {second}", score=width * found.mean, low=low, high=high)

    def to_polars(self) -> pl.DataFrame:
        """The items with scores, intervals, calls and costs."""
        return items_frame(self.items, self.result)

    def to_pandas(self) -> Any:
        """The same as a pandas data frame; needs only pandas, not pyarrow."""
        try:
            pandas = import_module("pandas")
        except ImportError as error:
            raise InputError(
                "to_pandas", "pandas is not installed", "install pandas, or use to_polars()"
            ) from error
        return pandas.DataFrame(self.to_polars().to_dict(as_series=False))

    def judges(self) -> pl.DataFrame:
        """The judges with their calls, costs and properties."""
        return judges_frame(self.result)

    def report(self, path: str | Path) -> Path:
        """Write the report as one HTML file."""
        written = Path(path)
        written.write_text(page(self._content(full=True)), encoding="utf-8")
        return written

    def __str__(self) -> str:
        content = self._content(full=False)
        console = Console(width=100, no_color=True)
        with console.capture() as captured:
            console.print(printable(content.headline), markup=False)
            if content.whose_scale is not None:
                console.print(content.whose_scale, markup=False)
            if content.groups:
                console.print(groups_table(content))
            console.print(items_table(content, most=_SHOWN_ITEMS))
            if content.people is not None and content.people.lines:
                console.print(agreement_table(content, content.people))
            console.print(judges_table(content))
            for notice in content.notices:
                console.print(Text(notice.text), soft_wrap=True)
            bill = content.bill
            console.print(
                Text(
                    f"{dollars(bill.spent)} of {dollars(bill.budget)} spent on "
                    f"{count_text(bill.calls, 'call')}; the ledger is {self.ledger}"
                ),
                soft_wrap=True,
            )
        return captured.get().rstrip()

    def _repr_html_(self) -> str:
        return notebook_html(self._content(full=False), ledger=self.ledger)

    def _members(self, group: str | None) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        if group is None:
            return np.ones(len(self.items), bool)
        chosen = np.array([item.group == group for item in self.items], bool)
        if not chosen.any():
            known = ", ".join(sorted({item.group for item in self.items if item.group is not None}))
            raise InputError(
                "group", f"{group!r} has no items", f"there are {known or 'no groups'}"
            )
        return chosen

    def _content(self, *, full: bool) -> ReportContent:
        """The content of a report; the short form omits what must be read from the ledger."""
        shown = shown_items(self.items, self.result)
        content = content_of(
            self.items,
            self.result,
            title="Evaluation",
            now=datetime.now().astimezone(),
            strategy=self.strategy,
            history=history(self.plan, self.ledger) if full else (),
            calls=ledger_calls(self.plan, self.ledger, items=shown) if full else (),
            plan=self.plan if full else None,
        )
        remarks = [Notice(weight=Weight.CAUTION, text=remark) for remark in self.remarks]
        return with_notices(content, [*function_notices(self.plan.judges), *remarks])
