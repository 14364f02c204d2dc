"""Writes of whole tables of a ledger, with their checksums."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from adjudge.records import Money
from adjudge.store import statements
from adjudge.store.checksum import key_sum, values_sum
from adjudge.store.database import Database
from adjudge.store.purse import Purse, insert_purse, summed, write_purse
from adjudge.store.rows import Row, sealed
from adjudge.store.settling import LARGEST_DEBT

_BLOCK = 1_000
_INSERT_CALL = f"INSERT INTO call VALUES ({','.join('?' * len(Row._fields))})"


def fill_calls(database: Database, rows: Iterable[Row]) -> None:
    """Write the calls; the sum of all debts is limited to what a column can hold."""
    remaining, room = iter(rows), LARGEST_DEBT
    while block := list(islice(remaining, _BLOCK)):
        for place, row in enumerate(block):
            if row.excess:
                block[place] = row._replace(excess=min(row.excess, room) or None)
                room -= min(row.excess, room)
        database.executemany(_INSERT_CALL, sealed(block))


def fill_keys(database: Database, table: str, rows: Iterable[tuple[int, bytes, str]]) -> None:
    """Write number, fingerprint and name of each item or judge."""
    database.executemany(
        f"INSERT INTO {table} (id, sum, fingerprint, name) VALUES (?, ?, ?, ?)",
        ((number, key_sum(number, mark, name), mark, name) for number, mark, name in rows),
    )


def fill_notes(
    database: Database,
    rows: Iterable[tuple[int, int, int | None, str, str, int, int]],
) -> None:
    """Write the notes: number, kind, judge, text, run, time and last call."""
    database.executemany(
        "INSERT INTO note (sum, id, kind, judge, text, run, at, call) VALUES (?,?,?,?,?,?,?,?)",
        ((values_sum(row), *row) for row in rows),
    )


def fill_purse(database: Database, *, budget: Money, salt: bytes) -> Purse:
    """Create the purse from the sums of the other tables, and pay debts from free money.

    The budget is at least the money already spent and reserved.
    """
    spent, reserved, debt, total = summed(database)
    purse = Purse(max(budget, spent + reserved), spent, reserved, debt, 0, total, salt)
    insert_purse(database, purse)
    purse = statements.pay(database, purse)
    write_purse(database, purse)
    return purse
