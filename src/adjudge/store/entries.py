"""Types of a ledger: states of calls, balances, entries and notes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.records import Money, Reason


class State(IntEnum):
    """State of an entry. Ledgers store these numbers: never give one a new meaning."""

    RESERVED = 0
    SETTLED = 1
    REFUSED = 2
    PRESUMED = 3


class NoteKind(IntEnum):
    """Kind of a note. Ledgers store these numbers: never give one a new meaning."""

    REMARK = 0
    BEGUN = 1
    """A run began to make calls."""
    ENDED = 2
    """A run ended; the text begins with the kind of end and a colon."""
    SWITCHED_OFF = 3
    """A judge was switched off; the text says why."""
    PRICED = 4
    """Listed prices that calls are paid by; the text is JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The state of the purse."""

    budget: Money
    spent: Money
    """Charges of settled and presumed calls."""
    reserved: Money
    """The worst case of all calls under way, including other processes' calls."""
    debt: Money = 0
    """Claims of judges above their worst cases that the budget could not cover yet."""

    @property
    def remaining(self) -> Money:
        """Money that can still be reserved; negative while there is a debt."""
        return self.budget - self.spent - self.reserved - self.debt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """Every call reserved, settled or presumed, oldest first, in columns of equal length."""

    call: IntArray
    """The entry's number, in order of reservation."""
    item: IntArray
    judge: IntArray
    phase: IntArray
    ordinal: IntArray
    state: IntArray
    reason: FloatArray
    """Number of the reason why there is no score; nan if there is a score."""
    charged: IntArray
    """Nano-dollars; 0 while reserved."""
    charged_output: FloatArray
    """The part of `charged` for output; nan if the answer did not say."""
    score: FloatArray
    """The judge's score; nan if there is none."""

    @classmethod
    def none(cls) -> Entries:
        """No entries."""
        whole, real = np.zeros(0, np.int64), np.zeros(0)
        return cls(
            call=whole,
            item=whole,
            judge=whole,
            phase=whole,
            ordinal=whole,
            state=whole,
            reason=real,
            charged=whole,
            charged_output=real,
            score=real,
        )

    def where(self, chosen: BoolArray | slice) -> Entries:
        """The chosen entries, in the same order."""
        columns = {name: getattr(self, name)[chosen] for name in self.__slots__}
        return Entries(**columns)

    def plus(self, later: Entries) -> Entries:
        """These entries followed by later ones."""
        if not len(self) or not len(later):
            return self if len(self) else later
        columns = {
            name: np.concatenate([getattr(self, name), getattr(later, name)])
            for name in self.__slots__
        }
        return Entries(**columns)

    def __len__(self) -> int:
        return int(self.item.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """One call, with names for reports."""

    call: int
    item: str
    judge: str
    reason: Reason | None
    charged: Money
    excess: Money
    """The judge's claim that the budget could not cover yet: a debt."""


class CallRow(NamedTuple):
    """One call with everything in the ledger about it; the call may have been refused."""

    call: int
    item: int
    """The store's number of the item."""
    judge: int
    """The store's number of the judge."""
    phase: int
    state: State
    reason: Reason | None
    score: float | None
    charged: Money
    reserved: Money
    prompt_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    at: int
    """Unix time of the reservation."""
    text: str | None
    """The judge's answer, if texts were kept."""
    written_tokens: int | None
    """Prompt tokens that were written to the provider's cache."""
    detail: str | None
    """The endpoint's message, if it gave no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """Processes at work on a ledger, and their calls under way."""

    processes: int = 0
    """Number of living processes that have made calls."""
    calls: int = 0
    """Number of their calls under way."""
    abandoned: int = 0
    """Number of calls under way of dead processes; the next run presumes them billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An event recorded in the ledger, for people to read."""

    kind: NoteKind
    text: str
    at: int
    """Unix time."""
    judge: str | None
    """Name of the judge concerned, if any."""
    judge_number: int | None
    """The store's number of the judge."""
    run: str
    """Identity of the run concerned; empty if there is none."""
    call: int
    """Number of the last call reserved before it."""

    @property
    def words(self) -> str:
        """The event, for people to read."""
        if self.kind is NoteKind.ENDED:
            return f"the run ended: {self.text.partition(':')[2].strip()}"
        if self.kind is NoteKind.PRICED:
            return "the listed price of a model is kept"
        return f"was switched off: {self.text}" if self.kind is NoteKind.SWITCHED_OFF else self.text
