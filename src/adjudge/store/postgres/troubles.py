"""Classification of PostgreSQL errors: retry, reconnect, or give up with a message."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto

from adjudge.errors import StoreError
from adjudge.store.checksum import Damage
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.session import driver

_PASSING = ("40", "53", "25", "55P03", "57014", "58030")
"""Transient errors: aborted transactions, a full disk or memory, a read-only server."""
_AWAY = ("08", "57P")
"""Lost connections, and servers that stop or start."""
_REFUSED = ("28", "3D", "42501")
"""Missing permissions."""


class Trouble(Enum):
    """What to do about an error."""

    PASSING = auto()
    """The transaction was rolled back; retry it."""
    AWAY = auto()
    """The server does not answer; reconnect."""
    LASTING = auto()
    """A retry would not help."""


def trouble_of(error: Exception, *, broken: bool) -> Trouble:
    """What to do about this psycopg error; `broken` is whether the connection is lost."""
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith(_REFUSED):
        return Trouble.LASTING
    if broken or state.startswith(_AWAY):
        return Trouble.AWAY
    if not state and isinstance(error, driver().OperationalError):
        # A failed attempt to connect has no error code.
        return Trouble.LASTING if "authentication" in str(error) else Trouble.AWAY
    return Trouble.PASSING if state.startswith(_PASSING) else Trouble.LASTING


def lasting(address: PostgresAddress, error: Exception) -> StoreError:
    """The StoreError for an error that a retry would not resolve."""
    said = words(error)
    state = getattr(error, "sqlstate", None) or ""
    if state.startswith("42P01"):
        return StoreError(f"{address}: the ledger's tables are gone ({said}); nothing is written")
    if state.startswith(_REFUSED) or "authentication" in said:
        return StoreError(
            f"{address}: the server refuses ({said}); check the user, PGPASSWORD or PGPASSFILE, "
            "and that the user may create and use the schema adjudge"
        )
    return StoreError(f"{address}: {said}")


def unreachable(address: PostgresAddress, error: Exception) -> StoreError:
    """The StoreError for a server that does not answer when the ledger is opened."""
    return StoreError(
        f"{address}: cannot be reached ({words(error)}); check the host, the port and the "
        "database, and that the server runs"
    )


def given_up(address: PostgresAddress, error: Exception, seconds: float) -> StoreError:
    """The StoreError for a server that was unavailable for too long."""
    return StoreError(
        f"{address}: could not be written for {seconds:.0f} s ({words(error)}); the run is "
        "stopped. Calls under way are presumed billed; everything settled before is kept, and "
        "`adjudge run` goes on from there"
    )


def words(error: Exception) -> str:
    """The first line of the server's message."""
    diagnosis = getattr(getattr(error, "diag", None), "message_primary", None)
    lines = str(diagnosis or error).strip().splitlines()
    return lines[0].strip() if lines else type(error).__name__


@contextmanager
def translated(address: PostgresAddress) -> Iterator[None]:
    """Translate errors of the database to `StoreError`, with the address."""
    psycopg = driver()
    try:
        yield
    except Damage as error:
        raise StoreError(
            f"{address}: the ledger was damaged, or changed by something else than adjudge: {error}"
            "; restore the database from a backup, or begin a new ledger"
        ) from error
    except psycopg.Error as error:
        raise lasting(address, error) from error
