"""The protocol of stores: ledgers whose money cannot be overspent and whose answers are kept.

A call is one entry. It is *reserved* at its worst case before it is sent, and then ends in one of
three ways: *settled* (answered, at its cost), *refused* (cost nothing) or *presumed* (sent and
never fully answered: charged at its worst case).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, Protocol

from adjudge.core.arrays import IntArray
from adjudge.records import Cost, Money, Reason
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
from adjudge.store.sharing import SharedPlans

UNKNOWN = -1
"""The number of an item or judge that is not in the ledger."""


class Denial(Enum):
    """Why a reservation was not made."""

    NO_FUNDS = "the worst case does not fit what remains"
    TAKEN = "another process has this call"


# Thousands of these two go from the run to the database, so they are tuples, not dataclasses.
class Reservation(NamedTuple):
    """A call to be reserved."""

    item: int
    """The store's number of the item."""
    judge: int
    """The store's number of the judge."""
    phase: int
    ordinal: int
    """Number of the call within its item, judge and phase: each is made at most once."""
    amount: Money
    """The worst-case cost."""
    together: int = 1
    """Number of reservations, from this one on, that are reserved all together or not at all."""


class Settlement(NamedTuple):
    """The end of a reserved call."""

    call: int
    """The number of the reserved call."""
    state: State
    reason: Reason | None = None
    cost: Cost | None = None
    """The cost; None if unknown: the whole reservation is then charged, unless it was refused."""
    score: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    text: str | None = None
    """The answer, if texts are to be kept."""
    written_tokens: int | None = None
    """Prompt tokens that were written to the provider's cache."""
    detail: str | None = None
    """The endpoint's message if there is no score, shortened and without secrets."""


class View(Protocol):
    """The reads of a ledger; they change nothing."""

    def find_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each item, given by name and fingerprint; UNKNOWN if missing."""
        ...

    def find_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each judge, given by name and fingerprint; UNKNOWN if missing."""
        ...

    def balance(self) -> Balance:
        """The current budget, spending, reservations and debt."""
        ...

    def amended(self) -> int:
        """Number of changes to ended calls, such as debts paid later or late answers.

        When it changes, cached entries must be read again.
        """
        ...

    def salt(self) -> bytes:
        """Random bytes, unique to this ledger."""
        ...

    def entries(self, since: int = 0) -> Entries:
        """Every call that is or may be paid, from this number on, oldest first."""
        ...

    def complete_before(self) -> int:
        """A number below which no call is added any more: cached entries below it are complete."""
        ...

    def refusals(self) -> Mapping[tuple[int, Reason], int]:
        """Number of free calls, by the judge's number and the reason."""
        ...

    def rejected(self) -> IntArray:
        """Item and judge numbers of the pairs that a judge rejected; shape (n, 2)."""
        ...

    def complaints(self) -> Mapping[int, CallRow]:
        """Each judge's last call without a score, by the judge's number."""
        ...

    def presumed(self) -> list[CallRecord]:
        """The calls that were presumed billed."""
        ...

    def overcharged(self) -> list[CallRecord]:
        """The calls whose judge claimed more than their worst case."""
        ...

    def notes(self) -> list[Note]:
        """All notes, oldest first."""
        ...

    def under_way(self) -> UnderWay:
        """Living processes and calls under way."""
        ...

    def calls(self, items: Collection[int] | None = None) -> Iterator[CallRow]:
        """Every call, or those about these items, oldest first; read in blocks to save memory."""
        ...

    def close(self) -> None:
        """Release the resources of this process; reserved entries stay reserved."""
        ...


class Store(View, Protocol):
    """A durable ledger that several processes may share.

    Every method is one transaction: it is on disk when the method returns, or nothing is done.
    """

    @property
    def plans(self) -> SharedPlans | None:
        """Plans shared by the processes of one run; None if each plans for itself."""
        ...

    def numbers_of_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each item, given by name and fingerprint; adds new items."""
        ...

    def numbers_of_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each judge, given by name and fingerprint; adds new judges."""
        ...

    def commit(
        self, settlements: Sequence[Settlement], reservations: Sequence[Reservation]
    ) -> list[int | Denial]:
        """Settle all, then reserve in order; return each call's number or denial.

        Reservations that belong together are all denied if there is not enough money for all of
        them. A cost above the reservation is charged up to what the budget can cover. The rest is
        the entry's excess, a debt: money freed later pays debts first, the oldest first, and
        nothing is reserved while there is a debt. If others presumed this process dead and its
        calls billed, these calls are still settled like any other.
        """
        ...

    def note(
        self, judge: int | None, text: str, *, kind: NoteKind = NoteKind.REMARK, run: str = ""
    ) -> None:
        """Record an event, with the number of the judge concerned, if any."""
        ...

    def presume_dead(self) -> int:
        """Presume billed the calls reserved by dead processes; return their number."""
        ...

    def reserved_elsewhere(self) -> int:
        """Number of calls that other processes have under way."""
        ...
