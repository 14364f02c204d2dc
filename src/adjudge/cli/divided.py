"""The best division of money between labels and calls, for `adjudge plan --label-price`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table

from adjudge.cli.project import Project
from adjudge.core.people import Division, divide
from adjudge.core.strategies import Panel
from adjudge.errors import InputError
from adjudge.records import NANO, Money, dollars
from adjudge.report.numbers import count_text
from adjudge.run import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Divided:
    """Amounts of further money, each with several divisions."""

    label_price: Money
    sums: tuple[tuple[Money, tuple[Division, ...]], ...]
    beyond: bool
    """Whether the budget cannot pay for one more label, so that the sum is extra money."""
    anchored: bool
    """Whether the forecasts beside it are on the people's scale too."""
    width: float
    """Width of the people's scale."""

    @classmethod
    def of(
        cls, project: Project, result: Result, budgets: Sequence[Money], label_price: Money
    ) -> Divided:
        """Divisions of what is left of these budgets, or of the run file's if there are none.

        If less than the price of a label is left, divides extra money as large as the budget.
        """
        if not isinstance(project.plan.strategy, Panel):
            raise InputError(
                "--label-price", "this strategy gives no such advice", "use the panel strategy"
            )
        if not label_price:
            raise InputError("--label-price", "labels cost nothing", "label every item, then")
        budget, spent = project.file.budget, result.balance.spent
        left = [max(one - spent, 0) for one in budgets or [budget]]
        enough = [one for one in left if one >= label_price]
        sums = enough or [max(*left, budget, label_price)]
        return cls(
            label_price=label_price,
            beyond=not enough,
            sums=tuple(
                (one, divide(result.problem, result.evidence, one, label_price)) for one in sums
            ),
            anchored=result.anchored,
            width=project.file.labels.scale.width,
        )

    def tables(self) -> Iterator[Table]:
        """One table for each sum."""
        for money, rows in self.sums:
            yield self._table(money, rows)

    def _table(self, money: Money, rows: Sequence[Division]) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
        price = dollars(self.label_price)
        table.title = f"{dollars(money)} more, between labels at {price} each and calls"
        for title in ("labels", "for labels", "for calls", "error of an item", "error of the mean"):
            table.add_column(title, justify="right")
        table.add_column("best for")
        for row in rows:
            table.add_row(
                f"{row.labels:,}",
                dollars(round(row.label_money)),
                dollars(round(row.call_money)),
                f"{self.width * row.item_error:.3g}",
                f"{self.width * row.mean_error:.3g}",
                _best_for(row),
            )
        return table

    def sentences(self) -> Iterator[str]:
        """The best division of each sum, in words."""
        if not self.anchored:
            yield (
                "Errors in this table are against people's labels, a guess until there are some; "
                "errors of the budgets above are against the panel's own score."
            )
        if self.beyond:
            yield (
                "The budget does not cover one more label; this table divides money on top of it."
            )
        for money, rows in self.sums:
            for_items = next((row for row in rows if row.best_for_items), None)
            for_means = next((row for row in rows if row.best_for_mean), None)
            if for_items is not None and for_items == for_means:
                yield f"Of {dollars(money)}, best for items and for means: {_words(for_items)}."
            elif for_items is not None and for_means is not None:
                yield (
                    f"Of {dollars(money)}, best for items: {_words(for_items)}; "
                    f"best for means: {_words(for_means)}."
                )

    @property
    def plain(self) -> list[dict[str, object]]:
        """The same for programs."""
        return [
            {
                "money": money / NANO,
                "label_price": self.label_price / NANO,
                "divisions": [
                    {
                        "labels": row.labels,
                        "for_labels": row.label_money / NANO,
                        "for_calls": row.call_money / NANO,
                        "item_error": self.width * row.item_error,
                        "mean_error": self.width * row.mean_error,
                        "best_for_items": row.best_for_items,
                        "best_for_mean": row.best_for_mean,
                    }
                    for row in rows
                ],
            }
            for money, rows in self.sums
        ]


def _words(row: Division) -> str:
    calls = dollars(round(row.call_money))
    return (
        f"{count_text(row.labels, 'label')} for {dollars(round(row.label_money))}, {calls} of calls"
    )


def _best_for(row: Division) -> str:
    both = {"items": row.best_for_items, "means": row.best_for_mean}
    return " and ".join(name for name, is_best in both.items() if is_best)
