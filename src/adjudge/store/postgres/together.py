"""Everything that a commit writes, as one statement: one journey to the server and back."""

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
"""Of one row, or of none if others have changed the lease: then nothing else is written either."""
_PASSED_OVER = " ON CONFLICT DO NOTHING"
"""Rows that are there already are an error here: to pass over them costs a search for each."""


class Together:
    """Collects rows to write; see `Database`. All are taken to be written, until `write` tells."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._parts: list[str] = []
        self._values: list[Any] = []
        self._checks: list[str] = []
        self._counts: list[int] = []
        self.whole_table = session.whole_table

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Answer:
        """Read, before anything is written."""
        return self._session.execute(sql, values)

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Rows are given to `write_rows`."""
        raise NotImplementedError

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write these rows later; how many there are."""
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
        """A condition that the column is one of these numbers, and its one value."""
        return self._session.among(column, numbers)

    def write(self, before: Lease, after: Lease) -> bool:
        """Write all rows and the lease; whether they were written, else nothing is."""
        errors = driver().errors
        held = " AND ".join(self._checks) or "true"
        # A division by zero undoes the statement: some row is not as this process left it.
        sql = f"{_OWN}{''.join(self._parts)} SELECT count(*), 1 / ({held})::int FROM own"
        values = (*after[2:], after.id, before.step, before.amount, before.spent)
        try:
            found = self._session.execute(
                sql, (*values, *self._values, *self._counts), prepare=True
            ).fetchone()
        except (errors.DivisionByZero, errors.UniqueViolation):
            return False
        return bool(found[0])
