"""The ledger: reservations, payments and answers."""

from adjudge.store.address import (
    Address,
    ledger_address,
    look,
    look_if_any,
    open_store_at,
    there_is_none,
)
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
from adjudge.store.postgres import PostgresAddress, is_postgres
from adjudge.store.repair import Repair, check_ledger, repair_ledger
from adjudge.store.schema import new_salt
from adjudge.store.sharing import Published, SharedPlans, Wanted
from adjudge.store.sqlite import SqliteStore
from adjudge.store.sqlite_view import SqliteView
from adjudge.store.store import UNKNOWN, Denial, Reservation, Settlement, Store, View
from adjudge.store.survey import Survey

__all__ = [
    "UNKNOWN",
    "Address",
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
    "PostgresAddress",
    "Published",
    "Repair",
    "Reservation",
    "Settlement",
    "SharedPlans",
    "SqliteStore",
    "SqliteView",
    "State",
    "Store",
    "Survey",
    "UnderWay",
    "View",
    "Wanted",
    "check_ledger",
    "is_postgres",
    "ledger_address",
    "look",
    "look_if_any",
    "new_salt",
    "open_store_at",
    "put_aside",
    "repair_ledger",
    "there_is_none",
]
