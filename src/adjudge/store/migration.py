"""Migration of a ledger from version 1 to version 2.

Version 1 had no checksums, no salt and no debts: claims of judges above the remaining budget were
recorded and never paid. They are now debts, paid from free money.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from adjudge.records import dollars
from adjudge.store.checksum import Damage, text_sum
from adjudge.store.filling import fill_calls, fill_keys, fill_notes, fill_purse
from adjudge.store.rows import Row
from adjudge.store.schema import make_tables, new_salt
from adjudge.store.sqlite_database import SqliteDatabase

_TABLES = ("purse", "item", "judge", "owner", "call", "answer", "note")
_CALLS = (
    "SELECT id, 0, item, judge, phase, ordinal, state, reason, charged, charged_output, score, 0,"
    " owner, reserved, excess, prompt_tokens, cached_tokens, NULL, output_tokens, at, text, NULL"
    " FROM old_call LEFT JOIN old_answer ON old_answer.call = id ORDER BY id"
)


def check_old_books(database: sqlite3.Connection) -> None:
    """Raise Damage if the calls of a version 1 ledger do not sum to its purse."""
    spent, reserved, charged, waiting = database.execute(
        "SELECT spent, reserved, (SELECT ifnull(sum(charged), 0) FROM call),"
        " (SELECT ifnull(sum(reserved), 0) FROM call WHERE state = 0) FROM purse"
    ).fetchone()
    if (spent, reserved) != (charged, waiting):
        raise Damage(
            f"the books do not balance: {dollars(spent)} spent and {dollars(reserved)} reserved, "
            f"but the calls sum to {dollars(charged)} and {dollars(waiting)}"
        )


def migrate(database: SqliteDatabase) -> None:
    """Rewrite every table within the open transaction."""
    for table in _TABLES:
        database.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    make_tables(database)
    fill_calls(database, _old_calls(database))
    for table in ("item", "judge"):
        fill_keys(
            database, table, database.execute(f"SELECT id, fingerprint, name FROM old_{table}")
        )
    fill_notes(
        database, database.execute("SELECT id, kind, judge, text, run, at, call FROM old_note")
    )
    database.execute("INSERT INTO owner SELECT id FROM old_owner")
    database.execute("INSERT INTO answer SELECT call, text FROM old_answer")
    (budget,) = database.execute("SELECT budget FROM old_purse").fetchone()
    fill_purse(database, budget=budget, salt=new_salt())
    for table in _TABLES:
        database.execute(f"DROP TABLE old_{table}")


def _old_calls(database: sqlite3.Connection) -> Iterator[Row]:
    for row in database.execute(_CALLS):
        yield Row._make((*row[:20], text_sum(row[20]), None))
