"""The reads of a ledger that all databases share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Generic, TypeVar

from adjudge.core.arrays import IntArray
from adjudge.records import Reason
from adjudge.store import reading
from adjudge.store.database import Database
from adjudge.store.entries import CallRecord, CallRow, Entries, Note, State

T = TypeVar("T")
D = TypeVar("D", bound=Database)


class SqlView(ABC, Generic[D]):
    """A view of a ledger in any SQL database; see `View`."""

    @abstractmethod
    def ask(self, question: Callable[[D], T]) -> T:
        """The result of a query; database errors become `StoreError`."""

    def find_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each item, given by name and fingerprint; UNKNOWN if missing."""
        return self.ask(lambda database: reading.find_each(database, "item", keys))

    def find_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each judge, given by name and fingerprint; UNKNOWN if missing."""
        return self.ask(lambda database: reading.find_each(database, "judge", keys))

    def entries(self, since: int = 0) -> Entries:
        """Every call that is or may be paid, from this number on, oldest first."""
        return self.ask(partial(reading.read_entries, since=since))

    def refusals(self) -> Mapping[tuple[int, Reason], int]:
        """Number of free calls, by the judge's number and the reason."""
        return self.ask(reading.read_refusals)

    def rejected(self) -> IntArray:
        """Item and judge numbers of the pairs that a judge rejected; shape (n, 2)."""
        return self.ask(reading.read_rejected)

    def complaints(self) -> Mapping[int, CallRow]:
        """Each judge's last call without a score, by the judge's number."""
        return self.ask(reading.read_complaints)

    def presumed(self) -> list[CallRecord]:
        """The calls that were presumed billed."""
        return self._records(f"state = {State.PRESUMED.value}")

    def overcharged(self) -> list[CallRecord]:
        """The calls whose judge claimed more than their worst case."""
        return self._records("charged > reserved OR excess > 0")

    def notes(self) -> list[Note]:
        """All notes, oldest first."""
        return self.ask(reading.read_notes)

    def calls(self, items: Collection[int] | None = None) -> Iterator[CallRow]:
        """Every call, or those about these items, oldest first; read in blocks to save memory."""
        after, count = 0, 0
        while rows := self.ask(partial(reading.read_calls, after=after, items=items)):
            yield from rows
            after, count = rows[-1].call, count + len(rows)
        self.ask(partial(reading.check_count, upto=after, items=items, count=count))

    def _records(self, condition: str) -> list[CallRecord]:
        return self.ask(lambda database: reading.read_records(database, condition))
