"""The files of a ledger, examined without opening them.

Closing any descriptor of a file drops every lock that the process has on it (POSIX), including
SQLite's. So only SQLite opens the files of a ledger; this module uses `stat` alone.
"""

from __future__ import annotations

import os
from pathlib import Path

from adjudge.errors import StoreError

_Identity = tuple[int, int]


def real_path(path: Path) -> Path:
    """The absolute path, with links resolved: SQLite puts its logs beside the target of a link."""
    return path.resolve() if path.is_symlink() else path.absolute()


def log_of(path: Path) -> Path:
    """Path of SQLite's write-ahead log."""
    return path.with_name(path.name + "-wal")


def size_of(path: Path) -> int:
    """Size of the file in bytes; 0 if it does not exist."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error


def is_new(path: Path) -> bool:
    """Whether there is no ledger here yet."""
    # Check the log first: a ledger that is being created has a size before it has a log.
    logged = size_of(log_of(path))
    if size_of(path):
        return False
    if logged:
        raise StoreError(
            f"{path}: the ledger is gone, but its log {log_of(path).name} is there, and a run may "
            "still use it; put the ledger back, or end that run and remove the log to begin anew"
        )
    return True


class Presence:
    """Detects the removal or replacement of files."""

    def __init__(self, *paths: Path) -> None:
        self._found = {str(path): _identity_of(str(path)) for path in paths}

    def lost(self) -> str | None:
        """A message about the first file that was removed or replaced; None if there is none."""
        for path, before in self._found.items():
            now = _identity_of(path)
            if now is None:
                return f"{path}: was removed"
            if now != before:
                return f"{path}: was replaced by another file"
        return None


def _identity_of(path: str) -> _Identity | None:
    """Device and inode of the file; None if it does not exist."""
    try:
        found = os.stat(path)  # noqa: PTH116 (called at every commit; a Path is three times slower)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    return found.st_dev, found.st_ino
