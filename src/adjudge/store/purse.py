"""The purse of the SQLite ledger: its money, and the sums of the other tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from adjudge.errors import BudgetError
from adjudge.records import Money, dollars
from adjudge.store.checksum import Damage, values_sum
from adjudge.store.database import Database
from adjudge.store.entries import Balance, State
from adjudge.store.sqlite_database import SqliteDatabase


class Purse(NamedTuple):
    """The table's only row; its fields are the columns, in order."""

    budget: Money
    spent: Money
    reserved: Money
    debt: Money
    amended: int
    """Number of changes to calls that had ended."""
    total: int
    """The sum of all checksums of calls, items, judges and notes; it reveals lost rows."""
    salt: bytes

    @property
    def free(self) -> Money:
        """Money that is neither spent nor reserved."""
        return self.budget - self.spent - self.reserved

    @property
    def balance(self) -> Balance:
        """The purse as a `Balance`."""
        return Balance(budget=self.budget, spent=self.spent, reserved=self.reserved, debt=self.debt)


def read_purse(database: Database) -> Purse:
    """The purse; raises Damage if it does not match its checksum."""
    rows = database.execute(
        "SELECT budget, spent, reserved, debt, amended, total, salt, sum FROM purse"
    ).fetchall()
    if len(rows) != 1 or values_sum(rows[0][:-1]) != rows[0][-1]:
        raise Damage("the purse does not match its checksum")
    return Purse._make(rows[0][:-1])


def insert_purse(database: Database, purse: Purse) -> None:
    """Make this the ledger's purse."""
    database.execute("DELETE FROM purse")
    database.execute(
        "INSERT INTO purse VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (*purse, values_sum(purse))
    )


def write_purse(database: Database, purse: Purse) -> None:
    """Write the purse; the table's CHECK refuses an overspent one."""
    database.execute(
        "UPDATE purse SET budget = ?, spent = ?, reserved = ?, debt = ?, amended = ?, total = ?,"
        " sum = ?",
        (*purse[:-1], values_sum(purse)),
    )


def check_books(database: SqliteDatabase) -> None:
    """Raise Damage if the ledger's rows do not sum to its purse."""
    with one_moment(database):
        purse = read_purse(database)
        spent, reserved, debt, total = summed(database)
    if (purse.spent, purse.reserved, purse.debt) != (spent, reserved, debt):
        raise Damage(
            f"the books do not balance: {dollars(purse.spent)} spent, {dollars(purse.reserved)} "
            f"reserved and {dollars(purse.debt)} owed, but the calls sum to {dollars(spent)}, "
            f"{dollars(reserved)} and {dollars(debt)}"
        )
    if purse.total != total:
        raise Damage("rows are missing or were changed: their checksums do not add up")


@contextmanager
def one_moment(database: sqlite3.Connection) -> Iterator[None]:
    """Run several reads on one snapshot, whatever others write meanwhile."""
    if database.in_transaction:
        yield
        return
    database.execute("BEGIN")
    try:
        yield
    finally:
        database.rollback()


def summed(database: Database) -> tuple[Money, Money, Money, int]:
    """Spent, reserved, debt and total of the purse, summed from the other tables."""
    spent, reserved, debt, calls = database.execute(
        "SELECT coalesce(sum(charged), 0), coalesce(sum(CASE state WHEN ? THEN reserved END), 0),"
        " coalesce(sum(excess), 0), coalesce(sum(sum + rest), 0) FROM call",
        (State.RESERVED.value,),
    ).fetchone()
    (others,) = database.execute(
        "SELECT (SELECT coalesce(sum(sum), 0) FROM item)"
        " + (SELECT coalesce(sum(sum), 0) FROM judge) + (SELECT coalesce(sum(sum), 0) FROM note)"
    ).fetchone()
    return spent, reserved, debt, calls + others


def refuse_below(bound: Money, budget: Money, place: object) -> None:
    """Raise BudgetError if the budget is below the money spent or reserved in the ledger."""
    if budget < bound:
        raise BudgetError(
            f"{dollars(budget)} is below the {dollars(bound)} already spent or reserved in {place}",
            "raise it, or begin a new ledger",
            needed=float(bound),
        )
