"""What a store promises: a ledger whose money cannot be overspent and whose answers stay.

A call is one entry. It is *reserved* at its worst case before it is sent, and then ends in one of
three ways: *settled* (answered, at its cost), *refused* (cost nothing) or *presumed* (sent and
never fully answered: charged at its worst case).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple, Protocol

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.records import Cost, Money, Reason


class State(IntEnum):
    """What became of an entry. Stores hold these numbers: never give one a new meaning."""

    RESERVED = 0
    SETTLED = 1
    REFUSED = 2
    PRESUMED = 3


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The state of the purse."""

    budget: Money
    spent: Money
    """Settled and presumed calls."""
    reserved: Money
    """The worst case of all calls under way, those of other processes included."""

    @property
    def remaining(self) -> Money:
        """What can still be reserved."""
        return self.budget - self.spent - self.reserved


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """Every call that is reserved, settled or presumed, in columns of equal length."""

    item: IntArray
    judge: IntArray
    phase: IntArray
    ordinal: IntArray
    state: IntArray
    reason: FloatArray
    """Why there is no score, by number; nan where there is one."""
    charged: IntArray
    """Nano-dollars; 0 while reserved."""
    charged_output: FloatArray
    """The part of it that is for output; nan where the answer did not say."""
    score: FloatArray
    """As the judge gave it; nan where there is none."""

    def __len__(self) -> int:
        return int(self.item.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call, as a report names it."""

    call: int
    item: str
    judge: str
    reason: Reason | None
    charged: Money
    excess: Money
    """What the judge claimed above what the budget could still bear."""


class Store(Protocol):
    """A durable ledger that several processes may share.

    Every method is one transaction: done and on disk when it returns, or not done at all.
    """

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

        A cost above the reservation is charged as far as the budget bears it; the rest is recorded
        as the entry's excess.
        """
        ...

    def balance(self) -> Balance:
        """Budget, spent and reserved now."""
        ...

    def entries(self) -> Entries:
        """Every call that is or may be paid."""
        ...

    def presume_dead(self) -> int:
        """Presume billed what processes that no longer live had reserved; how many calls."""
        ...

    def reserved_elsewhere(self) -> int:
        """How many calls other processes have under way."""
        ...

    def presumed(self) -> list[CallRecord]:
        """The calls that were presumed billed."""
        ...

    def overcharged(self) -> list[CallRecord]:
        """The calls for which a judge claimed more than their worst case."""
        ...

    def close(self) -> None:
        """Give back what this process holds; reserved entries stay reserved."""
        ...
