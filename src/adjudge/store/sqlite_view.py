"""Reads of a ledger in a SQLite file, during writes or in a read-only folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from adjudge.errors import StoreError
from adjudge.store import reading
from adjudge.store.checksum import Damage
from adjudge.store.empty import EmptyView
from adjudge.store.entries import Balance, UnderWay
from adjudge.store.files import is_new, log_of, real_path
from adjudge.store.migration import check_old_books, migrate
from adjudge.store.owner import is_seen_alive
from adjudge.store.purse import check_books, read_purse
from adjudge.store.schema import VERSION, read_version
from adjudge.store.sql_view import SqlView
from adjudge.store.sqlite_database import SqliteDatabase
from adjudge.store.store import View

PATIENCE = 60.0
"""Seconds to wait for another process that is writing."""

T = TypeVar("T")
Question = Callable[[SqliteDatabase], T]
_State = tuple[int, ...] | None
_DAMAGED = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
"""SQLite's error codes for a damaged file."""


class SqliteView(SqlView[SqliteDatabase]):
    """Reads a ledger in a file; see `View`."""

    def __init__(self, path: Path, database: SqliteDatabase) -> None:
        self._path = path
        self._database = database

    @staticmethod
    def look(path: Path) -> SqliteView:
        """A read-only view of the ledger in this file; the file and its folder do not change.

        It works while runs write the ledger, and in a read-only folder.
        """
        path = Path(path)
        if is_new(real_path(path)):
            raise StoreError(f"{path}: there is no ledger here")
        view = _Look(path)
        try:
            view.ask(check_books)
        except BaseException:
            view.close()
            raise
        return view

    @staticmethod
    def look_if_any(path: Path) -> View:
        """Like `look`, but an empty view if there is no ledger yet."""
        return EmptyView() if is_new(real_path(Path(path))) else SqliteView.look(path)

    def balance(self) -> Balance:
        """The current budget, spending, reservations and debt."""
        return self.ask(read_purse).balance

    def amended(self) -> int:
        """Number of changes to ended calls, such as debts paid later or late answers."""
        return self.ask(read_purse).amended

    def salt(self) -> bytes:
        """Random bytes, unique to this ledger."""
        return self.ask(read_purse).salt

    def complete_before(self) -> int:
        """No limit: numbers are given in order, so no call with a lower number is added later."""
        return 2**63 - 1

    def under_way(self) -> UnderWay:
        """Living processes and calls under way."""
        reserved = self.ask(reading.read_owners)
        living = {number for number in reserved if is_seen_alive(real_path(self._path), number)}
        calls = sum(reserved[number] for number in living)
        return UnderWay(
            processes=len(living), calls=calls, abandoned=sum(reserved.values()) - calls
        )

    def close(self) -> None:
        """Release the resources of this process; reserved entries stay reserved."""
        self._database.close()

    def ask(self, question: Question[T]) -> T:
        """The result of a query; SQLite errors become `StoreError`."""
        with translated(self._path):
            return question(self._database)


class _Look(SqliteView):
    """A ledger that is read without changing any file.

    SQLite's normal mode creates files next to a database with writers. If the ledger has no
    write-ahead log, nobody is writing, and the file is read in SQLite's immutable mode. If a write
    begins meanwhile, the query is repeated. An older version is migrated in a copy in memory.
    """

    def __init__(self, path: Path) -> None:
        self._file = real_path(path)
        self._path = path
        super().__init__(path, self._connect())

    def ask(self, question: Question[T]) -> T:
        """The result of a query on one snapshot."""
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
            self._database = self._connect()

    def _connect(self) -> SqliteDatabase:
        database, self._state, version = begin_to_read(self._path)
        if version == VERSION:
            return database
        with closing(database), translated(self._path):
            check_old_books(database)
            return _brought_up_to_date(database)

    def _changed(self) -> bool:
        """Whether a file opened as immutable has changed."""
        return self._state is not None and _state_of(self._file) != self._state


def version_of(path: Path) -> int:
    """The version of the ledger in this file, which is not changed."""
    database, _, version = begin_to_read(path)
    database.close()
    return version


def begin_to_read(path: Path) -> tuple[SqliteDatabase, _State, int]:
    """A read-only connection, the state of the file, and the ledger's version."""
    file = real_path(path)
    while True:
        state = _state_of(file)
        try:
            with translated(path):
                database = _read_only(file, as_it_lies=state is not None)
                try:
                    # One snapshot for all queries, so that their results are consistent.
                    database.execute("BEGIN")
                    version = read_version(database, path)
                except BaseException:
                    database.close()
                    raise
        except StoreError:
            if state == _state_of(file):
                raise
        else:
            return database, state, version


def _read_only(file: Path, *, as_it_lies: bool) -> SqliteDatabase:
    mode = "mode=ro&immutable=1" if as_it_lies else "mode=ro"
    return sqlite3.connect(
        f"{file.as_uri()}?{mode}",
        uri=True,
        timeout=PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        factory=SqliteDatabase,
    )


def _brought_up_to_date(database: SqliteDatabase) -> SqliteDatabase:
    """A copy in memory, migrated to the current version."""
    copy = sqlite3.connect(
        ":memory:", isolation_level=None, check_same_thread=False, factory=SqliteDatabase
    )
    database.backup(copy)
    copy.execute("BEGIN")
    migrate(copy)
    copy.execute("COMMIT")
    return copy


def _state_of(path: Path) -> _State:
    """Inode, size and modification time of the file; None if it has a write-ahead log."""
    try:
        if log_of(path).exists() or path.with_name(path.name + "-journal").exists():
            return None
        found = path.stat()
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    return found.st_ino, found.st_size, found.st_mtime_ns


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Translate errors of the database to `StoreError`, with the path."""
    try:
        yield
    except (Damage, UnicodeDecodeError) as error:
        raise _damaged(path, error) from error
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError) as error:
        raise StoreError(f"{path}: {error}") from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code & 0xFF in _DAMAGED:
            raise _damaged(path, error) from error
        raise StoreError(f"{path}: {error}") from error


def _damaged(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path}: the ledger was damaged, or changed by something else than adjudge: {error}; "
        "`adjudge ledger check` tells more, `adjudge ledger repair` keeps what is sound"
    )
