"""Liveness of the processes that reserved calls.

Each process holds an exclusive lock on its own file. The operating system releases the lock when
the process ends for any reason; no clock, process id or heartbeat is needed. The lock is SQLite's,
so it works wherever the ledger does.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from adjudge.store.files import Presence

_JOURNAL = "-journal"


class Owner:
    """The lock that shows others that this process is alive."""

    def __init__(self, ledger: Path, number: int) -> None:
        self.number = number
        self._path = _lock_file(ledger, number)
        self._lock = sqlite3.connect(
            self._path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            self._lock.close()
            raise
        self._presence = Presence(self._path)

    @property
    def seen(self) -> bool:
        """Whether others can still see that this process is alive."""
        return self._presence.lost() is None

    def leave(self) -> None:
        """Release the lock."""
        seen = self.seen
        self._lock.close()
        if seen:
            self._path.unlink(missing_ok=True)


def lives(ledger: Path, number: int) -> bool:
    """Whether the process with this number still holds its lock."""
    path = _lock_file(ledger, number)
    if not path.exists():
        return False
    lock = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError:
        return True
    finally:
        lock.close()
    return False


def numbers(ledger: Path) -> set[int]:
    """The numbers of all processes that have a lock file, living or dead."""
    beginning = f"{ledger.name}-owner-"
    found = (
        file.name.removeprefix(beginning).removesuffix(_JOURNAL)
        for file in ledger.parent.glob("*-owner-*")
        if file.name.startswith(beginning)
    )
    return {int(number) for number in found if number.isdecimal()}


def is_seen_alive(ledger: Path, number: int) -> bool:
    """Like `lives`, but read-only, so it works in any folder.

    Only for processes that have made calls: testing the lock of a process that is just starting
    could prevent it from taking the lock.
    """
    path = _lock_file(ledger, number)
    if not path.exists():
        return False
    try:
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=0, uri=True)
        ) as lock:
            lock.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode == sqlite3.SQLITE_BUSY
    return False


def forget(ledger: Path, number: int) -> None:
    """Remove the lock file of a dead process, with any journal."""
    path = _lock_file(ledger, number)
    path.unlink(missing_ok=True)
    path.with_name(path.name + _JOURNAL).unlink(missing_ok=True)


def _lock_file(ledger: Path, number: int) -> Path:
    return ledger.with_name(f"{ledger.name}-owner-{number}")
