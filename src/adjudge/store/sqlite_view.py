"""Reading the ledger in one SQLite file, while others write it or where nobody can."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from adjudge.core.arrays import IntArray
from adjudge.errors import StoreError
from adjudge.records import Reason
from adjudge.store import reading
from adjudge.store.entries import Balance, CallRecord, CallRow, Entries, Note, State, UnderWay
from adjudge.store.owner import is_seen_alive
from adjudge.store.schema import is_new

PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""

T = TypeVar("T")
Question = Callable[[sqlite3.Connection], T]


class SqliteView:
    """Reads a ledger in a file; see `View`."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self._path = path
        self._database = database

    @staticmethod
    def look(path: Path) -> SqliteView:
        """The ledger in this file, to be read only: the file and its folder stay as they are.

        Works while runs write the ledger, and in a folder that cannot be written.
        """
        path = Path(path)
        if is_new(path):
            raise StoreError(f"{path}: there is no ledger here")
        view = _Look(path)
        try:
            view.ask(lambda database: reading.check_books(database, path))
        except BaseException:
            view.close()
            raise
        return view

    def find_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each item, given by name and fingerprint; UNKNOWN where there is none."""
        return self.ask(lambda database: reading.find_each(database, "item", keys))

    def find_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each judge, given by name and fingerprint; UNKNOWN where there is none."""
        return self.ask(lambda database: reading.find_each(database, "judge", keys))

    def balance(self) -> Balance:
        """Budget, spent and reserved now."""
        return self.ask(reading.read_balance)

    def entries(self, since: int = 0) -> Entries:
        """Every call that is or may be paid, oldest first; those from this number on."""
        return self.ask(partial(reading.read_entries, since=since))

    def refusals(self) -> Mapping[tuple[int, Reason], int]:
        """How many calls cost nothing, by the judge's number and why."""
        return self.ask(reading.read_refusals)

    def rejected(self) -> IntArray:
        """Numbers of item and judge of each pair that a judge would not take; shape (n, 2)."""
        return self.ask(reading.read_rejected)

    def presumed(self) -> list[CallRecord]:
        """The calls that were presumed billed."""
        return self._records(f"state = {State.PRESUMED.value}")

    def overcharged(self) -> list[CallRecord]:
        """The calls for which a judge claimed more than their worst case."""
        return self._records("charged > reserved OR excess > 0")

    def notes(self) -> list[Note]:
        """Everything that was noted, oldest first."""
        return self.ask(reading.read_notes)

    def under_way(self) -> UnderWay:
        """Who is at work on the ledger now."""
        reserved = self.ask(reading.read_owners)
        living = {number for number in reserved if is_seen_alive(self._path, number)}
        calls = sum(reserved[number] for number in living)
        return UnderWay(
            processes=len(living), calls=calls, abandoned=sum(reserved.values()) - calls
        )

    def calls(self, items: Collection[int] | None = None) -> Iterator[CallRow]:
        """Every call, or those about these items, oldest first; few are in memory at a time."""
        after = 0
        while rows := self.ask(partial(reading.read_calls, after=after, items=items)):
            yield from rows
            after = rows[-1].call

    def close(self) -> None:
        """Give back what this process holds; reserved entries stay reserved."""
        self._database.close()

    def ask(self, question: Question[T]) -> T:
        """What the database answers; its errors are told as ours."""
        with translated(self._path):
            return question(self._database)

    def _records(self, condition: str) -> list[CallRecord]:
        return self.ask(lambda database: reading.read_records(database, condition))


class _Look(SqliteView):
    """A ledger that is read without being touched.

    SQLite's own way of reading a file beside its writers makes files next to it. Where there is no
    log beside the ledger nobody is writing, and the file is read as it lies there; should somebody
    begin meanwhile, the question is put again.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, self._connect(path))

    def ask(self, question: Question[T]) -> T:
        """What the database answers, as of one moment."""
        while True:
            try:
                answer = super().ask(question)
            except StoreError:
                if not self._changed():
                    raise
            else:
                if not self._changed():
                    return answer
            self._database.close()
            self._database = self._connect(self._path)

    def _connect(self, path: Path) -> sqlite3.Connection:
        self._state = _state_of(path)
        mode = "mode=ro" if self._state is None else "mode=ro&immutable=1"
        with translated(path):
            database = sqlite3.connect(
                f"{path.absolute().as_uri()}?{mode}",
                uri=True,
                timeout=PATIENCE,
                isolation_level=None,
                check_same_thread=False,
            )
            # One moment for all questions: what they tell adds up.
            database.execute("BEGIN")
        return database

    def _changed(self) -> bool:
        """Whether somebody wrote to a file that was read as if nobody would."""
        return self._state is not None and _state_of(self._path) != self._state


def _state_of(path: Path) -> tuple[int, ...] | None:
    """What changes when somebody writes to the file; None if there is a log beside it."""
    try:
        if any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal")):
            return None
        found = path.stat()
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Errors of the database as ours, with the path."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}") from error
