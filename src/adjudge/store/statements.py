"""The writes of the SQLite ledger, many rows to a statement.

One statement for many rows lets Python's lock go once instead of once per row: the event loop that
makes the calls works on while the rows are written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from adjudge.records import Money, Reason
from adjudge.store.entries import Balance, NoteKind, State
from adjudge.store.store import Denial, Reservation, Settlement

_ROWS = 64
"""Rows per statement; SQLite prepares each number of rows once."""
_LARGEST = 2**62
"""More money than a column holds is a claim like any other that no budget can bear."""

_INSERT = (
    "INSERT OR IGNORE INTO call"
    " (id, item, judge, phase, ordinal, reserved, owner, state, charged, at) VALUES "
)
_SETTLE = (
    "UPDATE call SET state = v.column2, reason = v.column3, charged = v.column4,"
    " charged_output = v.column5, excess = v.column6, score = v.column7, prompt_tokens = v.column8,"
    " cached_tokens = v.column9, output_tokens = v.column10 FROM (VALUES {}) AS v"
    " WHERE call.id = v.column1"
)
_REFUSE = (
    "UPDATE call SET state = 2, ordinal = NULL, reason = v.column2 FROM (VALUES {}) AS v"
    " WHERE call.id = v.column1"
)


def settle(
    database: sqlite3.Connection,
    settlements: Sequence[Settlement],
    balance: Balance,
    held: dict[int, Money],
) -> Balance:
    """The balance after these settlements; their reservations leave `held`."""
    spent, reserved = balance.spent, balance.reserved
    settled: list[tuple[object, ...]] = []
    refused: list[tuple[object, ...]] = []
    texts: list[tuple[int, str]] = []
    for call, state, reason, cost, score, prompt, cached, output, text in settlements:
        amount = held.pop(call)
        reserved -= amount
        if state is State.REFUSED:
            refused.append((call, reason))
            continue
        claimed = amount if cost is None else min(cost.total, _LARGEST)
        # At least the call's own amount is free; a claim above it may use what else is free.
        charged = min(claimed, balance.budget - spent - reserved)
        spent += charged
        settled.append(
            (
                call,
                state.value,
                reason,
                charged,
                None if cost is None else min(cost.output, claimed),
                claimed - charged or None,
                score,
                prompt,
                cached,
                output,
            )
        )
        if text is not None:
            texts.append((call, text))
    _write_many(database, _SETTLE, settled)
    _write_many(database, _REFUSE, refused)
    if texts:
        database.executemany("INSERT INTO answer VALUES (?, ?)", texts)
    return replace(balance, spent=spent, reserved=reserved)


def reserve(
    database: sqlite3.Connection,
    reservations: Sequence[Reservation],
    balance: Balance,
    held: dict[int, Money],
    *,
    owner: int,
    at: int,
) -> tuple[Balance, list[int | Denial]]:
    """The balance after those that fit, in order, and each one's number; they enter `held`."""
    (last,) = database.execute("SELECT ifnull(max(id), 0) FROM call").fetchone()
    reserved = balance.reserved
    free = balance.remaining
    granted: list[int | Denial] = []
    rows: list[tuple[object, ...]] = []
    number = last
    for reservation in reservations:
        amount = reservation.amount
        if amount > free:
            granted.append(Denial.NO_FUNDS)
            continue
        free -= amount
        number += 1
        granted.append(number)
        rows.append((number, *reservation, owner, State.RESERVED.value, 0, at))
    made = _write_many(database, _INSERT + "{}", rows)
    if made < len(rows):
        kept = {id_ for (id_,) in database.execute("SELECT id FROM call WHERE id > ?", (last,))}
        granted = [g if isinstance(g, Denial) or g in kept else Denial.TAKEN for g in granted]
    for reservation, grant in zip(reservations, granted, strict=True):
        if not isinstance(grant, Denial):
            held[grant] = reservation.amount
            reserved += reservation.amount
    return replace(balance, reserved=reserved), granted


def presume(database: sqlite3.Connection, owner: int) -> int:
    """Presume billed everything this owner had reserved; how many calls."""
    changed = database.execute(
        "UPDATE call SET state = ?, reason = ?, charged = reserved WHERE owner = ? AND state = ?",
        (State.PRESUMED.value, Reason.CRASHED.value, owner, State.RESERVED.value),
    ).rowcount
    database.execute(
        "UPDATE purse SET spent = (SELECT ifnull(sum(charged), 0) FROM call), reserved ="
        " (SELECT ifnull(sum(reserved), 0) FROM call WHERE state = 0)"
    )
    return changed


def note(
    database: sqlite3.Connection, judge: int | None, text: str, *, kind: NoteKind, run: str, at: int
) -> None:
    """Write down an event, and the last call before it."""
    database.execute(
        "INSERT INTO note (kind, judge, text, run, at, call)"
        " VALUES (?, ?, ?, ?, ?, (SELECT ifnull(max(id), 0) FROM call))",
        (kind.value, judge, text, run, at),
    )


def _write_many(
    database: sqlite3.Connection, statement: str, rows: Iterable[tuple[object, ...]]
) -> int:
    """Write the rows, some dozens to a statement; how many were written."""
    written = 0
    for block in _blocks(iter(rows)):
        row = "(" + ",".join("?" * len(block[0])) + ")"
        values = [value for values in block for value in values]
        sql = statement.format(",".join([row] * len(block)))
        written += database.execute(sql, values).rowcount
    return written


def _blocks(rows: Iterator[tuple[object, ...]]) -> Iterator[list[tuple[object, ...]]]:
    while block := list(islice(rows, _ROWS)):
        yield block
