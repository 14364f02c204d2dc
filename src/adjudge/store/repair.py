"""Check and repair of a ledger in a file.

Sound entries are kept unchanged. A damaged entry loses its score and keeps its money, as a call
presumed billed. Nothing is spent again: money that the purse counts as spent stays spent.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import StoreError
from adjudge.records import NANO, Money, Reason, dollars
from adjudge.store.checksum import text_sum
from adjudge.store.entries import NoteKind, State
from adjudge.store.files import is_new, real_path
from adjudge.store.filling import fill_calls, fill_keys, fill_notes, fill_purse
from adjudge.store.purse import check_books
from adjudge.store.rows import Row
from adjudge.store.schema import make_tables, new_salt, read_version
from adjudge.store.sqlite_database import SqliteDatabase
from adjudge.store.sqlite_view import begin_to_read, translated
from adjudge.store.survey import (
    Survey,
    calls_of,
    note_is_sound,
    records_of,
    survey,
    text_of,
)

_PATIENCE = 2.0
"""Seconds to wait for exclusive access."""
_DEAREST = 10**3 * NANO
"""Maximum credible cost of a call; a damaged number may have any value."""
_UNKNOWN = "unknown (the entry was damaged)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """The result of a repair."""

    copy: Path | None
    """Copy of the ledger before the repair; None if no repair was needed."""
    problems: tuple[str, ...]
    """The problems found, one sentence each."""
    done: tuple[str, ...]
    """What was done, one sentence each."""


def check_ledger(path: Path) -> Survey:
    """A survey of all problems of the ledger in this file, which is not changed."""
    path = Path(path)
    if is_new(real_path(path)):
        raise StoreError(f"{path}: there is no ledger here")
    database, _, version = begin_to_read(path)
    with closing(database), translated(path):
        return survey(database, version)


def repair_ledger(path: Path) -> Repair:
    """Repair the ledger in this file, after making a copy; nobody else may use it."""
    path = Path(path)
    file = real_path(path)
    if is_new(file):
        raise StoreError(f"{path}: there is no ledger here")
    begin_to_read(path)[0].close()  # raises if the file is not a ledger
    with translated(path), closing(alone_with(path)) as database:
        found = survey(database, read_version(database, path))
        problems = found.problems()
        if not problems:
            return Repair(copy=None, problems=(), done=())
        if found.purse is None and found.structure:
            raise StoreError(
                f"{path}: neither its purse nor all of its calls can be read, so that nobody knows "
                f"what was spent ({found.structure[0]}); put a copy from before the damage in its "
                "place, or begin a new ledger with what is left of the budget"
            )
        copy = _copied(database, file)
        with closing(
            sqlite3.connect(":memory:", isolation_level=None, factory=SqliteDatabase)
        ) as mended:
            done = _mend(database, mended, found)
            mended.backup(database)
        check_books(database)
        return Repair(copy=copy, problems=tuple(problems), done=tuple(done))


def alone_with(path: Path) -> SqliteDatabase:
    """A connection with exclusive access until it is closed."""
    database = sqlite3.connect(
        real_path(path),
        timeout=_PATIENCE,
        isolation_level=None,
        check_same_thread=False,
        factory=SqliteDatabase,
    )
    try:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("BEGIN EXCLUSIVE")
        database.execute("COMMIT")
    except sqlite3.DatabaseError as error:
        database.close()
        if error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY:
            raise StoreError(f"{path}: is in use; end the runs that use it first") from error
        raise
    return database


def _copied(database: sqlite3.Connection, file: Path) -> Path:
    """A copy beside the ledger, page by page; an earlier copy is never overwritten."""
    number = 1
    while (copy := file.with_name(f"{file.name}.before-repair{_ending(number)}")).exists():
        number += 1
    with closing(sqlite3.connect(copy, isolation_level=None)) as target:
        database.backup(target)
    return copy


def _ending(number: int) -> str:
    return "" if number == 1 else f"-{number}"


def _mend(old: sqlite3.Connection, new: SqliteDatabase, found: Survey) -> list[str]:
    """Fill the new tables from the sound rows; return what was done, in sentences."""
    new.execute("BEGIN")
    make_tables(new)
    unknown = {
        table: 1 + max([0, *(n for n, _ in records_of(old, table)), *found.nameless[table]])
        for table in ("item", "judge")
    }
    money = _Missing.of(found)
    fill_calls(new, _mended_calls(old, new, found, money, unknown))
    for table, number in unknown.items():
        fill_keys(new, table, _mended_keys(old, table, found, number))
    fill_notes(new, _mended_notes(old, found))
    owners = max([0, *(number for number, _ in records_of(old, "owner"))])
    if owners:
        new.execute("INSERT INTO owner VALUES (?)", (owners,))
    trusted = found.purse
    purse = fill_purse(
        new,
        budget=trusted.budget if trusted else 0,
        salt=trusted.salt if trusted and trusted.salt else new_salt(),
    )
    new.execute("COMMIT")
    return [
        *_told(found, money),
        f"The purse now says {dollars(purse.spent)} of "
        f"{dollars(purse.budget)} spent and {dollars(purse.reserved)} reserved, as its calls do.",
    ]


@dataclass(slots=True)
class _Missing:
    """Money of damaged or lost calls: the purse's sums minus those of the sound calls."""

    known: bool
    amount: Money = 0
    debt: Money = 0

    @classmethod
    def of(cls, found: Survey) -> _Missing:
        if found.complete or found.purse is None:
            return cls(known=found.complete)
        held = found.purse.spent + found.purse.reserved - found.spent - found.reserved
        return cls(known=True, amount=max(held, 0), debt=max(found.purse.debt - found.debt, 0))

    def take(self, wanted: Money) -> Money:
        """The charge for a damaged call: its worst case, at most the money known to be missing."""
        if not self.known:
            return wanted
        taken = min(wanted, self.amount)
        self.amount -= taken
        return taken


def _mended_calls(
    old: sqlite3.Connection,
    new: sqlite3.Connection,
    found: Survey,
    money: _Missing,
    unknown: dict[str, int],
) -> Iterator[Row]:
    last = 0
    for row, sound in calls_of(old, found.version):
        last = row.id
        text = text_of(old, row.id)
        if text is not None:
            new.execute("INSERT INTO answer VALUES (?, ?)", (row.id, text))
        if sound:
            yield row._replace(text_sum=text_sum(text))
        else:
            amount = money.take(max(_money(row.charged), _money(row.reserved)))
            yield _lost(row.id, unknown, amount)._replace(
                text_sum=text_sum(text), detail=f"item {row.item}, judge {row.judge}"[:100]
            )
    if money.amount or money.debt:
        yield _lost(last + 1, unknown, money.amount)._replace(excess=money.debt or None)


def _lost(number: int, unknown: dict[str, int], amount: Money) -> Row:
    """An entry with money only, and no score."""
    nothing = dict.fromkeys(Row._fields)
    return Row(
        **{
            **nothing,
            "id": number,
            "item": unknown["item"],
            "judge": unknown["judge"],
            "phase": 0,
            "ordinal": number,
            "state": State.PRESUMED.value,
            "reason": Reason.DAMAGED.value,
            "charged": amount,
            "owner": 0,
            "reserved": amount,
            "at": 0,
        }  # type: ignore[arg-type]
    )


def _mended_keys(
    old: sqlite3.Connection, table: str, found: Survey, unknown: int
) -> Iterator[tuple[int, bytes, str]]:
    """Rows of items or judges, with their names; a damaged fingerprint no longer matches any."""
    used = set()
    for number, record in records_of(old, table):
        mark, name = record.get("fingerprint"), record.get("name")
        if not isinstance(mark, bytes) or mark in used:
            mark = _mark_of(table, number)
        used.add(mark)
        yield number, mark, name if isinstance(name, str) else _UNKNOWN
    nameless = {*found.nameless[table], *([] if found.complete else [unknown])}
    for number in sorted(nameless):
        yield number, _mark_of(table, number), _UNKNOWN


def _mark_of(table: str, number: int) -> bytes:
    return f"no {table} {number}".encode()


def _mended_notes(
    old: sqlite3.Connection, found: Survey
) -> Iterator[tuple[int, int, int | None, str, str, int, int]]:
    for number, record in records_of(old, "note"):
        kind, judge, text, run, at, call = (
            record.get(name) for name in ("kind", "judge", "text", "run", "at", "call")
        )
        if note_is_sound(number, record, found.version):
            yield number, kind, judge, text, run, at, call  # type: ignore[misc]
        else:
            yield number, NoteKind.REMARK.value, None, f"a damaged note: {text}", "", 0, 0


def _told(found: Survey, money: _Missing) -> Iterator[str]:
    kept = found.calls - len(found.damaged["call"])
    yield f"{kept:,} calls were kept as they were."
    damaged = len(found.damaged["call"])
    if damaged:
        yield (
            f"{damaged:,} damaged {'call' if damaged == 1 else 'calls'} lost their scores and are "
            "presumed billed at their worst case."
        )
    if money.amount or money.debt:
        yield (
            f"{dollars(money.amount + money.debt)} that the purse had and no call explains are "
            "booked as one call presumed billed."
        )
    for table, what in (
        ("text", "texts"),
        ("item", "items"),
        ("judge", "judges"),
        ("note", "notes"),
    ):
        if found.damaged[table]:
            yield (
                f"{len(found.damaged[table]):,} damaged {what} were kept as they can be read; "
                "what their checksums covered cannot be vouched for."
            )
    if found.purse is None:
        yield "The budget was lost with the purse; the next run sets it again."


def _money(value: object) -> Money:
    return max(0, min(value, _DEAREST)) if isinstance(value, int) else 0
