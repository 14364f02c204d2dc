"""Renaming a ledger, so that a run can start afresh and nothing paid is lost."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import StoreError
from adjudge.store import owner
from adjudge.store.files import is_new, real_path
from adjudge.store.repair import alone_with
from adjudge.store.sqlite_view import begin_to_read, translated


def put_aside(path: Path) -> Path | None:
    """Move the ledger to the next free numbered name; return it, or None if there was no ledger.

    `run.ledger.sqlite` becomes `run.ledger.1.sqlite`. A ledger in use is not moved (StoreError). A
    process that opens it during the move notices this before it reserves anything, and stops.
    """
    path = Path(path)
    file = real_path(path)
    if is_new(file):
        return None
    begin_to_read(path)[0].close()  # raises if the file is not a ledger
    with translated(path):
        # Closing the last connection writes the log into the file and removes the log.
        alone_with(path).close()
    numbers = owner.numbers(file)
    if any(owner.lives(file, number) for number in numbers):
        raise StoreError(f"{path}: is in use; end the runs that use it first")
    kept = _moved(file)
    for number in numbers:
        owner.forget(file, number)
    return kept


def _moved(file: Path) -> Path:
    number = 1
    while (target := file.with_name(f"{file.stem}.{number}{file.suffix}")).exists():
        number += 1
    try:
        return file.rename(target)
    except OSError as error:
        raise StoreError(f"{file}: cannot be put aside ({error.strerror})") from error
