"""Shared purses, and the runs' accounts in them."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Sequence

from adjudge.errors import StoreError
from adjudge.records import Money
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.schema import OWN_PURSE
from adjudge.store.postgres.session import Session
from adjudge.store.postgres.view import account_number


def account_for(session: Session, address: PostgresAddress, budget: Money | None) -> int:
    """The account of runs at this address, created within the open transaction if missing."""
    if not address.purse:
        return OWN_PURSE
    shared = session.execute(
        "SELECT id FROM purse WHERE parent IS NULL AND name = ? FOR NO KEY UPDATE", (address.purse,)
    ).fetchone()
    if shared is None:
        known = session.execute(
            "SELECT name FROM purse WHERE parent IS NULL AND name <> '' ORDER BY name"
        ).fetchall()
        raise no_purse(address, [name for (name,) in known])
    found = account_number(session, address)
    if found is not None:
        return found
    if budget is None:
        raise StoreError(f"{address}: nothing was spent from {address.purse} under this name yet")
    (number,) = session.execute(
        "INSERT INTO purse (parent, name, budget) VALUES (?, ?, ?) RETURNING id",
        (shared[0], address.account, budget),
    ).fetchone()
    return int(number)


def no_purse(address: PostgresAddress, known: Sequence[str]) -> StoreError:
    """The error for a missing purse."""
    there = f" (there are: {', '.join(known)})" if known else ""
    return StoreError(
        f"{address}: has no purse {address.purse!r}{there}; make it with: "
        f"adjudge ledger purse {address.purse} --budget DOLLARS {address}"
    )


def who() -> str:
    """User and machine, for people to read."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # in a container, the user may have no name
        user = "somebody"
    return f"{user}@{socket.gethostname()}"
