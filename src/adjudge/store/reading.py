"""Reads of a ledger, shared by all databases; each verifies the checksums of its rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import IntArray
from adjudge.records import Reason
from adjudge.store.checksum import Damage, key_sum, text_sum, values_sum
from adjudge.store.database import Database
from adjudge.store.entries import CallRecord, CallRow, Entries, Note, NoteKind, State
from adjudge.store.rows import COLUMNS, NO_ORDINAL, Row, entry_sums, verified
from adjudge.store.store import UNKNOWN

_BLOCK = 1_000
"""Number of rows held as Python objects at a time; few enough for the processor's cache."""
_WIDTH = len(Row._fields)
_NOT_THE_JUDGE = (Reason.WITHDRAWN, Reason.ABANDONED, Reason.CRASHED, Reason.DAMAGED)
"""Reasons that are adjudge's own, not the judge's."""

_ENTRY: dict[str, tuple[str, npt.DTypeLike]] = {
    "call": ("id", np.int64),
    "item": ("item", np.int64),
    "judge": ("judge", np.int64),
    "phase": ("phase", np.int64),
    "ordinal": (f"coalesce(ordinal, {NO_ORDINAL})", np.int64),
    "state": ("state", np.int64),
    "reason": ("reason", np.float64),
    "charged": ("charged", np.int64),
    "charged_output": ("charged_output", np.float64),
    "score": ("score", np.float64),
    "sum": ("sum", np.int64),
}
"""The columns of entries: SQL and type; NULL becomes nan in a column of floats."""


def read_entries(database: Database, since: int) -> Entries:
    """Every call that is or may be paid, from this number on, oldest first."""
    # Refused calls are read and verified too: a damaged state cannot hide a call.
    condition, values = ("id >= ?", (since,)) if since > 0 else ("true", ())
    entries = _entries(database, f"{condition} ORDER BY id", values)
    refused = entries.state == State.REFUSED
    return entries.where(~refused) if refused.any() else entries


def read_refusals(database: Database) -> dict[tuple[int, Reason], int]:
    """Number of free calls, by the judge's number and the reason."""
    refused = _entries(database, "state = ? AND reason IS NOT NULL", (State.REFUSED.value,))
    pairs = np.stack([refused.judge, refused.reason.astype(np.int64)], axis=1)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    return {
        (judge, Reason(reason)): count
        for (judge, reason), count in zip(found.tolist(), counts.tolist(), strict=True)
    }


def read_rejected(database: Database) -> IntArray:
    """Item and judge numbers of the pairs that a judge rejected; shape (n, 2)."""
    chosen = (State.REFUSED.value, Reason.REJECTED.value)
    refused = _entries(database, "state = ? AND reason = ?", chosen)
    return np.unique(np.stack([refused.item, refused.judge], axis=1), axis=0)


def read_complaints(database: Database) -> dict[int, CallRow]:
    """Each judge's last call without a score, by the judge's number."""
    own = ",".join(str(reason.value) for reason in _NOT_THE_JUDGE)
    last = (
        "SELECT max(id) FROM call WHERE reason IS NOT NULL"
        f" AND reason NOT IN ({own}) GROUP BY judge"
    )
    rows = read_rows(database, f"id IN ({last})", ())
    texts = dict(database.execute(f"SELECT call, text FROM answer WHERE call IN ({last})"))
    for row in rows:
        text = texts.get(row.id)
        if not isinstance(text, str | None) or row.text_sum != text_sum(text):
            raise Damage(f"the text of call {row.id} does not match its checksum")
    return {row.judge: _call_row(row, texts.get(row.id)) for row in rows}


def read_rows(database: Database, condition: str, values: Sequence[object]) -> list[Row]:
    """The rows of calls that meet a condition, oldest first."""
    found = database.execute(
        f"SELECT {COLUMNS} FROM call WHERE {condition} ORDER BY id", tuple(values)
    )
    return list(verified([Row._make(row) for row in found]))


def read_records(database: Database, condition: str) -> list[CallRecord]:
    """The calls that meet a condition, with the names of items and judges."""
    found = database.execute(
        f"SELECT {COLUMNS}, item.sum, item.id, item.fingerprint, item.name, judge.sum, judge.id,"
        " judge.fingerprint, judge.name FROM call"
        " LEFT JOIN item ON item.id = call.item LEFT JOIN judge ON judge.id = call.judge"
        f" WHERE {condition} ORDER BY call.id"
    ).fetchall()
    rows = verified([Row._make(row[:_WIDTH]) for row in found])
    _verify_keys("item", (row[_WIDTH : _WIDTH + 4] for row in found))
    _verify_keys("judge", (row[_WIDTH + 4 :] for row in found))
    return [
        CallRecord(
            call=row.id,
            item=whole[_WIDTH + 3],
            judge=whole[-1],
            reason=_reason(row.reason),
            charged=row.charged,
            excess=row.excess or 0,
        )
        for row, whole in zip(rows, found, strict=True)
    ]


def read_calls(database: Database, after: int, items: Collection[int] | None) -> list[CallRow]:
    """The next thousand calls after this one; with `items`, only those about these items."""
    chosen, values = _about(database, items)
    found = database.execute(
        f"SELECT {COLUMNS}, text FROM call LEFT JOIN answer ON answer.call = id"
        f" WHERE id > ?{chosen} ORDER BY id LIMIT {_BLOCK}",
        (after, *values),
    ).fetchall()
    rows = verified([Row._make(row[:_WIDTH]) for row in found])
    if any(later <= one for one, later in pairwise([after, *(row.id for row in rows)])):
        raise Damage("the calls are not in order")
    texts = [whole[_WIDTH] for whole in found]
    for row, text in zip(rows, texts, strict=True):
        if not isinstance(text, str | None) or row.text_sum != text_sum(text):
            raise Damage(f"the text of call {row.id} does not match its checksum")
    return [_call_row(row, text) for row, text in zip(rows, texts, strict=True)]


def check_count(database: Database, upto: int, items: Collection[int] | None, count: int) -> None:
    """Raise Damage if a search by number has missed calls."""
    chosen, values = _about(database, items)
    (there,) = database.execute(
        f"SELECT count(*) FROM {database.whole_table} WHERE +id <= ?{chosen}", (upto, *values)
    ).fetchone()
    if there != count:
        raise Damage(f"{there:,} calls are there, but only {count:,} can be found")


def read_owners(database: Database) -> dict[int, int]:
    """Number of reserved calls for each process that ever made one."""
    query = (
        f"SELECT owner, sum(CASE state WHEN {State.RESERVED.value} THEN 1 ELSE 0 END)"
        " FROM call GROUP BY owner"
    )
    return dict(database.execute(query).fetchall())


def read_notes(database: Database) -> list[Note]:
    """All notes, oldest first."""
    found = database.execute(
        "SELECT note.sum, note.id, kind, note.judge, text, run, at, call, judge.sum, judge.id,"
        " fingerprint, name FROM note LEFT JOIN judge ON judge.id = note.judge ORDER BY note.id"
    ).fetchall()
    _verify_keys("judge", (row[8:] for row in found if row[3] is not None))
    notes = []
    for sum_, number, kind, judge, text, run, at, call, *_, name in found:
        if sum_ != values_sum((number, kind, judge, text, run, at, call)):
            raise Damage(f"note {number} does not match its checksum")
        notes.append(
            Note(
                kind=NoteKind(kind),
                text=text,
                at=at,
                judge=name,
                judge_number=judge,
                run=run,
                call=call,
            )
        )
    return notes


def find_each(database: Database, table: str, keys: Sequence[tuple[str, bytes]]) -> IntArray:
    """The number of each key in this table, UNKNOWN if missing; shape (len(keys),)."""
    rows = database.execute(f"SELECT sum, id, fingerprint, name FROM {table}").fetchall()
    _verify_keys(table, rows)
    known = {fingerprint: number for _, number, fingerprint, _ in rows}
    return np.array([known.get(fingerprint, UNKNOWN) for _, fingerprint in keys], dtype=np.int64)


def _entries(database: Database, condition: str, values: Sequence[object]) -> Entries:
    wanted = ", ".join(sql for sql, _ in _ENTRY.values())
    cursor = database.execute(f"SELECT {wanted} FROM call WHERE {condition}", tuple(values))
    parts: dict[str, list[npt.NDArray[np.generic]]] = {name: [] for name in _ENTRY}
    try:
        while rows := cursor.fetchmany(_BLOCK):
            for (name, (_, kind)), column in zip(
                _ENTRY.items(), zip(*rows, strict=True), strict=True
            ):
                parts[name].append(np.array(column, dtype=kind))
    except (TypeError, ValueError, OverflowError) as error:
        raise Damage("a call holds a value of another type than its column's") from error
    if not parts["call"]:
        return Entries.none()
    columns = {name: np.concatenate(part) for name, part in parts.items()}
    wrong = columns.pop("sum") != entry_sums(columns)
    if wrong.any():
        raise Damage(f"call {columns['call'][wrong][0]} does not match its checksum")
    return Entries(**columns)


def _about(database: Database, items: Collection[int] | None) -> tuple[str, tuple[Any, ...]]:
    """A condition that selects the calls about these items, with its values."""
    if items is None:
        return "", ()
    condition, value = database.among("item", items)
    return f" AND {condition}", (value,)


def _verify_keys(table: str, rows: Iterable[tuple[int, int | None, bytes, str]]) -> None:
    for sum_, number, fingerprint, name in rows:
        if number is None:
            raise Damage(f"a {table} is missing")
        try:
            sound = sum_ == key_sum(number, fingerprint, name)
        except (AttributeError, TypeError):
            sound = False
        if not sound:
            raise Damage(f"{table} {number} does not match its checksum")


def _call_row(row: Row, text: str | None) -> CallRow:
    return CallRow(
        call=row.id,
        item=row.item,
        judge=row.judge,
        phase=row.phase,
        state=State(row.state),
        reason=_reason(row.reason),
        score=row.score,
        charged=row.charged,
        reserved=row.reserved,
        prompt_tokens=row.prompt_tokens,
        cached_tokens=row.cached_tokens,
        output_tokens=row.output_tokens,
        at=row.at,
        text=text,
        written_tokens=row.written_tokens,
        detail=row.detail,
    )


def _reason(number: int | None) -> Reason | None:
    return None if number is None else Reason(number)
