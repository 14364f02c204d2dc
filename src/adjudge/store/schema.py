"""The tables of the SQLite ledger, and how a file is known to be one."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from adjudge.errors import StoreError
from adjudge.records import Money

_APPLICATION = 0x41444A47
"""`ADJG`, in the header of every ledger."""
_VERSION = 1

_TABLES = """
CREATE TABLE purse (
    budget   INTEGER NOT NULL,
    spent    INTEGER NOT NULL CHECK (spent >= 0),
    reserved INTEGER NOT NULL CHECK (reserved >= 0),
    CHECK (spent + reserved <= budget)
) STRICT;
CREATE TABLE item (
    id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, name TEXT NOT NULL
) STRICT;
CREATE TABLE judge (
    id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, name TEXT NOT NULL
) STRICT;
CREATE TABLE owner (id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE call (
    id             INTEGER PRIMARY KEY,
    item           INTEGER NOT NULL,
    judge          INTEGER NOT NULL,
    phase          INTEGER NOT NULL,
    ordinal        INTEGER,          -- NULL once refused: the place is free again
    owner          INTEGER NOT NULL,
    state          INTEGER NOT NULL,
    reason         INTEGER,
    reserved       INTEGER NOT NULL, -- stays, so that any entry can be checked later
    charged        INTEGER NOT NULL,
    charged_output INTEGER,
    excess         INTEGER,
    score          REAL,
    prompt_tokens  INTEGER,
    cached_tokens  INTEGER,
    output_tokens  INTEGER,
    at             INTEGER NOT NULL, -- Unix time of the reservation; for people, decides nothing
    UNIQUE (item, judge, phase, ordinal)
) STRICT;
CREATE TABLE answer (call INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE note (
    id    INTEGER PRIMARY KEY,
    kind  INTEGER NOT NULL,
    judge INTEGER,
    text  TEXT NOT NULL,
    run   TEXT NOT NULL,
    at    INTEGER NOT NULL,          -- Unix time; for people, decides nothing
    call  INTEGER NOT NULL           -- the last call before it
) STRICT;
"""

_MAGIC = b"SQLite format 3\x00"


def is_new(path: Path) -> bool:
    """Whether a ledger has to be made here; a file that is no ledger of ours is an error.

    Reads the header without SQLite, which may write to a file merely by closing it.
    """
    try:
        if not path.exists() or path.stat().st_size == 0:
            return True
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    if not header.startswith(_MAGIC) or len(header) < 100:
        raise StoreError(f"{path}: is not a ledger of adjudge; give another file name")
    version = int.from_bytes(header[60:64], "big")
    application = int.from_bytes(header[68:72], "big")
    if application != _APPLICATION:
        raise StoreError(f"{path}: is a database of another program; give another file name")
    if version > _VERSION:
        raise StoreError(
            f"{path}: was written by a newer adjudge (format {version}, this one knows up to "
            f"{_VERSION}); install that version"
        )
    return False


def create_tables(database: sqlite3.Connection, budget: Money) -> None:
    """Make the file a ledger, unless another process has just done so.

    In SQLite's first journal mode: the header that says what the file is must not be left to a log
    beside it.
    """
    database.execute("BEGIN EXCLUSIVE")
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in _TABLES.split(";\n"):
                database.execute(statement)
            database.execute("INSERT INTO purse VALUES (?, 0, 0)", (budget,))
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {_VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.rollback()
        raise


def use_write_ahead_log(database: sqlite3.Connection, *, patience: float) -> None:
    """Let readers and one writer work side by side; a mode that the file keeps.

    Changing it needs the file alone, and does not wait for its turn as other statements do.
    """
    end = time.monotonic() + patience
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return
