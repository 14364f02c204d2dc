"""What a store promises: a ledger whose money cannot be overspent and whose answers stay.

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
"""The number of an item or judge that a ledger has never heard of."""


class Denial(Enum):
    """Why a reservation was not made."""

    NO_FUNDS = "the worst case does not fit what remains"
    TAKEN = "another process has this call"


# These two travel in thousands, from the run to the database as they are: tuples, not dataclasses.
class Reservation(NamedTuple):
    """A call that wants to be made."""

    item: int
    """The store's own number of the item."""
    judge: int
    """The store's own number of the judge."""
    phase: int
    ordinal: int
    """Which call of this item, judge and phase it is: each is made at most once."""
    amount: Money
    """The most that it can cost."""
    together: int = 1
    """This one and those after it, so many in all, are reserved if there is money for all."""


class Settlement(NamedTuple):
    """How a reserved call ended."""

    call: int
    """The number that the reservation got."""
    state: State
    reason: Reason | None = None
    cost: Cost | None = None
    """What it cost; None if unknown, and the reservation is then charged unless it was refused."""
    score: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    text: str | None = None
    """The answer, if texts are to be kept."""
    written_tokens: int | None = None
    """Those of the prompt tokens that were written to the provider's cache."""
    detail: str | None = None
    """What the endpoint said where there is no score, in a few words and without secrets."""


class View(Protocol):
    """What can be read in a ledger; reading changes nothing."""

    def find_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each item, given by name and fingerprint; UNKNOWN where there is none."""
        ...

    def find_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The number of each judge, given by name and fingerprint; UNKNOWN where there is none."""
        ...

    def balance(self) -> Balance:
        """Budget, spent, reserved and owed now."""
        ...

    def amended(self) -> int:
        """How often calls that had ended were changed: a claim paid later, an answer come late.

        Whoever keeps entries reads them again when it has changed.
        """
        ...

    def salt(self) -> bytes:
        """Random bytes that this ledger was made with and that no other has."""
        ...

    def entries(self, since: int = 0) -> Entries:
        """Every call that is or may be paid, oldest first; those from this number on."""
        ...

    def complete_before(self) -> int:
        """A number below which no call is added any more: whoever keeps entries keeps those."""
        ...

    def refusals(self) -> Mapping[tuple[int, Reason], int]:
        """How many calls cost nothing, by the judge's number and why."""
        ...

    def rejected(self) -> IntArray:
        """Numbers of item and judge of each pair that a judge would not take; shape (n, 2)."""
        ...

    def complaints(self) -> Mapping[int, CallRow]:
        """The last call that each judge gave no score for, by the judge's number."""
        ...

    def presumed(self) -> list[CallRecord]:
        """The calls that were presumed billed."""
        ...

    def overcharged(self) -> list[CallRecord]:
        """The calls for which a judge claimed more than their worst case."""
        ...

    def notes(self) -> list[Note]:
        """Everything that was noted, oldest first."""
        ...

    def under_way(self) -> UnderWay:
        """Who is at work on the ledger now."""
        ...

    def calls(self, items: Collection[int] | None = None) -> Iterator[CallRow]:
        """Every call, or those about these items, oldest first; few are in memory at a time."""
        ...

    def close(self) -> None:
        """Give back what this process holds; reserved entries stay reserved."""
        ...


class Store(View, Protocol):
    """A durable ledger that several processes may share.

    Every method is one transaction: done and on disk when it returns, or not done at all.
    """

    @property
    def plans(self) -> SharedPlans | None:
        """What processes that carry out one run share; None if each plans for itself."""
        ...

    def numbers_of_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each item, given by name and fingerprint; new ones are added."""
        ...

    def numbers_of_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each judge, given by name and fingerprint; new ones are added."""
        ...

    def commit(
        self, settlements: Sequence[Settlement], reservations: Sequence[Reservation]
    ) -> list[int | Denial]:
        """Settle all, then reserve in order; the number of each call, or why there is none.

        Those that belong together are all denied if the money does not suffice for all of them.
        A cost above the reservation is charged as far as the budget bears it. The rest is the
        entry's excess, a debt: whatever is freed later pays debts first, the oldest first, and
        nothing is reserved while there is one. A call that others took for lost, because they took
        this process for dead, is settled like any other.
        """
        ...

    def note(
        self, judge: int | None, text: str, *, kind: NoteKind = NoteKind.REMARK, run: str = ""
    ) -> None:
        """Write down an event, about the judge of this number or about none."""
        ...

    def presume_dead(self) -> int:
        """Presume billed what processes that no longer live had reserved; how many calls."""
        ...

    def reserved_elsewhere(self) -> int:
        """How many calls other processes have under way."""
        ...
