"""Telling whether the process that reserved a call still lives.

Each process holds the exclusive lock of a file of its own. The system takes the lock away when the
process ends, however it ends; no clock, no process number and no heartbeat is involved. The lock
is SQLite's, so that it works wherever the ledger itself does.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from adjudge.store.files import Presence

_JOURNAL = "-journal"


class Owner:
    """The lock by which others see that this process lives."""

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
        """Whether others can still see that this process lives."""
        return self._presence.lost() is None

    def leave(self) -> None:
        """Let the lock go."""
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
    """As `lives`, by reading alone: for one that has made calls, in any folder.

    One that is only just starting may be about to take its lock, and must not find it in use.
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
    """Remove the lock file of a process that no longer lives, and the journal it may have left."""
    path = _lock_file(ledger, number)
    path.unlink(missing_ok=True)
    path.with_name(path.name + _JOURNAL).unlink(missing_ok=True)


def _lock_file(ledger: Path, number: int) -> Path:
    return ledger.with_name(f"{ledger.name}-owner-{number}")
