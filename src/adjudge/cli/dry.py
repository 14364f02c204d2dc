"""Prompts and prices, without a single call."""

from __future__ import annotations

import json
from dataclasses import asdict

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from adjudge.cli.project import Project
from adjudge.cli.screen import Screen
from adjudge.records import NANO, dollars
from adjudge.run import DryRun, dry_run


def show_dry_run(project: Project, *, as_json: bool) -> None:
    """Print every judge's first prompt and the prices of its calls."""
    found = dry_run(project.plan)
    if as_json:
        typer.echo(json.dumps(_plain(found)))
        return
    console = Screen()
    for preview in found.previews:
        console.rule(Text(f"{preview.judge}, item {preview.item}"))
        console.print(Text(preview.text), soft_wrap=True)
    console.print(prices_table(found))
    console.print(
        f"One call of every judge about every item costs at most {dollars(found.most)};"
        f" the budget is {dollars(project.file.budget)}. Nothing was sent.",
        soft_wrap=True,
    )


def prices_table(found: DryRun) -> Table:
    """The price of one call of each judge."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("judge")
    for title in ("cheapest call", "dearest call", "all items, likely", "all items, at most"):
        table.add_column(title, justify="right")
    for price in found.prices:
        table.add_row(
            Text(price.judge),
            f"≤ {dollars(price.cheapest)}",
            f"≤ {dollars(price.dearest)}",
            dollars(price.likely),
            dollars(price.most),
        )
    return table


def _plain(found: DryRun) -> dict[str, object]:
    prompts = [asdict(preview) | {"most": preview.most / NANO} for preview in found.previews]
    prices = [
        {
            "judge": price.judge,
            **{
                name: getattr(price, name) / NANO
                for name in ("cheapest", "dearest", "most", "likely")
            },
        }
        for price in found.prices
    ]
    return {"prompts": prompts, "prices": prices, "most": found.most / NANO}
