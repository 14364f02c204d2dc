"""The ledger: what was reserved, what was paid, and what the money bought."""

from adjudge.store.group_commit import GroupCommit
from adjudge.store.sqlite import SqliteStore
from adjudge.store.store import (
    Balance,
    CallRecord,
    Denial,
    Entries,
    Reservation,
    Settlement,
    State,
    Store,
)

__all__ = [
    "Balance",
    "CallRecord",
    "Denial",
    "Entries",
    "GroupCommit",
    "Reservation",
    "Settlement",
    "SqliteStore",
    "State",
    "Store",
]
