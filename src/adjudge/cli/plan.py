"""`adjudge plan`: what a budget would buy, and what a wanted precision would cost."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from adjudge.cli.options import (
    RUN_FILE,
    ImportOption,
    ItemsOption,
    JsonOption,
    LimitOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.screen import Screen
from adjudge.core.panel import Forecast, budget_for_width, forecast
from adjudge.errors import InputError
from adjudge.records import NANO, dollars, nano_dollars
from adjudge.report.plan_figure import draw_plan
from adjudge.run import Result, standing

_MULTIPLES = (0.25, 0.5, 1, 2, 4, 8)
"""Budgets that are looked at unless others are named, in terms of the run file's."""


def plan_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    imports: ImportOption = False,
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", metavar="DOLLARS", help="A budget to look at; repeat it."),
    ] = None,
    width: Annotated[
        float | None, typer.Option("--width", help="Say what intervals of this width cost.")
    ] = None,
    figure: Annotated[
        Path | None, typer.Option("--figure", metavar="FILE", help="Draw it: .png, .svg or .pdf.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what budgets would buy; with what was already bought, if there is a ledger.

    Example:
        adjudge plan -c run.yaml --budget 1 --budget 5 --budget 20 --width 0.5

    """
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    result = standing(project.plan, project.file.ledger)
    given = [nano_dollars(text) for text in budget or ()]
    budgets = given or [math.ceil(project.file.budget * part) for part in _MULTIPLES]
    outlook = _Outlook.of(result, budgets, width)
    if figure is not None:
        draw_plan(outlook.forecasts, figure, scale=result.scale, spent=result.balance.spent)
    if as_json:
        typer.echo(json.dumps(outlook.plain))
        return
    console = Screen()
    console.print(outlook.table)
    console.print(outlook.basis)
    if outlook.sentence:
        console.print(outlook.sentence)
    if figure is not None:
        console.print(f"The picture is {figure}", markup=False, soft_wrap=True)


def _budget_for(result: Result, width: float) -> float | None:
    """Nano-dollars for intervals of this width on the user's scale; None if out of reach."""
    if not width > 0:
        raise InputError("--width", f"{width:g}", "a wanted width is above zero")
    try:
        return budget_for_width(
            result.problem, width / result.scale.width, evidence=result.evidence
        )
    except InputError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outlook:
    """Forecasts, in nano-dollars and parts of the scale as the planner gives them."""

    result: Result
    forecasts: Sequence[Forecast]
    wanted: float | None
    needed: float | None
    """Nano-dollars for the wanted width; None if none is wanted, or it is out of reach."""

    @classmethod
    def of(cls, result: Result, budgets: Sequence[int], width: float | None) -> _Outlook:
        needed = None if width is None else _budget_for(result, width)
        forecasts = forecast(result.problem, sorted(set(budgets)), evidence=result.evidence)
        return cls(result=result, forecasts=forecasts, wanted=width, needed=needed)

    @property
    def _rows(self) -> list[tuple[int, int, float, float]]:
        """Budget, calls, mean width and error of an item, on the user's scale."""
        scale, items = self.result.scale.width, self.result.problem.items
        norm = self.result.problem.norm
        share = 1.0 if math.isinf(norm) else items ** (-1 / norm)
        return [
            (int(f.budget), f.calls, scale * f.mean_width, scale * share * f.norm_error)
            for f in self.forecasts
        ]

    @property
    def table(self) -> Table:
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for title in ("budget", "calls", "calls per item", "interval width", "error of an item"):
            table.add_column(title, justify="right")
        items = self.result.problem.items
        for budget, calls, width, error in self._rows:
            table.add_row(
                dollars(budget),
                f"{calls:,}",
                f"{calls / items:.1f}",
                f"{width:.3g}",
                f"{error:.3g}",
            )
        return table

    @property
    def basis(self) -> str:
        level = f"{self.result.problem.confidence:.0%}"
        calls = int(self.result.evidence.calls.sum())
        if not calls:
            return f"A guess, before the first call; {level} intervals. A few calls tell more."
        return f"After {calls:,} calls for {dollars(self.result.balance.spent)}; {level} intervals."

    @property
    def sentence(self) -> str:
        if self.wanted is None:
            return ""
        if self.needed is None:
            return f"Intervals of {self.wanted:g} are out of reach of any sensible budget."
        more = max(self.needed - self.result.balance.spent, 0)
        return (
            f"Intervals of {self.wanted:g} need about {dollars(math.ceil(self.needed))} in all,"
            f" {dollars(math.ceil(more))} more than was spent."
        )

    @property
    def plain(self) -> dict[str, object]:
        return {
            "calls_so_far": int(self.result.evidence.calls.sum()),
            "spent": self.result.balance.spent / NANO,
            "confidence": self.result.problem.confidence,
            "budgets": [
                {"budget": budget / NANO, "calls": calls, "mean_width": width, "error": error}
                for budget, calls, width, error in self._rows
            ],
            "width": self.wanted,
            "budget_for_width": None if self.needed is None else self.needed / NANO,
        }
