"""`adjudge status`: how far a run is."""

from __future__ import annotations

import json
from datetime import datetime

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

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
from adjudge.records import NANO, dollars
from adjudge.report.content import error_of_an_item
from adjudge.run import Result, standing


def status_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    imports: ImportOption = False,
    as_json: JsonOption = False,
) -> None:
    """Show how far a run is, also while it is running; nothing is asked or spent.

    Example:
        adjudge status -c run.yaml

    """
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    result = standing(project.plan, project.file.ledger)
    if as_json:
        typer.echo(json.dumps(_plain(result)))
        return
    console = Screen()
    balance = result.balance
    if not balance.spent and not balance.reserved and not result.notes:
        console.print("Nothing was asked yet.")
        return
    console.print(
        f"{dollars(balance.spent)} of {dollars(balance.budget)} spent"
        + (
            f", {dollars(balance.reserved)} reserved for calls under way"
            if balance.reserved
            else ""
        )
        + f"; {int(result.answered.sum()):,} calls answered."
    )
    console.print(Text("It " + _end(result) + "."))
    console.print(_table(result))
    for note in result.notes[-5:]:
        moment = datetime.fromtimestamp(note.at).astimezone()
        who = f"{note.judge}: " if note.judge else ""
        console.print(Text(f"{moment:%Y-%m-%d %H:%M}  {who}{note.words}"))


def _table(result: Result) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("judge")
    for title in ("answered", "with a score", "lost", "refused", "spent"):
        table.add_column(title, justify="right")
    table.add_column("")
    for judge in result.judges:
        table.add_row(
            Text(judge.name),
            f"{judge.answered:,}",
            f"{judge.scored:,}",
            f"{judge.presumed:,}",
            f"{sum(judge.refusals.values()):,}",
            dollars(judge.spent),
            Text(f"switched off: {judge.switched_off}" if judge.switched_off else ""),
        )
    return table


def _end(result: Result) -> str:
    if result.end is not None:
        return f"ended: {result.end.value}"
    return "is running, or was killed and can be resumed"


def _plain(result: Result) -> dict[str, object]:
    balance = result.balance
    return {
        "budget": balance.budget / NANO,
        "spent": balance.spent / NANO,
        "reserved": balance.reserved / NANO,
        "end": None if result.end is None else result.end.name.lower(),
        "calls": int(result.answered.sum()),
        "error": error_of_an_item(
            result.scale.width * result.estimate.norm_error(),
            items=result.problem.items,
            norm=result.problem.norm,
        ),
        "mean_width": float(result.interval().width.mean()),
        "judges": [
            {
                "name": judge.name,
                "answered": judge.answered,
                "scored": judge.scored,
                "presumed": judge.presumed,
                "refused": sum(judge.refusals.values()),
                "spent": judge.spent / NANO,
                "switched_off": judge.switched_off,
            }
            for judge in result.judges
        ],
    }
