"""`adjudge ledger`: check, repair, upgrade, copy and share a ledger."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from adjudge.cli.exits import Exit
from adjudge.cli.options import RUN_FILE, JsonOption, RunFileOption
from adjudge.cli.screen import say
from adjudge.config import load_run_file
from adjudge.errors import InputError, StoreError
from adjudge.records import dollars, nano_dollars
from adjudge.report.numbers import count_text
from adjudge.store import (
    Address,
    PostgresAddress,
    SqliteStore,
    check_ledger,
    ledger_address,
    repair_ledger,
)

app = typer.Typer(
    help="Check, repair, copy and share the ledger, which holds every call.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)

LedgerArgument: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[LEDGER]", help="A file or postgresql://..., else the run file's."),
]


@app.command("check")
def check_ledger_command(
    ledger: LedgerArgument = None,
    *,
    config: RunFileOption = RUN_FILE,
    as_json: JsonOption = False,
) -> None:
    """Read all of a ledger and report what is wrong with it; nothing is changed.

    Exits with 1 if anything is wrong.

    Example:
        adjudge ledger check -c run.yaml

    """
    address = _address(ledger, config)
    version, advice = 0, "restore the database from a backup."
    if isinstance(address, PostgresAddress):
        from adjudge.store.postgres.upkeep import check_shared  # noqa: PLC0415

        calls, problems = check_shared(address)
    else:
        found = check_ledger(address)
        calls, problems, version = found.calls, found.problems(), found.version
        advice = "`adjudge ledger repair` keeps what is sound."
    if as_json:
        typer.echo(json.dumps({"ledger": str(address), "calls": calls, "problems": problems}))
    else:
        for problem in problems:
            say(problem)
        end = "Nothing is wrong." if not problems else advice
        say(f"{address}: {count_text(calls, 'call')} read. {end}")
        if version == 1:
            say("It has no checksums yet; the next run adds them.")
    raise typer.Exit(Exit.ERROR if problems else Exit.DONE)


@app.command("repair")
def repair_ledger_command(
    ledger: LedgerArgument = None,
    *,
    config: RunFileOption = RUN_FILE,
    as_json: JsonOption = False,
) -> None:
    """Repair a damaged ledger: a copy is made first, and every sound answer is kept.

    Example:
        adjudge ledger repair -c run.yaml

    """
    path = _address(ledger, config)
    if isinstance(path, PostgresAddress):
        raise StoreError(f"{path}: only a file is repaired; restore the database from a backup")
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


@app.command("upgrade")
def upgrade_ledger_command(
    ledger: LedgerArgument = None, *, config: RunFileOption = RUN_FILE
) -> None:
    """Bring a ledger to the format of this adjudge; nobody may be using it.

    A ledger in a file needs no command: every run that opens it brings it up to date.

    Example:
        adjudge ledger upgrade postgresql://db.example.com/evals

    """
    address = _address(ledger, config)
    if not isinstance(address, PostgresAddress):
        SqliteStore.open(address).close()
        say(f"{address}: is up to date.")
        return
    from adjudge.store.postgres.upkeep import upgrade_shared  # noqa: PLC0415

    before, after = upgrade_shared(address)
    done = "is up to date" if before == after else f"is now in format {after}; it was in {before}"
    say(f"{address}: {done}.")


@app.command("copy")
def copy_ledger_command(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="The ledger to copy.")],
    target: Annotated[str, typer.Argument(metavar="URL", help="postgresql://host/database")],
) -> None:
    """Copy a whole ledger from a file into a database that a team shares.

    Example:
        adjudge ledger copy run.ledger.sqlite postgresql://db.example.com/evals

    """
    from adjudge.store.postgres.copying import copy_ledger  # noqa: PLC0415

    address = _shared(ledger_address(target))
    calls = copy_ledger(source, address)
    say(
        f"{address}: {count_text(calls, 'call')} copied from {source}, which stays as it is. Name "
        f"the new one in the run file, as ledger: {address}; each of the two would spend the "
        "whole budget."
    )


@app.command("purse")
def purse_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What run files call the purse.")],
    ledger: LedgerArgument = None,
    *,
    budget: Annotated[
        str, typer.Option("--budget", metavar="DOLLARS", help="What all runs on it may spend.")
    ],
    config: RunFileOption = RUN_FILE,
) -> None:
    """Make a purse that several runs share, or change its budget.

    Example:
        adjudge ledger purse team-evals postgresql://db.example.com/evals --budget 200

    """
    from adjudge.store.postgres.upkeep import set_purse  # noqa: PLC0415

    address = _shared(_address(ledger, config))
    amount = nano_dollars(budget)
    set_purse(address, name, amount)
    say(f"{address}: the purse {name} holds {dollars(amount)}.")


def _address(ledger: str | None, config: Path) -> Address:
    if ledger is not None:
        return ledger_address(ledger)
    return load_run_file(config, imports=False, frozen=False).ledger


def _shared(address: Address) -> PostgresAddress:
    if not isinstance(address, PostgresAddress):
        raise InputError("ledger", f"{address}", "name a database, as postgresql://host/database")
    return address
