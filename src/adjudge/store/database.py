"""What the statements of a ledger ask of a database: one SQL for SQLite and for PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Answer(Protocol):
    """The rows that a statement found."""

    @property
    def rowcount(self) -> int:
        """How many rows were written."""
        ...

    def fetchone(self) -> Any:
        """The next row; None after the last."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """So many more rows, fewer at the end."""
        ...

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class ManyRows:
    """A statement that writes many rows."""

    sql: str
    """With `{}` in place of the rows, whose columns are called `column1`, `column2` and so on."""
    kinds: str
    """The type of each column: `i` whole, `f` real, `t` text."""
    unique: tuple[int, ...] = ()
    """Columns that no two rows share: who writes in their order never waits in a circle."""


class Database(Protocol):
    """A connection on which statements are carried out; values stand in place of `?`."""

    @property
    def whole_table(self) -> str:
        """The table of calls in a query that must read all of it, not trusting an index."""
        ...

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Answer:
        """Carry out one statement."""
        ...

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Carry out one statement for each of these rows of values."""
        ...

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write all rows; how many were written."""
        ...

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and its one value."""
        ...
