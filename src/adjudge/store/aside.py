"""Putting a ledger aside, so that a run can begin anew and nothing paid is lost."""

from __future__ import annotations

from pathlib import Path

from adjudge.errors import StoreError
from adjudge.store import owner
from adjudge.store.files import is_new, real_path
from adjudge.store.repair import alone_with
from adjudge.store.sqlite_view import begin_to_read, translated


def put_aside(path: Path) -> Path | None:
    """Move the ledger to the next free numbered name; where it is now, None if there was none.

    `run.ledger.sqlite` becomes `run.ledger.1.sqlite`. A ledger that anybody uses stays. A process
    that opens it during the move finds it gone before it reserves anything, and stops.
    """
    path = Path(path)
    file = real_path(path)
    if is_new(file):
        return None
    begin_to_read(path)[0].close()  # refuses what is no ledger of ours
    with translated(path):
        # The last to close a ledger brings what is in its log into the file, and ends the log.
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
