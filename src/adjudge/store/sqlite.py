"""The ledger in one SQLite file, for any number of processes of one machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from adjudge.core.arrays import IntArray
from adjudge.errors import BudgetError, StoreError
from adjudge.records import Money, dollars
from adjudge.store import statements
from adjudge.store.entries import NoteKind, State
from adjudge.store.owner import Owner, forget, lives
from adjudge.store.reading import check_books, number_each, read_balance
from adjudge.store.schema import create_tables, is_new, use_write_ahead_log
from adjudge.store.sqlite_view import PATIENCE, SqliteView, translated
from adjudge.store.store import Denial, Reservation, Settlement


class SqliteStore(SqliteView):
    """A store in a file; see `Store` for what it promises.

    Write-ahead log with `synchronous=FULL`: what was committed survives a power cut. The purse's
    own CHECK makes the database refuse whatever would overspend it.
    """

    def __init__(self, path: Path, database: sqlite3.Connection, now: Callable[[], float]) -> None:
        super().__init__(path, database)
        self._now = now
        self._owner: Owner | None = None
        self._outstanding: dict[int, Money] = {}

    @classmethod
    def open(
        cls, path: Path, *, budget: Money | None = None, now: Callable[[], float] = time.time
    ) -> SqliteStore:
        """The ledger in this file, made if it is new.

        `budget` is what may be spent in all, what was spent before included; without it the ledger
        keeps the one it has. Calls of processes that died are presumed billed.
        """
        path = Path(path)
        new = is_new(path)
        if new and budget is None:
            raise StoreError(f"{path}: there is no ledger here")
        with translated(path):
            database = sqlite3.connect(
                path,
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,  # the group commit calls from its thread, one at a time
                cached_statements=512,
            )
        store = cls(path, database, now)
        try:
            with translated(path):
                store._prepare(new, budget)
        except BaseException:
            store.close()
            raise
        return store

    def numbers_of_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each item, given by name and fingerprint; new ones are added."""
        with self._transaction():
            return number_each(self._database, "item", keys)

    def numbers_of_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each judge, given by name and fingerprint; new ones are added."""
        with self._transaction():
            return number_each(self._database, "judge", keys)

    def commit(
        self, settlements: Sequence[Settlement], reservations: Sequence[Reservation]
    ) -> list[int | Denial]:
        """Settle all, then reserve in order; the number of each call, or why there is none."""
        owner = self._registered_owner() if reservations else 0
        held = dict(self._outstanding)
        with self._transaction():
            balance = read_balance(self._database)
            balance = statements.settle(self._database, settlements, balance, held)
            granted: list[int | Denial] = []
            if reservations:
                balance, granted = statements.reserve(
                    self._database, reservations, balance, held, owner=owner, at=int(self._now())
                )
            self._database.execute(
                "UPDATE purse SET spent = ?, reserved = ?", (balance.spent, balance.reserved)
            )
        self._outstanding = held
        return granted

    def note(
        self, judge: int | None, text: str, *, kind: NoteKind = NoteKind.REMARK, run: str = ""
    ) -> None:
        """Write down an event, about the judge of this number or about none."""
        with self._transaction():
            statements.note(self._database, judge, text, kind=kind, run=run, at=int(self._now()))

    def presume_dead(self) -> int:
        """Presume billed what processes that no longer live had reserved; how many calls."""
        with translated(self._path):
            if read_balance(self._database).reserved == sum(self._outstanding.values()):
                return 0
            waiting = f"SELECT DISTINCT owner FROM call WHERE state = {State.RESERVED.value}"
            owners = [number for (number,) in self._database.execute(waiting)]
            mine = self._owner.number if self._owner else None
            dead = [n for n in owners if n != mine and not lives(self._path, n)]
        found = 0
        for number in dead:
            with self._transaction():
                found += statements.presume(self._database, number)
            forget(self._path, number)
        return found

    def reserved_elsewhere(self) -> int:
        """How many calls other processes have under way."""
        with translated(self._path):
            if read_balance(self._database).reserved == sum(self._outstanding.values()):
                return 0
            query = f"SELECT count(*) FROM call WHERE state = {State.RESERVED.value}"
            (count,) = self._database.execute(query).fetchone()
            return int(count) - len(self._outstanding)

    def close(self) -> None:
        """Give back what this process holds; reserved entries stay reserved."""
        super().close()
        if self._owner is not None:
            self._owner.leave()
            self._owner = None

    def _prepare(self, new: bool, budget: Money | None) -> None:
        self._database.execute("PRAGMA synchronous = FULL")
        if new:
            create_tables(self._database, budget or 0)
        use_write_ahead_log(self._database, patience=PATIENCE)
        check_books(self._database, self._path)
        self.presume_dead()
        if budget is not None:
            self._set_budget(budget)

    def _set_budget(self, budget: Money) -> None:
        with self._transaction():
            balance = read_balance(self._database)
            bound = balance.spent + balance.reserved
            if budget < bound:
                raise BudgetError(
                    f"{dollars(budget)} is below the {dollars(bound)} already spent or reserved",
                    "raise it, or begin a new ledger",
                    needed=float(bound),
                )
            self._database.execute("UPDATE purse SET budget = ?", (budget,))

    def _registered_owner(self) -> int:
        if self._owner is None:
            with self._transaction():
                number = int(
                    self._database.execute("INSERT INTO owner DEFAULT VALUES").lastrowid or 0
                )
                # Locked before others can see the number: they would take it for a dead one.
                self._owner = Owner(self._path, number)
        return self._owner.number

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated(self._path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                self._database.rollback()
                raise
