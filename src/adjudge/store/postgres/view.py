"""Reads of a ledger in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from adjudge.errors import StoreError
from adjudge.store.empty import EmptyView
from adjudge.store.entries import Balance, UnderWay
from adjudge.store.postgres import leases
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.schema import OWN_PURSE, check_version, has_ledger
from adjudge.store.postgres.session import Session, driver
from adjudge.store.postgres.troubles import (
    Trouble,
    lasting,
    translated,
    trouble_of,
    unreachable,
)
from adjudge.store.sql_view import SqlView
from adjudge.store.store import View

T = TypeVar("T")


class PostgresView(SqlView[Session]):
    """Reads a ledger in a database; see `View`."""

    def __init__(self, address: PostgresAddress, session: Session) -> None:
        self.address = address
        self._session = session
        self._purse: int | None = None
        """The account that this run spends from; None before it is created."""

    @staticmethod
    def look(address: PostgresAddress) -> PostgresView:
        """A read-only view of the ledger in this database, from one snapshot."""
        view = PostgresView.look_if_any(address)
        if not isinstance(view, PostgresView):
            raise StoreError(f"{address}: there is no ledger here")
        return view

    @staticmethod
    def look_if_any(address: PostgresAddress) -> View:
        """Like `look`, but an empty view if there is no ledger yet."""
        session = connected(address)
        try:
            with translated(address):
                if not has_ledger(session):
                    session.close()
                    return EmptyView()
                check_version(session, address)
                session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                leases.check_books(session)
                view = PostgresView(address, session)
                view._purse = account_number(session, address)
                return view
        except BaseException:
            session.close()
            raise

    def ask(self, question: Callable[[Session], T]) -> T:
        """The result of a query; database errors become `StoreError`."""
        with translated(self.address):
            return question(self._session)

    def balance(self) -> Balance:
        """The current budget, spending, reservations and debt."""
        purse = self._purse
        if purse is None:
            return Balance(budget=0, spent=0, reserved=0)
        return self.ask(lambda session: leases.read_balance(session, purse))

    def amended(self) -> int:
        """Number of changes to ended calls, such as debts paid later or late answers."""
        return int(self._of_ledger("amended"))

    def salt(self) -> bytes:
        """Random bytes, unique to this ledger."""
        return bytes(self._of_ledger("salt"))

    def complete_before(self) -> int:
        """A number below which no call is added any more."""
        return self.ask(leases.complete_before)

    def under_way(self) -> UnderWay:
        """Living processes and calls under way."""
        key = leases.lock_key(self.salt())
        processes, calls, abandoned = self.ask(lambda session: leases.under_way(session, key))
        return UnderWay(processes=processes, calls=calls, abandoned=abandoned)

    def close(self) -> None:
        """Release the resources of this process; reserved entries stay reserved."""
        self._session.close()

    def _of_ledger(self, column: str) -> bytes:
        (value,) = self.ask(
            lambda session: session.execute(f"SELECT {column} FROM ledger").fetchone()
        )
        return value  # type: ignore[no-any-return]


def connected(address: PostgresAddress) -> Session:
    """A connection; raises StoreError if it cannot be made."""
    try:
        return Session.connect(address)
    except driver().Error as error:
        if trouble_of(error, broken=False) is Trouble.LASTING:
            raise lasting(address, error) from error
        raise unreachable(address, error) from error


def account_number(session: Session, address: PostgresAddress) -> int | None:
    """The number of the account of runs at this address; None if it does not exist yet."""
    if not address.purse:
        return OWN_PURSE
    row = session.execute(
        "SELECT own.id FROM purse own JOIN purse shared ON shared.id = own.parent"
        " WHERE shared.parent IS NULL AND shared.name = ? AND own.name = ?",
        (address.purse, address.account),
    ).fetchone()
    return None if row is None else int(row[0])
