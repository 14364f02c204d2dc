"""The ledger: what was reserved, what was paid, and what the money bought."""

from adjudge.store.aside import put_aside
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
from adjudge.store.repair import Repair, check_ledger, repair_ledger
from adjudge.store.schema import new_salt
from adjudge.store.sqlite import SqliteStore
from adjudge.store.sqlite_view import SqliteView
from adjudge.store.store import UNKNOWN, Denial, Reservation, Settlement, Store, View
from adjudge.store.survey import Survey

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
    "Repair",
    "Reservation",
    "Settlement",
    "SqliteStore",
    "SqliteView",
    "State",
    "Store",
    "Survey",
    "UnderWay",
    "View",
    "check_ledger",
    "new_salt",
    "put_aside",
    "repair_ledger",
]
