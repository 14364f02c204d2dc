"""A connection to PostgreSQL, for the statements of a ledger."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from adjudge.errors import StoreError
from adjudge.store.database import Answer, ManyRows
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.arrays import array_of_each, register_arrays, text_array

if TYPE_CHECKING:
    import psycopg

SCHEMA = "adjudge"
"""The schema of the ledger's tables, separate from the rest of the database."""
_TYPES = {"i": "bigint", "f": "float8", "t": "text"}
_OPTIONS: dict[str, Any] = {
    "application_name": "adjudge",
    "connect_timeout": 10,
    # Client and server detect a cut network within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
_SETTINGS = {
    "search_path": SCHEMA,
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "4",
}


class Session:
    """One connection, with autocommit outside transactions; see `Database`."""

    whole_table = "call"

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self.backend = connection.info.backend_pid
        """Id of the server's process for this connection."""

    @classmethod
    def connect(cls, address: PostgresAddress) -> Session:
        """A connection to the database; the caller translates psycopg's errors."""
        psycopg = driver()
        connection = psycopg.connect(address.url, autocommit=True, **_OPTIONS)
        register_arrays(connection)
        session = cls(connection)
        settings = (f"set_config('{name}', '{value}', false)" for name, value in _SETTINGS.items())
        session.execute(f"SELECT {', '.join(settings)}")
        # Committed data must survive a power cut, whatever the server's default.
        session.execute(
            "SELECT set_config('synchronous_commit', 'on', false)"
            " WHERE current_setting('synchronous_commit') = 'off'"
        )
        return session

    @property
    def broken(self) -> bool:
        """Whether the connection is lost."""
        return bool(self._connection.closed or self._connection.broken)

    def execute(
        self, sql: str, values: Sequence[Any] = (), /, *, prepare: bool | None = None
    ) -> Answer:
        """Execute one statement; with `prepare` as a prepared statement."""
        # Binary results: numbers are not converted to text.
        return self._connection.execute(_placed(sql), values or None, prepare=prepare, binary=True)

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Execute one statement for each of these rows of values."""
        cursor = self._connection.cursor()
        cursor.executemany(_placed(sql), rows)
        return cursor

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write all rows by one statement; return the number written.

        Each column is sent as one array, which is much faster than one value per field.
        """
        return self.execute(*one_statement(many, rows)).rowcount if rows else 0

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and the value for its `?`."""
        return f"{column} = ANY(?::bigint[])", text_array(numbers)

    @contextmanager
    def transaction(self, *, to_read: bool = False) -> Iterator[None]:
        """One transaction; with `to_read` it is read-only and sees one snapshot."""
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if to_read else "BEGIN")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if not self.broken:
                self._connection.rollback()
            raise

    def copy_rows(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows to a table by COPY."""
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def close(self) -> None:
        """Close the connection, which releases its locks."""
        self._connection.close()


@cache
def driver() -> Any:
    """The module psycopg; raises StoreError if it is not installed."""
    try:
        import psycopg  # noqa: PLC0415 (an extra: most users have no server)
    except ImportError as error:
        raise StoreError(
            f"a ledger in PostgreSQL needs psycopg ({error}); "
            "install it with: pip install 'adjudge[postgres]'"
        ) from error
    # It also logs errors that it raises, and that a retry resolves.
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    return psycopg


@lru_cache(maxsize=256)
def _placed(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def one_statement(
    many: ManyRows, rows: Sequence[tuple[Any, ...]], *, beside: str = ""
) -> tuple[str, list[Any]]:
    """One statement for all rows, and its values; `beside` joins a table of one row or none.

    Each column is sent as one array, which is much faster than one value per field.
    """
    if many.unique:
        rows = sorted(rows, key=itemgetter(*many.unique))
    first, *others = array_of_each(list(zip(*rows, strict=True)), many.kinds)
    return _unnested(many, beside), [*others, first]


@lru_cache(maxsize=16)
def _unnested(many: ManyRows, beside: str) -> str:
    """The statement with rows from arrays, indexed by position: far faster than unnesting them all.

    Only the first column is unnested, so that the planner expects few rows; its array is the last
    value.
    """
    types = [_TYPES[kind] for kind in many.kinds]
    others = "".join(
        f", (?::{kind}[])[place] AS column{n}" for n, kind in enumerate(types[1:], start=2)
    )
    first = f"unnest(?::{types[0]}[]) WITH ORDINALITY AS u(column1, place)"
    return many.sql.format(f"SELECT column1{others} FROM {beside}{first}")
