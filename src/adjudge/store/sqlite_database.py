"""A connection to a SQLite file, for the statements of a ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

from adjudge.store.database import ManyRows

_ROWS = 64
"""Maximum rows per statement; SQLite prepares one statement per number of rows."""


class SqliteDatabase(sqlite3.Connection):
    """Created by `sqlite3.connect(..., factory=SqliteDatabase)`; see `Database`."""

    whole_table = "call NOT INDEXED"

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write the rows, some dozens per statement; return the number written.

        One statement for many rows releases Python's global lock once, not once per row, so the
        event loop that makes the calls keeps running during the write.
        """
        written = 0
        for start in range(0, len(rows), _ROWS):
            block = rows[start : start + _ROWS]
            row = "(" + ",".join("?" * len(block[0])) + ")"
            values = list(chain.from_iterable(block))
            sql = many.sql.format("VALUES " + ",".join([row] * len(block)))
            written += self.execute(sql, values).rowcount
        return written

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and the value for its `?`."""
        return f"{column} IN (SELECT value FROM json_each(?))", json.dumps(list(numbers))
