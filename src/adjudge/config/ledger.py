"""The ledger of a run file, and the purse that it spends from."""

from __future__ import annotations

from pathlib import Path

from adjudge.config.run_section import RunSection
from adjudge.errors import InputError
from adjudge.store import Address, PostgresAddress, is_postgres


def ledger_of(run: RunSection, file: Path) -> Address:
    """The ledger that the run file names, or else a file beside the run file."""
    if run.ledger is not None and is_postgres(run.ledger):
        purse, _, account = (run.purse or "").partition("/")
        own = (account or file.stem) if purse else ""
        return PostgresAddress.of(run.ledger, purse=purse, account=own)
    if run.purse is not None:
        raise InputError(
            "purse",
            f"{run.purse!r} is a part of a shared ledger, and this run's is a file",
            "name the ledger, as ledger: postgresql://host/database, or leave purse out",
        )
    return file.parent / (run.ledger or f"{file.stem}.ledger.sqlite")
