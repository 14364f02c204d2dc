"""Maintenance of a shared ledger: checks, upgrades, purses and spending reports."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType

from adjudge.errors import BudgetError, InputError, StoreError
from adjudge.records import Money, dollars
from adjudge.store.postgres import leases
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.schema import (
    MAKING,
    OWN_PURSE,
    PLAN,
    VERSION,
    check_version,
    create_tables,
    has_ledger,
)
from adjudge.store.postgres.session import Session
from adjudge.store.postgres.troubles import translated
from adjudge.store.postgres.view import PostgresView, connected
from adjudge.store.schema import new_salt

MIGRATIONS: Mapping[int, str] = MappingProxyType({1: PLAN})
"""The statement that migrates a ledger of each older version to the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """Spending of one account of a purse."""

    account: str
    budget: Money
    spent: Money
    reserved: Money
    debt: Money
    by: Mapping[str, tuple[int, Money]]
    """Number of paid calls and their money, by user and machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurseReport:
    """A purse, with the spending of its accounts."""

    name: str
    """The name; empty for the ledger's own purse."""
    budget: Money
    accounts: tuple[Spending, ...]

    @property
    def spent(self) -> Money:
        """Money spent by all accounts."""
        return sum(account.spent for account in self.accounts)

    @property
    def reserved(self) -> Money:
        """Money reserved for calls under way by all accounts."""
        return sum(account.reserved for account in self.accounts)


def check_shared(address: PostgresAddress) -> tuple[int, list[str]]:
    """The number of calls read, and the problems found; the ledger is not changed."""
    count = 0
    try:
        with closing(PostgresView.look(address)) as view:
            for _ in view.calls():
                count += 1
            view.notes()
            view.find_items([])
            view.find_judges([])
    except StoreError as error:
        if "damaged" not in str(error):
            raise
        return count, [str(error)]
    return count, []


def upgrade_shared(address: PostgresAddress) -> tuple[int, int]:
    """Migrate a ledger to the current format in one transaction; return both format numbers."""
    with closing(connected(address)) as session, translated(address), session.transaction():
        if not has_ledger(session):
            raise StoreError(f"{address}: there is no ledger here")
        session.execute("SELECT pg_advisory_xact_lock(?)", (MAKING,))
        (before,) = session.execute("SELECT version FROM ledger FOR UPDATE").fetchone()
        if before > VERSION:
            check_version(session, address)
        busy, *_ = leases.under_way(session, leases.lock_key(_salt(session)))
        if before < VERSION and busy:
            raise StoreError(f"{address}: is in use; end the runs that use it first")
        for version in range(before, VERSION):
            session.execute(MIGRATIONS[version])
        session.execute("UPDATE ledger SET version = ?", (VERSION,))
        return before, VERSION


def set_purse(address: PostgresAddress, name: str, budget: Money) -> None:
    """Create a shared purse or change its budget; creates the ledger if there is none."""
    if re.fullmatch(r"[\w.-]+", name) is None:
        raise InputError("purse", f"{name!r}", "write a name of letters, digits, . _ and -")
    with closing(connected(address)) as session, translated(address), session.transaction():
        if not has_ledger(session):
            create_tables(session, 0, new_salt())
        check_version(session, address)
        session.execute(
            "INSERT INTO purse (name, budget) VALUES (?, ?) ON CONFLICT DO NOTHING", (name, budget)
        )
        (number,) = session.execute(
            "SELECT id FROM purse WHERE parent IS NULL AND name = ?", (name,)
        ).fetchone()
        before = leases.all_locked(session, number)
        now = before.folded()
        own = now.accounts[number]
        if budget < own.spent + own.leased:
            raise BudgetError(
                f"{dollars(budget)} is below the {dollars(own.spent + own.leased)} already spent "
                f"or reserved in the purse {name}",
                "give at least that",
                needed=float(own.spent + own.leased),
            )
        now = now._replace(accounts={**now.accounts, number: own._replace(budget=budget)})
        for account in now.accounts.values():
            if account.debt:
                now = leases.paid(session, now, account.id)
        leases.write_escrow(session, before, now.strict_where_owed())


def purse_report(address: PostgresAddress) -> PurseReport:
    """The spending report of the purse at this address."""
    with closing(connected(address)) as session, translated(address):
        if not has_ledger(session):
            raise StoreError(f"{address}: there is no ledger here")
        check_version(session, address)
        with session.transaction(to_read=True):
            return _report(session, address)


def _report(session: Session, address: PostgresAddress) -> PurseReport:
    row = session.execute(
        "SELECT id, budget FROM purse WHERE parent IS NULL AND name = ?", (address.purse,)
    ).fetchone()
    if row is None:
        raise StoreError(f"{address}: has no purse {address.purse!r}")
    root, budget = row
    chosen = "purse.id = ?" if root == OWN_PURSE else "purse.parent = ?"
    accounts = session.execute(
        "SELECT purse.id, purse.name, budget, purse.spent + coalesce(sum(lease.spent), 0)::bigint,"
        " coalesce(sum(lease.reserved), 0)::bigint, debt FROM purse LEFT JOIN lease"
        f" ON lease.purse = purse.id AND NOT closed WHERE {chosen} GROUP BY purse.id"
        " ORDER BY 4 DESC, purse.name",
        (root,),
    ).fetchall()
    by: dict[int, dict[str, tuple[int, Money]]] = {}
    for purse, who, calls, charged in session.execute(
        "SELECT lease.purse, who, count(*) FILTER (WHERE charged > 0), sum(charged)::bigint"
        " FROM call JOIN lease ON lease.id = owner GROUP BY lease.purse, who ORDER BY 4 DESC, who"
    ):
        by.setdefault(purse, {})[who] = calls, charged
    return PurseReport(
        name=address.purse,
        budget=budget,
        accounts=tuple(
            Spending(
                account=name, budget=own, spent=spent, reserved=reserved, debt=debt,
                by=by.get(number, {}),
            )
            for number, name, own, spent, reserved, debt in accounts
        ),
    )  # fmt: skip


def _salt(session: Session) -> bytes:
    (salt,) = session.execute("SELECT salt FROM ledger").fetchone()
    return bytes(salt)
