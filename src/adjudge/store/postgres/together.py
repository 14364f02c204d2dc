"""All writes of a commit as one statement: one round trip to the server."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from adjudge.store.database import Answer, ManyRows
from adjudge.store.postgres.escrow import Lease
from adjudge.store.postgres.leases import WRITE_LEASE
from adjudge.store.postgres.session import Session, driver, one_statement

_OWN = (
    f"WITH own AS ({WRITE_LEASE} AND step = ? AND amount = ? AND spent = ?"
    " AND NOT strict AND NOT closed RETURNING 1)"
)
"""A table of one row, or of none if others have changed the lease: then nothing is written."""
_PASSED_OVER = " ON CONFLICT DO NOTHING"
"""Removed here, so that existing rows are an error: skipping them costs a search per row."""


class Together:
    """Collects rows to write; see `Database`. `write` shows whether they were written."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parts: list[str] = []
        self._values: list[Any] = []
        self._checks: list[str] = []
        self._counts: list[int] = []
        self.whole_table = session.whole_table

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Answer:
        """Execute a read at once, before the writes."""
        return self._session.execute(sql, values)

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Not supported: use `write_rows`."""
        raise NotImplementedError

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Collect these rows for `write`; return their number."""
        if not rows:
            return 0
        sql, values = one_statement(many, rows, beside="own, ")
        name = f"part{len(self._parts)}"
        if sql.startswith("UPDATE"):
            sql += " RETURNING 1"
            self._checks.append(f"(SELECT count(*) FROM {name}) IN (0, ?)")
            self._counts.append(len(rows))
        self._parts.append(f", {name} AS ({sql.removesuffix(_PASSED_OVER)})")
        self._values += values
        return len(rows)

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and the value for its `?`."""
        return self._session.among(column, numbers)

    def write(self, before: Lease, after: Lease) -> bool:
        """Write all rows and the lease, or nothing; return whether they were written."""
        errors = driver().errors
        held = " AND ".join(self._checks) or "true"
        # If others have changed a row, a division by zero rolls back the statement.
        sql = f"{_OWN}{''.join(self._parts)} SELECT count(*), 1 / ({held})::int FROM own"
        values = (*after[2:], after.id, before.step, before.amount, before.spent)
        try:
            found = self._session.execute(
                sql, (*values, *self._values, *self._counts), prepare=True
            ).fetchone()
        except (errors.DivisionByZero, errors.UniqueViolation):
            return False
        return bool(found[0])
