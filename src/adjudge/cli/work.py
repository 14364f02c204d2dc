"""`adjudge work`: make calls of a run that another machine plans."""

from __future__ import annotations

import time
from contextlib import closing
from typing import Annotated

import typer

from adjudge.cli.progress import shown_progress
from adjudge.cli.screen import say
from adjudge.errors import InputError
from adjudge.records import dollars
from adjudge.report.numbers import count_text
from adjudge.run import work
from adjudge.store import PostgresAddress, ledger_address

_LOOK_AGAIN = 0.5
"""Seconds between two checks for a run."""


def work_command(
    ledger: Annotated[str, typer.Argument(metavar="URL", help="postgresql://host/database")],
    *,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Make calls of a run that another machine plans, until it ends.

    If no run is under way, it waits for one to begin. API keys come from this machine's
    environment, and so does the code of judges that are functions.

    Example:
        adjudge work postgresql://db.example.com/evals

    """
    from adjudge.config.job import unpacked_plan  # noqa: PLC0415

    address = ledger_address(ledger)
    if not isinstance(address, PostgresAddress):
        raise InputError("ledger", f"{address}", "name a database, as postgresql://host/database")
    file, plan = unpacked_plan(*_job(address))
    say(f"Taking part in {file.title}: {count_text(len(plan.items), 'item')}.", err=True)
    with shown_progress(plan, quiet=quiet) as watch:
        result = work(plan, file.ledger, watch=watch)
    say(f"The run has ended; {dollars(result.balance.spent)} was spent by all who took part.")


def _job(address: PostgresAddress) -> tuple[str, bytes]:
    from adjudge.store.postgres.plans import job_under_way  # noqa: PLC0415
    from adjudge.store.postgres.schema import has_ledger  # noqa: PLC0415
    from adjudge.store.postgres.view import connected  # noqa: PLC0415

    told = False
    while True:
        with closing(connected(address)) as session:
            found = job_under_way(session) if has_ledger(session) else None
        if found is not None:
            return found
        if not told:
            say("No run is under way; waiting for one.", err=True)
            told = True
        time.sleep(_LOOK_AGAIN)
