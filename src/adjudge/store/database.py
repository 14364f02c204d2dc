"""The interface of databases to a ledger's statements, which SQLite and PostgreSQL share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Answer(Protocol):
    """The result of a statement."""

    @property
    def rowcount(self) -> int:
        """Number of rows written."""
        ...

    def fetchone(self) -> Any:
        """The next row; None after the last one."""
        ...

    def fetchmany(self, size: int, /) -> list[Any]:
        """The next `size` rows, fewer at the end."""
        ...

    def fetchall(self) -> list[Any]:
        """All remaining rows."""
        ...

    def __iter__(self) -> Iterator[Any]: ...


@dataclass(frozen=True, slots=True)
class ManyRows:
    """A statement that writes many rows."""

    sql: str
    """With `{}` in place of the rows, whose columns are `column1`, `column2` and so on."""
    kinds: str
    """The type of each column: `i` integer, `f` float, `t` text."""
    unique: tuple[int, ...] = ()
    """Columns with a unique key; rows are written in its order, which prevents deadlocks."""


class Database(Protocol):
    """A connection that executes statements; `?` is the placeholder for values."""

    @property
    def whole_table(self) -> str:
        """The table of calls, for queries that must read the table itself and no index."""
        ...

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Answer:
        """Execute one statement."""
        ...

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Execute one statement for each of these rows of values."""
        ...

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write all rows; return the number written."""
        ...

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and the value for its `?`."""
        ...
