"""Atomic writes: a file appears complete or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from adjudge.errors import InputError


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write to; an old file at this path stays until the new one is complete."""
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(path)
    except OSError as error:
        raise InputError(
            str(path), f"cannot be written ({error.strerror})", "name another file with -o"
        ) from error
