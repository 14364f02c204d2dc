"""Atomic writes: a file appears complete or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from adjudge.errors import InputError

ANOTHER = "name another file with -o"
"""What to do about a file that cannot be written, where a command has -o."""
ANOTHER_REPORT = "run with --report FILE, or with --no-report"
"""The same for the report of a run."""


def check_writable(path: Path, *, instead: str = ANOTHER) -> None:
    """Refuse a folder, and a path whose folder takes no files; `instead` says what to do."""
    if not os.access(path.parent, os.W_OK | os.X_OK):
        problem = "cannot be written (its folder is missing or read-only)"
        raise InputError(str(path), problem, instead)
    if path.is_dir():
        raise InputError(str(path), "is a folder", instead)


@contextmanager
def written_whole(path: Path, *, instead: str = ANOTHER) -> Iterator[BinaryIO]:
    """A file to write to; an old file at this path stays until the new one is complete."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})", instead) from error
