"""Calls of a process that others closed because they presumed the process dead."""

from __future__ import annotations

from adjudge.records import Reason
from adjudge.store.checksum import Damage
from adjudge.store.database import Database
from adjudge.store.entries import State
from adjudge.store.reading import read_rows
from adjudge.store.statements import Held

_OURS_TO_SETTLE = {
    (State.RESERVED.value, None),
    (State.PRESUMED.value, Reason.CRASHED.value),
}
"""States of a call that its own process may still settle."""


def look_at_outstanding(database: Database, outstanding: Held) -> None:
    """Update this process's calls under way to their rows in the ledger."""
    for number in outstanding:
        rows = read_rows(database, "id = ?", (number,))
        if not rows or (rows[0].state, rows[0].reason) not in _OURS_TO_SETTLE:
            raise Damage(f"call {number} was settled by somebody else")
        outstanding[number] = rows[0]
