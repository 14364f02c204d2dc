"""The ledger in one SQLite file, for any number of processes on one machine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from adjudge.core.arrays import IntArray
from adjudge.errors import StoreError
from adjudge.records import Money
from adjudge.store import owner, statements
from adjudge.store.entries import NoteKind, State
from adjudge.store.files import Presence, is_new, log_of, real_path, size_of
from adjudge.store.migration import check_old_books, migrate
from adjudge.store.outstanding import look_at_outstanding
from adjudge.store.purse import Purse, check_books, read_purse, refuse_below, write_purse
from adjudge.store.schema import (
    VERSION,
    create_tables,
    new_salt,
    read_version,
    use_write_ahead_log,
)
from adjudge.store.sharing import SharedPlans
from adjudge.store.sqlite_database import SqliteDatabase
from adjudge.store.sqlite_view import PATIENCE, SqliteView, translated, version_of
from adjudge.store.store import Denial, Reservation, Settlement


class SqliteStore(SqliteView):
    """A store in a file; see `Store` for its guarantees.

    Write-ahead log with `synchronous=FULL`: committed data survive a power cut. The purse's CHECK
    makes the database refuse any overspending.
    """

    plans: SharedPlans | None = None
    """None: every process plans for itself."""

    def __init__(self, path: Path, database: SqliteDatabase, now: Callable[[], float]) -> None:
        super().__init__(path, database)
        self._file = real_path(path)
        self._presence = Presence(self._file)
        self._now = now
        self._owner: owner.Owner | None = None
        self._numbers: set[int] = set()
        """The owner numbers that this store has had."""
        self._outstanding: statements.Held = {}

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        budget: Money | None = None,
        salt: bytes | None = None,
        now: Callable[[], float] = time.time,
    ) -> SqliteStore:
        """The ledger in this file, created if missing.

        `budget` is the total that may be spent, including earlier spending; without it the ledger
        keeps its own. `salt` is for a new ledger; if not given, it is drawn at random. Calls of
        dead processes are presumed billed.
        """
        path = Path(path)
        file = real_path(path)
        # A process that died while creating the ledger leaves a journal, to be undone by a writer.
        new = is_new(file) or size_of(file.with_name(file.name + "-journal")) > 0
        if new and budget is None:
            raise StoreError(f"{path}: there is no ledger here")
        if not new:
            version_of(path)
        with translated(path):
            database = sqlite3.connect(
                file,
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,  # the group commit calls from its thread, one at a time
                cached_statements=512,
                factory=SqliteDatabase,
            )
        store = cls(path, database, now)
        try:
            with translated(path):
                store._prepare(new, budget, salt or new_salt())
        except BaseException:
            store.close()
            raise
        return store

    def numbers_of_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each item, given by name and fingerprint; adds new items."""
        return self._numbers_of("item", keys)

    def numbers_of_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each judge, given by name and fingerprint; adds new judges."""
        return self._numbers_of("judge", keys)

    def commit(
        self, settlements: Sequence[Settlement], reservations: Sequence[Reservation]
    ) -> list[int | Denial]:
        """Settle all, then reserve in order; return each call's number or denial."""
        number = self._registered_owner() if reservations else 0
        while True:
            held = dict(self._outstanding)
            try:
                granted = self._commit(settlements, reservations, held, number)
            except statements.AmendedError:
                with translated(self._path):
                    look_at_outstanding(self._database, self._outstanding)
            else:
                self._outstanding = held
                return granted

    def note(
        self, judge: int | None, text: str, *, kind: NoteKind = NoteKind.REMARK, run: str = ""
    ) -> None:
        """Record an event, with the number of the judge concerned, if any."""
        at = int(self._now())
        with self._transaction():
            purse = read_purse(self._database)
            purse = statements.note(self._database, purse, judge, text, kind=kind, run=run, at=at)
            write_purse(self._database, purse)

    def presume_dead(self) -> int:
        """Presume billed the calls reserved by dead processes; return their number."""
        with translated(self._path):
            if self._alone(read_purse(self._database)):
                return 0
            waiting = f"SELECT DISTINCT owner FROM call WHERE state = {State.RESERVED.value}"
            owners = {number for (number,) in self._database.execute(waiting)}
            dead = [n for n in owners - self._numbers if not owner.lives(self._file, n)]
        found = 0
        for number in dead:
            with self._transaction():
                purse, lost = statements.presume(self._database, read_purse(self._database), number)
                write_purse(self._database, purse)
            found += lost
            owner.forget(self._file, number)
        return found

    def reserved_elsewhere(self) -> int:
        """Number of calls that other processes have under way."""
        with translated(self._path):
            if self._alone(read_purse(self._database)):
                return 0
            rows = self._database.execute(
                f"SELECT owner, count(*) FROM call WHERE state = {State.RESERVED.value}"
                " GROUP BY owner"
            )
            return sum(count for number, count in rows if number not in self._numbers)

    def close(self) -> None:
        """Release the resources of this process; reserved entries stay reserved."""
        super().close()
        if self._owner is not None:
            self._owner.leave()
            self._owner = None

    def _prepare(self, new: bool, budget: Money | None, salt: bytes) -> None:
        self._database.execute("PRAGMA synchronous = FULL")
        if new:
            create_tables(self._database, budget or 0, salt)
        if read_version(self._database, self._path) < VERSION:
            self._bring_up_to_date()
        use_write_ahead_log(self._database, patience=PATIENCE)
        check_books(self._database)
        log = log_of(self._file)
        self._presence = Presence(self._file, log, log.with_name(self._file.name + "-shm"))
        self._sweep()
        self.presume_dead()
        if budget is not None:
            self._set_budget(budget)

    def _bring_up_to_date(self) -> None:
        with self._transaction():
            if read_version(self._database, self._path) < VERSION:
                check_old_books(self._database)
                migrate(self._database)

    def _sweep(self) -> None:
        """Remove the lock files of dead processes."""
        if owner.numbers(self._file):
            with self._transaction():  # no process can register meanwhile
                for number in owner.numbers(self._file):
                    if not owner.lives(self._file, number):
                        owner.forget(self._file, number)

    def _set_budget(self, budget: Money) -> None:
        with self._transaction():
            purse = read_purse(self._database)
            refuse_below(purse.spent + purse.reserved, budget, self._path)
            purse = statements.pay(self._database, purse._replace(budget=budget))
            write_purse(self._database, purse)

    def _numbers_of(self, table: str, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        with self._transaction():
            before = read_purse(self._database)
            purse, numbers = statements.number_each(self._database, before, table, keys)
            if purse != before:
                write_purse(self._database, purse)
            return numbers

    def _commit(
        self,
        settlements: Sequence[Settlement],
        reservations: Sequence[Reservation],
        held: statements.Held,
        number: int,
    ) -> list[int | Denial]:
        granted: list[int | Denial] = []
        with self._transaction():
            purse = read_purse(self._database)
            purse = statements.settle(self._database, settlements, purse, held)
            if reservations:
                purse, granted = statements.reserve(
                    self._database,
                    reservations,
                    purse,
                    held,
                    first=statements.following_call(self._database),
                    owner=number,
                    at=int(self._now()),
                )
            write_purse(self._database, purse)
        return granted

    def _alone(self, purse: Purse) -> bool:
        """Whether this store made all current reservations."""
        own = (row for row in self._outstanding.values() if row.state == State.RESERVED)
        return purse.reserved == sum(row.reserved for row in own)

    def _registered_owner(self) -> int:
        """The number whose lock shows others that this process is alive."""
        if self._owner is not None and self._owner.seen:
            return self._owner.number
        if self._owner is not None:  # its lock file was removed
            self._owner.leave()
            self._owner = None
        with self._transaction():
            # Locked before others can see the number, or they would presume the process dead.
            self._owner = owner.Owner(self._file, self._free_number())
        self._numbers.add(self._owner.number)
        return self._owner.number

    def _free_number(self) -> int:
        while True:
            found = self._database.execute("INSERT INTO owner DEFAULT VALUES").lastrowid or 0
            # A process of an earlier ledger at this path may hold a lock of this name.
            if not owner.lives(self._file, found):
                return found

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with translated(self._path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._check_presence()
                yield
                self._database.execute("COMMIT")
            except BaseException:
                self._database.rollback()
                raise
            self._check_presence()

    def _check_presence(self) -> None:
        """Raise StoreError if the file was removed or replaced, so that others cannot see it."""
        lost = self._presence.lost()
        if lost is not None:
            raise StoreError(
                f"{lost} while a run used it; the run is stopped, because what it spends could no "
                "longer be written down"
            )
