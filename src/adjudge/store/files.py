"""The files of a ledger, looked at without opening them.

Closing any descriptor of a file drops every lock that the process has on it (POSIX), those of
SQLite included. So only SQLite opens the files of a ledger; everything else is asked by `stat`.
"""

from __future__ import annotations

import os
from pathlib import Path

from adjudge.errors import StoreError

_Identity = tuple[int, int]


def real_path(path: Path) -> Path:
    """The file itself, in full: SQLite puts its logs beside the file that a link leads to."""
    return path.resolve() if path.is_symlink() else path.absolute()


def log_of(path: Path) -> Path:
    """Where SQLite keeps what is not yet in the file."""
    return path.with_name(path.name + "-wal")


def size_of(path: Path) -> int:
    """Bytes in the file; 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error


def is_new(path: Path) -> bool:
    """Whether there is no ledger here yet."""
    # The log first: a ledger that is just being made has none before it has a size.
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
    """Notices when files are removed or replaced."""

    def __init__(self, *paths: Path) -> None:
        self._found = {str(path): _identity_of(str(path)) for path in paths}

    def lost(self) -> str | None:
        """Which file is no longer there, or no longer the same; None if all are."""
        for path, before in self._found.items():
            now = _identity_of(path)
            if now is None:
                return f"{path}: was removed"
            if now != before:
                return f"{path}: was replaced by another file"
        return None


def _identity_of(path: str) -> _Identity | None:
    """What tells the file apart from any other on this machine; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 (several times per commit: a Path takes thrice as long)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    return found.st_dev, found.st_ino
