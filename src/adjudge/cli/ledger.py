"""`adjudge ledger`: whether a ledger is sound, and mending one that is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from adjudge.cli.exits import Exit
from adjudge.cli.options import RUN_FILE, JsonOption, RunFileOption
from adjudge.cli.screen import say
from adjudge.config import load_run_file
from adjudge.report.numbers import count_text
from adjudge.store import check_ledger, repair_ledger

app = typer.Typer(
    help="Check the file that keeps every call, and repair it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)

LedgerArgument: TypeAlias = Annotated[
    Path | None, typer.Argument(metavar="[LEDGER]", help="The ledger, else the run file's.")
]


@app.command("check")
def check_ledger_command(
    ledger: LedgerArgument = None,
    *,
    config: RunFileOption = RUN_FILE,
    as_json: JsonOption = False,
) -> None:
    """Read all of a ledger and say what is wrong with it; it stays as it is.

    Exits with 1 if anything is wrong.

    Example:
        adjudge ledger check -c run.yaml

    """
    path = _path(ledger, config)
    found = check_ledger(path)
    problems = found.problems()
    if as_json:
        typer.echo(json.dumps({"ledger": str(path), "calls": found.calls, "problems": problems}))
    else:
        for problem in problems:
            say(problem)
        end = (
            "Nothing is wrong." if not problems else "`adjudge ledger repair` keeps what is sound."
        )
        say(f"{path}: {count_text(found.calls, 'call')} read. {end}")
        if found.version == 1:
            say("It has no checksums yet; the next run adds them.")
    raise typer.Exit(Exit.ERROR if problems else Exit.DONE)


@app.command("repair")
def repair_ledger_command(
    ledger: LedgerArgument = None,
    *,
    config: RunFileOption = RUN_FILE,
    as_json: JsonOption = False,
) -> None:
    """Mend a damaged ledger: a copy is made first, and every sound answer is kept.

    Example:
        adjudge ledger repair -c run.yaml

    """
    path = _path(ledger, config)
    repair = repair_ledger(path)
    if as_json:
        copy = None if repair.copy is None else str(repair.copy)
        found = {"copy": copy, "problems": repair.problems, "done": repair.done}
        typer.echo(json.dumps({"ledger": str(path), **found}))
        return
    if repair.copy is None:
        say(f"{path}: nothing is wrong, and nothing was done.")
        return
    for sentence in (*repair.problems, *repair.done):
        say(sentence)
    say(f"The ledger as it was is kept in {repair.copy}.")


def _path(ledger: Path | None, config: Path) -> Path:
    return load_run_file(config, imports=False, frozen=False).ledger if ledger is None else ledger
