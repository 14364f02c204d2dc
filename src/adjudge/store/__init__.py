"""The ledger: what was reserved, what was paid, and what the money bought."""

from adjudge.store.empty import EmptyView
from adjudge.store.entries import (
    Balance,
    CallRecord,
    CallRow,
    Entries,
    Note,
    NoteKind,
    State,
    UnderWay,
)
from adjudge.store.group_commit import GroupCommit, Heard
from adjudge.store.sqlite import SqliteStore
from adjudge.store.sqlite_view import SqliteView
from adjudge.store.store import UNKNOWN, Denial, Reservation, Settlement, Store, View

__all__ = [
    "UNKNOWN",
    "Balance",
    "CallRecord",
    "CallRow",
    "Denial",
    "EmptyView",
    "Entries",
    "GroupCommit",
    "Heard",
    "Note",
    "NoteKind",
    "Reservation",
    "Settlement",
    "SqliteStore",
    "SqliteView",
    "State",
    "Store",
    "UnderWay",
    "View",
]
