"""The nouns of a ledger: what became of a call, what is left of the money, what was noted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.records import Money, Reason


class State(IntEnum):
    """What became of an entry. Stores hold these numbers: never give one a new meaning."""

    RESERVED = 0
    SETTLED = 1
    REFUSED = 2
    PRESUMED = 3


class NoteKind(IntEnum):
    """What a note tells. Stores hold these numbers: never give one a new meaning."""

    REMARK = 0
    BEGUN = 1
    """A run began to make calls."""
    ENDED = 2
    """A run ended; its text begins with the name of the end and a colon."""
    SWITCHED_OFF = 3
    """A judge was switched off; its text says why."""
    PRICED = 4
    """A listed price by which calls are paid; its text is JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """The state of the purse."""

    budget: Money
    spent: Money
    """Settled and presumed calls."""
    reserved: Money
    """The worst case of all calls under way, those of other processes included."""
    debt: Money = 0
    """What judges claimed above their worst cases and the budget could not bear yet."""

    @property
    def remaining(self) -> Money:
        """What can still be reserved; nothing while there is a debt, which makes it negative."""
        return self.budget - self.spent - self.reserved - self.debt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Entries:
    """Every call reserved, settled or presumed, oldest first, in columns of equal length."""

    call: IntArray
    """The number of the entry; it grows with time."""
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

    @classmethod
    def none(cls) -> Entries:
        """Nothing was ever asked."""
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
        """Those that are chosen, in the same order."""
        columns = {name: getattr(self, name)[chosen] for name in self.__slots__}
        return Entries(**columns)

    def plus(self, later: Entries) -> Entries:
        """These and the later ones."""
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
    """One call, as a report names it."""

    call: int
    item: str
    judge: str
    reason: Reason | None
    charged: Money
    excess: Money
    """What the judge claimed and the budget could not bear yet: a debt."""


class CallRow(NamedTuple):
    """One call with everything the ledger knows of it, refused ones included."""

    call: int
    item: int
    """The store's own number of the item."""
    judge: int
    """The store's own number of the judge."""
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
    """What the judge wrote, if texts were kept."""
    written_tokens: int | None
    """Prompt tokens that were written to the provider's cache."""
    detail: str | None
    """What the endpoint said where it gave no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """Who is at work on a ledger."""

    processes: int = 0
    """Living processes that have made calls."""
    calls: int = 0
    """Calls that they have under way."""
    abandoned: int = 0
    """Calls of processes that died; the next run presumes them billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """An event that the ledger keeps for people to read."""

    kind: NoteKind
    text: str
    at: int
    """Unix time."""
    judge: str | None
    """The judge's name, if it is about one."""
    judge_number: int | None
    """The store's own number of the judge."""
    run: str
    """The identity of the run that it is about; empty if it is about none."""
    call: int
    """The last call that was reserved before."""

    @property
    def words(self) -> str:
        """As people read it."""
        if self.kind is NoteKind.ENDED:
            return f"the run ended: {self.text.partition(':')[2].strip()}"
        if self.kind is NoteKind.PRICED:
            return "the listed price of a model is kept"
        return f"was switched off: {self.text}" if self.kind is NoteKind.SWITCHED_OFF else self.text
