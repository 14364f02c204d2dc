"""`adjudge status --purse`: the spending from a shared purse, by run and user."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from adjudge.cli.screen import Screen
from adjudge.errors import InputError
from adjudge.records import NANO, dollars
from adjudge.store import Address, PostgresAddress

if TYPE_CHECKING:
    from adjudge.store.postgres.upkeep import PurseReport


def show_purse(address: Address, *, as_json: bool) -> None:
    """Print the balance of a purse and the spending from it."""
    if not isinstance(address, PostgresAddress):
        raise InputError(
            "--purse",
            f"{address} is a file that one run has to itself",
            "name a shared ledger in the run file, as ledger: postgresql://host/database",
        )
    from adjudge.store.postgres.upkeep import purse_report  # noqa: PLC0415

    report = purse_report(address)
    if as_json:
        typer.echo(json.dumps(_plain(report)))
        return
    console = Screen()
    what = f"The purse {report.name}" if report.name else "The ledger"
    under_way = f", {dollars(report.reserved)} reserved" if report.reserved else ""
    console.print(
        Text(f"{what}: {dollars(report.spent)} of {dollars(report.budget)} spent{under_way}.")
    )
    console.print(_table(report))


def _table(report: PurseReport) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in ("run", "who"):
        table.add_column(title)
    for title in ("calls", "spent", "of"):
        table.add_column(title, justify="right")
    for account in report.accounts:
        name = account.account or "every run"
        lines = account.by or {"": (0, account.spent)}
        for who, (calls, spent) in lines.items():
            limit = dollars(account.budget) if name else ""
            table.add_row(Text(name), Text(who), f"{calls:,}", dollars(spent), limit)
            name = ""
    return table


def _plain(report: PurseReport) -> dict[str, object]:
    return {
        "purse": report.name,
        "budget": report.budget / NANO,
        "spent": report.spent / NANO,
        "reserved": report.reserved / NANO,
        "accounts": [
            {
                "run": account.account,
                "budget": account.budget / NANO,
                "spent": account.spent / NANO,
                "reserved": account.reserved / NANO,
                "by": [
                    {"who": who, "calls": calls, "spent": spent / NANO}
                    for who, (calls, spent) in account.by.items()
                ],
            }
            for account in report.accounts
        ],
    }
