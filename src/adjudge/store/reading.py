"""The reads of the SQLite ledger."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import IntArray
from adjudge.errors import StoreError
from adjudge.records import Reason, dollars
from adjudge.store.entries import Balance, CallRecord, CallRow, Entries, Note, NoteKind, State
from adjudge.store.store import UNKNOWN

_BLOCK = 1_000
"""Rows held as Python objects at a time; few enough to stay in the processor's cache."""

_COLUMNS: dict[str, npt.DTypeLike] = {
    "item": np.int64,
    "judge": np.int64,
    "phase": np.int64,
    "ordinal": np.int64,
    "state": np.int64,
    "reason": np.float64,
    "charged": np.int64,
    "charged_output": np.float64,
    "score": np.float64,
}


def read_balance(database: sqlite3.Connection) -> Balance:
    """The purse."""
    row = database.execute("SELECT budget, spent, reserved FROM purse").fetchone()
    return Balance(budget=row[0], spent=row[1], reserved=row[2])


def check_books(database: sqlite3.Connection, path: Path) -> None:
    """Refuse a ledger whose calls do not sum to its purse."""
    query = (
        "SELECT spent, reserved, (SELECT ifnull(sum(charged), 0) FROM call),"
        " (SELECT ifnull(sum(reserved), 0) FROM call WHERE state = 0) FROM purse"
    )
    spent, reserved, charged, waiting = database.execute(query).fetchone()
    if (spent, reserved) != (charged, waiting):
        raise StoreError(
            f"{path}: the books do not balance: {dollars(spent)} spent and {dollars(reserved)} "
            f"reserved, but the calls sum to {dollars(charged)} and {dollars(waiting)}; the file "
            "was changed by something else than adjudge"
        )


def read_entries(database: sqlite3.Connection, since: int) -> Entries:
    """Every call that is or may be paid, oldest first; those from this number on."""
    columns = {"call": np.int64, **_COLUMNS}
    cursor = database.execute(
        f"SELECT id, {', '.join(_COLUMNS)} FROM call"
        f" WHERE id >= ? AND state <> {State.REFUSED.value} ORDER BY id",
        (since,),
    )
    parts: dict[str, list[npt.NDArray[np.generic]]] = {name: [] for name in columns}
    while rows := cursor.fetchmany(_BLOCK):
        # NULL becomes nan in a column of floats.
        for (name, kind), column in zip(columns.items(), zip(*rows, strict=True), strict=True):
            parts[name].append(np.array(column, dtype=kind))
    if not parts["call"]:
        return Entries.none()
    return Entries(**{name: np.concatenate(parts[name]) for name in columns})


def read_records(database: sqlite3.Connection, condition: str) -> list[CallRecord]:
    """The calls that meet a condition, by the names that people gave."""
    rows = database.execute(
        "SELECT call.id, item.name, judge.name, reason, charged, ifnull(excess, 0) FROM call"
        " JOIN item ON item.id = call.item JOIN judge ON judge.id = call.judge"
        f" WHERE {condition} ORDER BY call.id"
    )
    return [
        CallRecord(
            call=call,
            item=item,
            judge=judge,
            reason=_reason(reason),
            charged=charged,
            excess=excess,
        )
        for call, item, judge, reason, charged, excess in rows
    ]


def read_calls(
    database: sqlite3.Connection, after: int, items: Collection[int] | None
) -> list[CallRow]:
    """The next few thousand calls after this one, all or those about these items."""
    chosen = ""
    values: tuple[int | str, ...] = (after,)
    if items is not None:
        chosen = " AND item IN (SELECT value FROM json_each(?))"
        values = (after, json.dumps(list(items)))
    rows = database.execute(
        "SELECT id, item, judge, phase, state, reason, score, charged, reserved, prompt_tokens,"
        " cached_tokens, output_tokens, at, text FROM call LEFT JOIN answer ON answer.call = id"
        f" WHERE id > ?{chosen} ORDER BY id LIMIT {_BLOCK}",
        values,
    )
    return [CallRow._make((*row[:4], State(row[4]), _reason(row[5]), *row[6:])) for row in rows]


def read_refusals(database: sqlite3.Connection) -> dict[tuple[int, Reason], int]:
    """How many calls cost nothing, by the judge's number and why."""
    rows = database.execute(
        f"SELECT judge, reason, count(*) FROM call WHERE state = {State.REFUSED.value}"
        " AND reason IS NOT NULL GROUP BY judge, reason"
    )
    return {(judge, Reason(reason)): count for judge, reason, count in rows}


def read_rejected(database: sqlite3.Connection) -> IntArray:
    """Numbers of item and judge of each pair that a judge would not take; shape (n, 2)."""
    rows = database.execute(
        "SELECT item, judge FROM call WHERE state = ? AND reason = ?",
        (State.REFUSED.value, Reason.REJECTED.value),
    ).fetchall()
    return np.unique(np.array(rows, np.int64).reshape(-1, 2), axis=0)


def read_owners(database: sqlite3.Connection) -> dict[int, int]:
    """How many calls each process that ever made one has reserved."""
    query = f"SELECT owner, sum(state = {State.RESERVED.value}) FROM call GROUP BY owner"
    return dict(database.execute(query).fetchall())


def read_notes(database: sqlite3.Connection) -> list[Note]:
    """Everything that was noted, oldest first."""
    rows = database.execute(
        "SELECT kind, text, at, judge.name, judge, run, call FROM note"
        " LEFT JOIN judge ON judge.id = judge ORDER BY note.id"
    )
    return [
        Note(
            kind=NoteKind(kind),
            text=text,
            at=at,
            judge=name,
            judge_number=number,
            run=run,
            call=call,
        )
        for kind, text, at, name, number, run, call in rows
    ]


def find_each(
    database: sqlite3.Connection, table: str, keys: Sequence[tuple[str, bytes]]
) -> IntArray:
    """The number of each key in this table, UNKNOWN where there is none; shape (len(keys),)."""
    known = dict(database.execute(f"SELECT fingerprint, id FROM {table}").fetchall())
    return np.array([known.get(fingerprint, UNKNOWN) for _, fingerprint in keys], dtype=np.int64)


def number_each(
    database: sqlite3.Connection, table: str, keys: Sequence[tuple[str, bytes]]
) -> IntArray:
    """The number of each key in this table, new keys added; shape (len(keys),)."""
    numbers = find_each(database, table, keys)
    new = [keys[place] for place in np.flatnonzero(numbers == UNKNOWN).tolist()]
    if not new:
        return numbers
    database.executemany(
        f"INSERT INTO {table} (name, fingerprint) VALUES (?, ?) ON CONFLICT DO NOTHING", new
    )
    return find_each(database, table, keys)


def _reason(number: int | None) -> Reason | None:
    return None if number is None else Reason(number)
