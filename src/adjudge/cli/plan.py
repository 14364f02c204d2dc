"""`adjudge plan`: what a budget would buy, and what a wanted precision would cost."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.divided import Divided
from adjudge.cli.options import (
    RUN_FILE,
    ImportOption,
    ItemsOption,
    JsonOption,
    LimitOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.outlook import Outlook
from adjudge.cli.project import Project
from adjudge.cli.screen import Screen
from adjudge.errors import InputError
from adjudge.records import Money, nano_dollars
from adjudge.report.plan_figure import draw_plan
from adjudge.run import Result, standing

_MULTIPLES = (0.25, 0.5, 1, 2, 4, 8)
"""Budgets to forecast by default, as multiples of the run file's, or of more that was spent."""


def plan_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    imports: ImportOption = False,
    budget: Annotated[
        list[str] | None,
        typer.Option("--budget", metavar="DOLLARS", help="A budget to forecast; repeatable."),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option("--width", help="Show what mean intervals of this width would cost."),
    ] = None,
    label_price: Annotated[
        str | None,
        typer.Option(
            "--label-price",
            metavar="DOLLARS",
            help="Say how the money is best divided between calls and labels of this price.",
        ),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Save a figure: .png, .svg or .pdf."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what budgets would buy with the run file's strategy, given the calls made so far.

    Example:
        adjudge plan -c run.yaml --budget 1 --budget 5 --budget 20 --width 0.5
        adjudge plan -c run.yaml --label-price 1.50

    """
    price = None if label_price is None else nano_dollars(label_price, of="--label-price")
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    result = standing(project.plan, project.file.ledger)
    given = [nano_dollars(text) for text in budget or ()]
    outlook = Outlook.of(project, result, given or _default_budgets(project, result), width)
    divided = None if price is None else Divided.of(project, result, given, price)
    if figure is not None:
        if not outlook.forecasts:
            raise InputError("--figure", "no budget has a forecast", "name a larger --budget")
        draw_plan(outlook.forecasts, figure, scale=result.scale, spent=result.balance.spent)
    if as_json:
        labels = {} if divided is None else {"labels": divided.plain}
        typer.echo(json.dumps({**outlook.plain, **labels}))
        return
    console = Screen()
    console.print(outlook.table)
    for sentence in outlook.sentences():
        console.print(sentence)
    if divided is not None:
        for table in divided.tables():
            console.print(table)
        for sentence in divided.sentences():
            console.print(sentence)
    if figure is not None:
        console.print(f"The picture is {figure}", markup=False, soft_wrap=True)


def _default_budgets(project: Project, result: Result) -> list[Money]:
    spent = result.balance.spent
    base = max(project.file.budget, spent)
    return [budget for part in _MULTIPLES if (budget := math.ceil(base * part)) >= spent]
