"""A full survey of a ledger that may be damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from adjudge.records import Money, Reason, dollars
from adjudge.store.checksum import Damage, key_sum, text_sum, values_sum
from adjudge.store.entries import NoteKind, State
from adjudge.store.purse import Purse, read_purse
from adjudge.store.rows import Row, intact, sealed, types_fit
from adjudge.store.sqlite_database import SqliteDatabase

_MISSES = 10_000
"""Number of consecutive unreadable rows after which a table is given up."""
_BLOCK = 1_000
_SHOWN = 5
"""Maximum numbers listed in a sentence."""
Record = Mapping[str, object]
"""A row, by the names of its columns."""


@dataclass(slots=True, kw_only=True)
class Survey:
    """Findings about a ledger; numbers identify rows."""

    version: int
    structure: list[str] = field(default_factory=list)
    """Problems of the file itself, found by SQLite."""
    purse: Purse | None = None
    """None if it is damaged."""
    calls: int = 0
    """Number of readable calls, including damaged ones."""
    spent: Money = 0
    """Sum over the sound calls, like the following two."""
    reserved: Money = 0
    debt: Money = 0
    total: int = 0
    """The sum of all correct checksums."""
    damaged: dict[str, list[int]] = field(
        default_factory=lambda: {table: [] for table in ("call", "text", "item", "judge", "note")}
    )
    """Rows that do not match their checksum, by table; `text` has the calls' numbers."""
    nameless: dict[str, set[int]] = field(default_factory=lambda: {"item": set(), "judge": set()})
    """Numbers in calls that are missing from the tables of items and judges."""

    @property
    def complete(self) -> bool:
        """Whether every call that was ever written is there, unchanged."""
        if self.structure or self.damaged["call"]:
            return False
        return self.version == 1 or (self.purse is not None and self.purse.total == self.total)

    @property
    def balanced(self) -> bool:
        """Whether the calls sum to the purse."""
        purse = self.purse
        return purse is not None and (purse.spent, purse.reserved, purse.debt) == (
            self.spent,
            self.reserved,
            self.debt,
        )

    def problems(self) -> list[str]:
        """One sentence per problem."""
        found = [f"The file itself is damaged: {line}." for line in self.structure]
        if self.purse is None:
            found.append("The purse does not match its checksum.")
        elif not self.balanced and not self.damaged["call"]:
            found.append(
                f"The books do not balance: the purse says {dollars(self.purse.spent)} spent, "
                f"{dollars(self.purse.reserved)} reserved and {dollars(self.purse.debt)} owed, the "
                f"sound calls sum to {dollars(self.spent)}, {dollars(self.reserved)} and "
                f"{dollars(self.debt)}."
            )
        for table, numbers in self.damaged.items():
            if numbers:
                what = "text of call" if table == "text" else table
                found.append(f"{_counted(what, numbers)} does not match its checksum.")
        anything = any(self.damaged.values())
        if self.purse is not None and not self.complete and not anything and not self.structure:
            found.append("Rows are missing: the checksums do not add up to the purse's total.")
        for table, unknown in self.nameless.items():
            if unknown:
                found.append(f"Calls name {_counted(table, sorted(unknown))}, which is not there.")
        return found


def survey(database: SqliteDatabase, version: int) -> Survey:
    """The survey of everything readable in a ledger of this version."""
    found = Survey(version=version)
    found.structure = _structure(database)
    for call, sound in calls_of(database, version):
        found.calls += 1
        if not sound:
            found.damaged["call"].append(call.id)
            continue
        if not text_is_sound(database, call, version):
            found.damaged["text"].append(call.id)
        found.spent += call.charged
        found.reserved += call.reserved if call.state == State.RESERVED else 0
        found.debt += call.excess or 0
        found.total += call.sum + call.rest
        found.nameless["item"].add(call.item)
        found.nameless["judge"].add(call.judge)
    for table in ("item", "judge"):
        for number, record in records_of(database, table):
            found.nameless[table].discard(number)
            if key_is_sound(number, record, version):
                found.total += _whole(record.get("sum"))
            else:
                found.damaged[table].append(number)
    for number, record in records_of(database, "note"):
        if note_is_sound(number, record, version):
            found.total += _whole(record.get("sum"))
        else:
            found.damaged["note"].append(number)
    found.purse = _purse(database, found)
    return found


def calls_of(database: sqlite3.Connection, version: int) -> Iterator[tuple[Row, bool]]:
    """Every readable call, and whether it is sound."""
    records = records_of(database, "call")
    while block := list(islice(records, _BLOCK)):
        rows = [
            Row._make(record.get(name) for name in Row._fields)._replace(id=number)
            for number, record in block
        ]
        if version == 1:  # without checksums: rows with the right types count as sound
            rows = [sealed([row])[0] if types_fit(row) else row for row in rows]
        for row, sound in zip(rows, intact(rows), strict=True):
            yield row, sound and row.state in set(State) and _known(row.reason)


def records_of(database: sqlite3.Connection, table: str) -> Iterator[tuple[int, Record]]:
    """Every readable row of a table, with its number; unreadable rows are skipped."""
    after, misses = -1, 0
    key = "call" if table == "answer" else "id"
    while misses < _MISSES:
        try:
            cursor = database.execute(
                f"SELECT * FROM {table} WHERE {key} > ? ORDER BY {key}", (after,)
            )
            names = [column[0] for column in cursor.description]
            for row in cursor:
                record = dict(zip(names, row, strict=True))
                number = record[key]
                if isinstance(number, int) and number > after:
                    after, misses = number, 0
                    yield number, record
        except (sqlite3.Error, UnicodeDecodeError) as error:
            if "schema" in str(error) or "no such" in str(error):  # the table itself is damaged
                return
            after, misses = after + 1, misses + 1
        else:
            return


def text_of(database: sqlite3.Connection, call: int) -> str | None:
    """The answer's text, if readable."""
    try:
        row = database.execute("SELECT text FROM answer WHERE call = ?", (call,)).fetchone()
    except (sqlite3.Error, UnicodeDecodeError):
        return None
    return row[0] if row is not None and isinstance(row[0], str) else None


def text_is_sound(database: sqlite3.Connection, call: Row, version: int) -> bool:
    """Whether a call's text is unchanged, or was never kept."""
    return version == 1 or call.text_sum == text_sum(text_of(database, call.id))


def key_is_sound(number: int, record: Record, version: int) -> bool:
    """Whether an item or a judge is unchanged."""
    mark, name = record.get("fingerprint"), record.get("name")
    if not isinstance(mark, bytes) or not isinstance(name, str):
        return False
    return version == 1 or record.get("sum") == key_sum(number, mark, name)


def note_is_sound(number: int, record: Record, version: int) -> bool:
    """Whether a note is unchanged."""
    columns = ("kind", "judge", "text", "run", "at", "call")
    right = record.get("sum") == values_sum((number, *(record.get(name) for name in columns)))
    return (version == 1 or right) and record.get("kind") in set(NoteKind)


def _purse(database: SqliteDatabase, found: Survey) -> Purse | None:
    try:
        if found.version > 1:
            return read_purse(database)
        budget, spent, reserved = database.execute(
            "SELECT budget, spent, reserved FROM purse"
        ).fetchone()
    except (Damage, sqlite3.Error, TypeError, ValueError):
        return None
    return Purse(budget, spent, reserved, found.debt, 0, 0, b"")


def _structure(database: sqlite3.Connection) -> list[str]:
    try:
        lines = [str(line) for (line,) in database.execute("PRAGMA integrity_check(20)")]
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [str(error)]
    return [] if lines == ["ok"] else [line.removesuffix(".") for line in lines]


def _known(reason: int | None) -> bool:
    return reason is None or reason in set(Reason)


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _counted(what: str, numbers: list[int]) -> str:
    named = ", ".join(str(number) for number in numbers[:_SHOWN])
    if len(numbers) > _SHOWN:
        named += f" and {len(numbers) - _SHOWN:,} more"
    return f"{what} {named}" if len(numbers) == 1 else f"each of {what} {named}"
