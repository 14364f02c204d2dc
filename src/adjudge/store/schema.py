"""The tables of the SQLite ledger, and the recognition of ledger files."""

from __future__ import annotations

import secrets
import sqlite3
import time
from pathlib import Path

from adjudge.errors import StoreError
from adjudge.records import Money
from adjudge.store.checksum import Damage
from adjudge.store.purse import Purse, insert_purse
from adjudge.store.sqlite_database import SqliteDatabase

_APPLICATION = 0x41444A47
"""`ADJG`, in the header of every ledger."""
VERSION = 2
OLDEST = 1
"""The oldest version that can be read."""

_TABLES = """
CREATE TABLE purse (
    budget   INTEGER NOT NULL,
    spent    INTEGER NOT NULL CHECK (spent >= 0),
    reserved INTEGER NOT NULL CHECK (reserved >= 0),
    debt     INTEGER NOT NULL CHECK (debt >= 0),
    amended  INTEGER NOT NULL,
    total    INTEGER NOT NULL,
    salt     BLOB NOT NULL,
    sum      INTEGER NOT NULL,
    CHECK (spent + reserved <= budget)
) STRICT;
CREATE TABLE item (
    id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, fingerprint BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE judge (
    id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, fingerprint BLOB NOT NULL UNIQUE,
    name TEXT NOT NULL
) STRICT;
CREATE TABLE owner (id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE call (
    id             INTEGER PRIMARY KEY,
    sum            INTEGER NOT NULL, -- checksum of the columns from id to score
    item           INTEGER NOT NULL,
    judge          INTEGER NOT NULL,
    phase          INTEGER NOT NULL,
    ordinal        INTEGER,          -- NULL once refused: the place is free again
    state          INTEGER NOT NULL,
    reason         INTEGER,
    charged        INTEGER NOT NULL,
    charged_output INTEGER,
    score          REAL,
    rest           INTEGER NOT NULL, -- checksum of id and of the columns from owner to detail
    owner          INTEGER NOT NULL,
    reserved       INTEGER NOT NULL, -- stays, so that any entry can be checked later
    excess         INTEGER,          -- claimed above the reservation and not yet charged: a debt
    prompt_tokens  INTEGER,
    cached_tokens  INTEGER,
    written_tokens INTEGER,
    output_tokens  INTEGER,
    at             INTEGER NOT NULL, -- Unix time of the reservation; for people, decides nothing
    text_sum       INTEGER,          -- checksum of the answer's text, if that is kept
    detail         TEXT,
    UNIQUE (item, judge, phase, ordinal)
) STRICT;
CREATE INDEX debtor ON call (id) WHERE excess > 0;
CREATE TABLE answer (call INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE note (
    id    INTEGER PRIMARY KEY,
    sum   INTEGER NOT NULL,
    kind  INTEGER NOT NULL,
    judge INTEGER,
    text  TEXT NOT NULL,
    run   TEXT NOT NULL,
    at    INTEGER NOT NULL,          -- Unix time; for people, decides nothing
    call  INTEGER NOT NULL           -- the last call before it
) STRICT;
"""


def read_version(database: sqlite3.Connection, path: Path) -> int:
    """The version of this ledger; raises an error if the file is not a ledger."""
    try:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise StoreError(
                f"{path}: is not a ledger of adjudge; give another file name"
            ) from error
        raise
    if application != _APPLICATION:
        raise StoreError(f"{path}: is a database of another program; give another file name")
    if version > VERSION:
        raise StoreError(
            f"{path}: was written by a newer adjudge (format {version}, this one knows up to "
            f"{VERSION}); install that version"
        )
    if version < OLDEST:
        raise Damage(f"its format, {version}, never existed")
    return int(version)


def create_tables(database: SqliteDatabase, budget: Money, salt: bytes) -> None:
    """Create the ledger's tables, unless another process has just done so.

    In SQLite's default journal mode, so that the header that identifies the file is written to the
    file itself and not to a write-ahead log.
    """
    database.execute("BEGIN EXCLUSIVE")
    try:
        (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables == 0:
            make_tables(database)
            insert_purse(database, Purse(budget, 0, 0, 0, 0, 0, salt))
        database.execute("COMMIT")
    except BaseException:
        database.rollback()
        raise


def make_tables(database: sqlite3.Connection) -> None:
    """Create all tables, empty, within the open transaction."""
    for statement in _TABLES.split(";\n"):
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {_APPLICATION}")
    database.execute(f"PRAGMA user_version = {VERSION}")


def new_salt() -> bytes:
    """Random bytes, unique to a ledger."""
    return secrets.token_bytes(16)


def use_write_ahead_log(database: sqlite3.Connection, *, patience: float) -> None:
    """Switch the file to write-ahead logging, so that readers and one writer work concurrently.

    The file keeps this mode. Switching needs exclusive access and, unlike other statements, does
    not wait for it; so it is retried for `patience` seconds.
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
