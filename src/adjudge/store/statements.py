"""Writes of a ledger, many rows per statement, shared by all databases."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.records import Money, Reason
from adjudge.store.checksum import key_sum, storable, values_sum
from adjudge.store.database import Database, ManyRows
from adjudge.store.entries import NoteKind, State
from adjudge.store.purse import Purse
from adjudge.store.reading import find_each, read_rows
from adjudge.store.rows import Row, reserved_rows, sums
from adjudge.store.settling import charged_rows, pay_debts
from adjudge.store.store import UNKNOWN, Denial, Reservation, Settlement

_INSERT = ManyRows(
    "INSERT INTO call (id, sum, item, judge, phase, ordinal, state, rest, owner,"
    " reserved, at, charged) {} ON CONFLICT DO NOTHING",
    "i" * 12,
    unique=(2, 3, 4, 5),
)
_BEGUN = itemgetter(0, 1, 2, 3, 4, 5, 6, 11, 12, 13, 19, 8)
"""The columns of a row that `_INSERT` writes; the last is 0."""
_UPDATE = ManyRows(
    "UPDATE call SET sum = v.column4, rest = v.column5, state = v.column6, charged = v.column7,"
    " charged_output = v.column8, score = v.column9, prompt_tokens = v.column10,"
    " cached_tokens = v.column11, written_tokens = v.column12, output_tokens = v.column13,"
    " text_sum = v.column14, ordinal = v.column15, reason = v.column16, excess = v.column17,"
    " detail = v.column18 FROM ({}) AS v"
    " WHERE call.id = v.column1 AND call.sum = v.column2 AND call.rest = v.column3",
    "i" * 8 + "f" + "i" * 8 + "t",
)

_UPDATE_PLAIN = ManyRows(
    "UPDATE call SET sum = v.column4, rest = v.column5, state = v.column6, charged = v.column7,"
    " charged_output = v.column8, score = v.column9, prompt_tokens = v.column10,"
    " cached_tokens = v.column11, written_tokens = v.column12, output_tokens = v.column13,"
    " text_sum = v.column14 FROM ({}) AS v"
    " WHERE call.id = v.column1 AND call.sum = v.column2 AND call.rest = v.column3",
    "i" * 8 + "f" + "i" * 5,
)
"""For most calls: half as long as `_UPDATE`, which also updates the index of ordinals."""
_ENDED = itemgetter(6, 8, 9, 10, 15, 16, 17, 18, 20)
"""The columns of a row that both write, and those that only `_UPDATE` writes."""
_EXCEPTIONAL = itemgetter(5, 7, 14, 21)
_ANSWER = ManyRows(
    "INSERT INTO answer (call, text) {} ON CONFLICT (call) DO UPDATE SET text = excluded.text", "it"
)
_RESERVED = State.RESERVED.value
DEBTORS = "excess > 0"
"""Condition for calls with a debt."""
Held = dict[int, Row]
"""Rows as this process last wrote them, by number."""


class AmendedError(Exception):
    """Another process has changed a row that this process wants to change."""


def settle(
    database: Database,
    settlements: Sequence[Settlement],
    purse: Purse,
    held: Held,
    *,
    debtors: str = DEBTORS,
) -> Purse:
    """The purse after these settlements; their rows leave `held`.

    `debtors` is the condition for calls of this purse with a debt.
    """
    if not settlements:
        return purse
    before = [held.pop(settlement.call) for settlement in settlements]
    purse, after = charged_rows(purse, before, settlements)
    purse = _pay(database, purse, before, after, debtors)
    texts = [(ended.call, storable(ended.text)) for ended in settlements if ended.text is not None]
    database.write_rows(_ANSWER, texts)
    return purse


def pay(database: Database, purse: Purse, *, debtors: str = DEBTORS) -> Purse:
    """The purse after free money has paid debts."""
    return _pay(database, purse, [], [], debtors)


def reserve(
    database: Database,
    reservations: Sequence[Reservation],
    purse: Purse,
    held: Held,
    *,
    first: int,
    owner: int,
    at: int,
) -> tuple[Purse, list[int | Denial]]:
    """The purse after all reservations that fit, in order, and each one's number or denial.

    The new rows enter `held`. They are numbered from `first` on; no other process uses these
    numbers.
    """
    granted, fitting = _granted(reservations, -1 if purse.debt else purse.free, first)
    rows = reserved_rows(fitting, first=first, owner=owner, at=at)
    made = database.write_rows(_INSERT, list(map(_BEGUN, rows)))
    if made < len(rows):
        kept = written_since(database, first, owner)
        rows = [row for row in rows if row.id in kept]
        granted = [g if isinstance(g, Denial) or g in kept else Denial.TAKEN for g in granted]
    held.update([(row[0], row) for row in rows])
    purse = purse._replace(
        reserved=purse.reserved + sum([row[13] for row in rows]),
        total=purse.total + sum([row[1] + row[11] for row in rows]),
    )
    return purse, granted


def _granted(
    reservations: Sequence[Reservation], free: Money, first: int
) -> tuple[list[int | Denial], Sequence[Reservation]]:
    """The number or denial of each reservation, and the reservations that fit the free money."""
    if sum([one[4] for one in reservations]) <= free:
        return list(range(first, first + len(reservations))), reservations
    granted: list[int | Denial] = []
    fitting: list[Reservation] = []
    for place, reservation in enumerate(reservations):
        if len(granted) > place:
            continue  # denied together with the first of its request
        amount, together = reservation[4], reservation[5]
        if together > 1:
            amount = sum(one.amount for one in reservations[place : place + together])
        if amount > free:
            granted += [Denial.NO_FUNDS] * together
            continue
        free -= reservation[4]
        fitting.append(reservation)
        granted.append(first + len(fitting) - 1)
    return granted, fitting


def written_since(database: Database, first: int, owner: int) -> set[int]:
    """Numbers of the calls that this owner has written, from this number on."""
    found = database.execute("SELECT id FROM call WHERE id >= ? AND owner = ?", (first, owner))
    return {number for (number,) in found}


def following_call(database: Database) -> int:
    """The number of the next call."""
    (last,) = database.execute("SELECT coalesce(max(id), 0) FROM call").fetchone()
    return int(last) + 1


def presume(
    database: Database, purse: Purse, owner: int, *, debtors: str = DEBTORS
) -> tuple[Purse, int]:
    """The purse after this owner's reserved calls are presumed billed, and their number."""
    before = read_rows(database, "owner = ? AND state = ?", (owner, State.RESERVED.value))
    lost = [Settlement(row.id, State.PRESUMED, Reason.CRASHED) for row in before]
    purse, after = charged_rows(purse, before, lost)
    return _pay(database, purse, before, after, debtors), len(before)


def note(
    database: Database,
    purse: Purse,
    judge: int | None,
    text: str,
    *,
    kind: NoteKind,
    run: str,
    at: int,
) -> Purse:
    """The purse after recording an event, with the number of the last call before it."""
    number, call = database.execute(
        "SELECT (SELECT coalesce(max(id), 0) + 1 FROM note),"
        " (SELECT coalesce(max(id), 0) FROM call)"
    ).fetchone()
    values = (number, kind.value, judge, storable(text), run, at, call)
    total = values_sum(values)
    database.execute(
        "INSERT INTO note (sum, id, kind, judge, text, run, at, call) VALUES (?,?,?,?,?,?,?,?)",
        (total, *values),
    )
    return purse._replace(total=purse.total + total)


def number_each(
    database: Database, purse: Purse, table: str, keys: Sequence[tuple[str, bytes]]
) -> tuple[Purse, IntArray]:
    """The purse and the number of each key in this table, new keys added; shape (len(keys),)."""
    numbers = find_each(database, table, keys)
    names = {fingerprint: storable(name) for name, fingerprint in keys}
    new = dict.fromkeys(
        fingerprint
        for (_, fingerprint), number in zip(keys, numbers.tolist(), strict=True)
        if number == UNKNOWN
    )
    if not new:
        return purse, numbers
    (last,) = database.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()
    rows = [
        (number, key_sum(number, fingerprint, names[fingerprint]), fingerprint, names[fingerprint])
        for number, fingerprint in enumerate(new, start=last + 1)
    ]
    database.executemany(
        f"INSERT INTO {table} (id, sum, fingerprint, name) VALUES (?, ?, ?, ?)", rows
    )
    purse = purse._replace(total=purse.total + sum(row[1] for row in rows))
    added = {row[2]: row[0] for row in rows}
    for place in np.flatnonzero(numbers == UNKNOWN).tolist():
        numbers[place] = added[keys[place][1]]
    return purse, numbers


def _pay(
    database: Database, purse: Purse, before: Sequence[Row], after: Sequence[Row], debtors: str
) -> Purse:
    """Pay debts, oldest first, and write the changed rows."""
    old: list[Row] = []
    if purse.free and purse.debt > sum(row.excess or 0 for row in after):
        old = read_rows(database, debtors, ())
    purse, rows = pay_debts(purse, [*old, *after])
    total, amended = purse.total, False
    plain, others = [], []
    for was, row, (one, other) in zip([*old, *before], rows, sums(rows), strict=True):
        if row == was:
            continue
        total += one + other - was[1] - was[11]
        reserved = was[6] == _RESERVED
        amended = amended or not reserved
        written = (was[0], was[1], was[11], one, other, *_ENDED(row))
        usual = reserved and row[5] is not None and row[7] is None
        if usual and row[14] is None and row[21] is None:
            plain.append(written)
        else:
            others.append((*written, *_EXCEPTIONAL(row)))
    made = database.write_rows(_UPDATE_PLAIN, plain) + database.write_rows(_UPDATE, others)
    if made < len(plain) + len(others):
        raise AmendedError
    return purse._replace(total=total, amended=purse.amended + amended)
