"""Addresses of ledgers: a local file, or a database shared by a team."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from adjudge.records import Money
from adjudge.store.empty import EmptyView
from adjudge.store.files import is_new, real_path
from adjudge.store.postgres.address import PostgresAddress, is_postgres
from adjudge.store.sqlite import SqliteStore
from adjudge.store.sqlite_view import SqliteView
from adjudge.store.store import Store, View

Address: TypeAlias = Path | PostgresAddress


def ledger_address(text: str | Path, *, folder: Path | None = None) -> Address:
    """The address in this text; relative paths are taken from this folder."""
    if isinstance(text, str) and is_postgres(text):
        return PostgresAddress.of(text)
    return Path(text) if folder is None else folder / text


def open_store_at(
    address: Address, *, budget: Money | None = None, salt: bytes | None = None
) -> Store:
    """The ledger at this address, created if missing; see the stores' `open`."""
    if isinstance(address, PostgresAddress):
        # Imported here: most runs do not need it.
        from adjudge.store.postgres.store import PostgresStore  # noqa: PLC0415

        return PostgresStore.open(address, budget=budget, salt=salt)
    return SqliteStore.open(address, budget=budget, salt=salt)


def look(address: Address) -> View:
    """A read-only view of the ledger at this address."""
    if isinstance(address, PostgresAddress):
        from adjudge.store.postgres.view import PostgresView  # noqa: PLC0415

        return PostgresView.look(address)
    return SqliteView.look(address)


def look_if_any(address: Address) -> View:
    """Like `look`, but an empty view if there is no ledger yet."""
    if isinstance(address, PostgresAddress):
        from adjudge.store.postgres.view import PostgresView  # noqa: PLC0415

        return PostgresView.look_if_any(address)
    return SqliteView.look_if_any(address)


def there_is_none(address: Address) -> bool:
    """Whether there is no ledger at this address yet."""
    if isinstance(address, PostgresAddress):
        view = look_if_any(address)
        view.close()
        return isinstance(view, EmptyView)
    return is_new(real_path(address))
