"""Copy of a whole ledger from a file to a database."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.errors import StoreError
from adjudge.store.postgres import leases
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.schema import OWN_PURSE, create_tables, has_ledger
from adjudge.store.postgres.session import Session
from adjudge.store.postgres.troubles import translated
from adjudge.store.postgres.view import connected
from adjudge.store.purse import Purse, read_purse
from adjudge.store.reading import read_rows
from adjudge.store.rows import Row, sealed
from adjudge.store.sqlite import SqliteStore
from adjudge.store.sqlite_view import SqliteView

_BLOCK = 1_000
_TABLES = {
    "item": "id, sum, fingerprint, name",
    "judge": "id, sum, fingerprint, name",
    "note": "id, sum, kind, judge, text, run, at, call",
    "answer": "call, text",
}


def copy_ledger(source: Path, target: PostgresAddress) -> int:
    """Copy everything in one transaction to a database without a ledger; return the call count.

    Calls of dead processes are first presumed billed. The file is otherwise not changed.
    """
    with closing(SqliteStore.open(source)) as store:
        if store.reserved_elsewhere():
            raise StoreError(f"{source}: is in use; end the runs that use it first")
    with (
        closing(SqliteView.look(source)) as view,
        closing(connected(target)) as session,
        translated(target),
        session.transaction(),
    ):
        if has_ledger(session):
            raise StoreError(f"{target}: holds a ledger already; name an empty database")
        return _copy(view, session, source)


def _copy(view: SqliteView, session: Session, source: Path) -> int:
    purse = view.ask(read_purse)
    create_tables(session, purse.budget, purse.salt)
    (lease,) = session.execute(
        "INSERT INTO lease (purse, who, next_call, last_call, strict, closed)"
        " VALUES (?, ?, 1, 0, false, true) RETURNING id",
        (OWN_PURSE, f"copied from {source.name}"),
    ).fetchone()
    copied = _Copied(_calls(view, lease))
    session.copy_rows("call", ", ".join(Row._fields), copied)
    others = sum(_copy_table(view, session, table) for table in _TABLES)
    _write_books(session, purse, lease, copied, others)
    leases.check_books(session)
    return copied.count


def _copy_table(view: SqliteView, session: Session, table: str) -> int:
    """Copy one of the other tables; return the sum of its checksums."""
    columns = _TABLES[table]
    rows = view.ask(lambda database: database.execute(f"SELECT {columns} FROM {table}").fetchall())
    session.copy_rows(table, columns, rows)
    return 0 if table == "answer" else sum(row[1] for row in rows)


def _write_books(session: Session, purse: Purse, lease: int, copied: _Copied, others: int) -> None:
    session.execute("UPDATE purse SET spent = ?, debt = ?", (purse.spent, purse.debt))
    session.execute("UPDATE lease SET total = ? WHERE id = ?", (copied.total, lease))
    session.execute(
        "UPDATE ledger SET total = ?, amended = ?, next_call = ?",
        (others, purse.amended, copied.last + 1),
    )


class _Copied:
    """An iterator over rows that keeps their count and checksum."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self.count = self.total = self.last = 0

    def __iter__(self) -> Iterator[Sequence[Any]]:
        for row in self._rows:
            self.count, self.last = self.count + 1, row.id
            self.total += row.sum + row.rest
            yield row


def _calls(view: SqliteView, lease: int) -> Iterator[Row]:
    """Every call, with the lease as its owner."""
    condition = f"id IN (SELECT id FROM call WHERE id > ? ORDER BY id LIMIT {_BLOCK})"
    after = 0
    while rows := view.ask(partial(read_rows, condition=condition, values=(after,))):
        yield from sealed([row._replace(owner=lease) for row in rows])
        after = rows[-1].id
