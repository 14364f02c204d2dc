"""A connection to PostgreSQL, as the statements of a ledger use it."""

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
"""The schema that holds the ledger's tables, beside whatever else the database has."""
_TYPES = {"i": "bigint", "f": "float8", "t": "text"}
_OPTIONS: dict[str, Any] = {
    "application_name": "adjudge",
    "connect_timeout": 10,
    # A network that is cut is noticed, here and by the server, in half a minute.
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
    """One connection; see `Database`. Statements outside of a transaction stand for themselves."""

    whole_table = "call"

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self.backend = connection.info.backend_pid
        """The server's process for this connection."""

    @classmethod
    def connect(cls, address: PostgresAddress) -> Session:
        """A connection to the database; psycopg's errors are the caller's to translate."""
        psycopg = driver()
        connection = psycopg.connect(address.url, autocommit=True, **_OPTIONS)
        register_arrays(connection)
        session = cls(connection)
        settings = (f"set_config('{name}', '{value}', false)" for name, value in _SETTINGS.items())
        session.execute(f"SELECT {', '.join(settings)}")
        # What was committed has to survive a power cut, whatever the server's default is.
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
        """Carry out one statement; to `prepare` it is to have the server remember it."""
        # Binary rows: numbers are read as they are, not as text.
        return self._connection.execute(_placed(sql), values or None, prepare=prepare, binary=True)

    def executemany(self, sql: str, rows: Any, /) -> Answer:
        """Carry out one statement for each of these rows of values."""
        cursor = self._connection.cursor()
        cursor.executemany(_placed(sql), rows)
        return cursor

    def write_rows(self, many: ManyRows, rows: Sequence[tuple[Any, ...]], /) -> int:
        """Write all rows by one statement; how many were written.

        Each column goes as one array, which costs a fraction of a value for every field.
        """
        return self.execute(*one_statement(many, rows)).rowcount if rows else 0

    def among(self, column: str, numbers: Collection[int], /) -> tuple[str, Any]:
        """A condition that the column is one of these numbers, and its one value."""
        return f"{column} = ANY(?::bigint[])", text_array(numbers)

    @contextmanager
    def transaction(self, *, to_read: bool = False) -> Iterator[None]:
        """Everything within is done, or nothing is; to read is to see one moment."""
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if to_read else "BEGIN")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            if not self.broken:
                self._connection.rollback()
            raise

    def copy_rows(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Fill a table with many rows, fast."""
        with (
            self._connection.cursor() as cursor,
            cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy,
        ):
            for row in rows:
                copy.write_row(row)

    def close(self) -> None:
        """Let the connection go, and with it every lock that it holds."""
        self._connection.close()


@cache
def driver() -> Any:
    """The library that speaks to PostgreSQL."""
    try:
        import psycopg  # noqa: PLC0415 (an extra: most users have no server)
    except ImportError as error:
        raise StoreError(
            f"a ledger in PostgreSQL needs psycopg ({error}); "
            "install it with: pip install 'adjudge[postgres]'"
        ) from error
    # It tells of errors that it raises as well, and that are made good by another attempt.
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    return psycopg


@lru_cache(maxsize=256)
def _placed(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def one_statement(
    many: ManyRows, rows: Sequence[tuple[Any, ...]], *, beside: str = ""
) -> tuple[str, list[Any]]:
    """One statement for all rows, and its values; `beside` is a table of one row, or of none.

    Each column goes as one array, which costs a fraction of a value for every field.
    """
    if many.unique:
        rows = sorted(rows, key=itemgetter(*many.unique))
    first, *others = array_of_each(list(zip(*rows, strict=True)), many.kinds)
    return _unnested(many, beside), [*others, first]


@lru_cache(maxsize=16)
def _unnested(many: ManyRows, beside: str) -> str:
    """The rows as elements of arrays, by their place: several times as fast as to unnest them all.

    The first column is unnested, so that the server expects few rows; its array is the last value.
    """
    types = [_TYPES[kind] for kind in many.kinds]
    others = "".join(
        f", (?::{kind}[])[place] AS column{n}" for n, kind in enumerate(types[1:], start=2)
    )
    first = f"unnest(?::{types[0]}[]) WITH ORDINALITY AS u(column1, place)"
    return many.sql.format(f"SELECT column1{others} FROM {beside}{first}")
