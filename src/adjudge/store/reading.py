"""The reads of the SQLite ledger."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import IntArray
from adjudge.records import Reason
from adjudge.store.store import CallRecord, Entries, State

_BLOCK = 20_000
"""Rows held as Python objects at a time."""

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


def read_entries(database: sqlite3.Connection) -> Entries:
    """Every call that is or may be paid, oldest first."""
    names = ", ".join(_COLUMNS)
    cursor = database.execute(
        f"SELECT {names} FROM call WHERE state <> {State.REFUSED.value} ORDER BY id"
    )
    parts: dict[str, list[npt.NDArray[np.generic]]] = {name: [] for name in _COLUMNS}
    while rows := cursor.fetchmany(_BLOCK):
        # NULL becomes nan in a column of floats.
        for (name, kind), column in zip(_COLUMNS.items(), zip(*rows, strict=True), strict=True):
            parts[name].append(np.array(column, dtype=kind))
    return Entries(
        **{
            name: np.concatenate(parts[name]) if parts[name] else np.zeros(0, kind)
            for name, kind in _COLUMNS.items()
        }
    )


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
            reason=None if reason is None else Reason(reason),
            charged=charged,
            excess=excess,
        )
        for call, item, judge, reason, charged, excess in rows
    ]


def number_each(
    database: sqlite3.Connection, table: str, keys: Sequence[tuple[str, bytes]]
) -> IntArray:
    """The number of each key in this table, new keys added; shape (len(keys),)."""
    database.executemany(
        f"INSERT INTO {table} (name, fingerprint) VALUES (?, ?) ON CONFLICT DO NOTHING", keys
    )
    known = dict(database.execute(f"SELECT fingerprint, id FROM {table}").fetchall())
    return np.array([known[fingerprint] for _, fingerprint in keys], dtype=np.int64)
