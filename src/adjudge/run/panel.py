"""What a run knows of each judge while it runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.judges import Judge
from adjudge.records import Item, Lost, Money, Outcome, Refused, Verdict
from adjudge.run.identity import Numbers
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.seen import Seen
from adjudge.run.throttle import Throttle
from adjudge.store import GroupCommit, Settlement, State


class Panellist:
    """One judge in a run: its numbers, its prices, its throttle and what it would not take."""

    def __init__(self, plan: Plan, j: int, quotes: Quotes, numbers: Numbers, throttle: Throttle):
        self.judge: Judge = plan.judges[j]
        self.throttle = throttle
        self.number = int(numbers.judges[j])
        self.attempts = plan.patience.attempts
        self.rejected: BoolArray = np.zeros(len(plan.items), bool)
        """The items that it would not take; shape (K,)."""
        self._noted = False
        self._items: Sequence[Item] = plan.items
        self._keep_texts = plan.keep_texts
        # Lists, because one element of a list is read faster than one of an array.
        self._numbers: list[int] = numbers.items[j].tolist()
        self._most: list[int] = quotes.most[:, j].tolist()
        self._tokens: list[int] = quotes.tokens[:, j].tolist()
        self._following: IntArray = np.zeros((2, len(plan.items)), np.int64)
        self._j = j

    def begin_round(self, seen: Seen, phase: int, counts: IntArray) -> None:
        """Number further calls after those seen and those asked for, of shape (K,)."""
        self._following = seen.following[:, :, self._j].copy()
        self._following[phase] += counts

    def item(self, k: int) -> Item:
        """The item of this row."""
        return self._items[k]

    def item_number(self, k: int) -> int:
        """The store's number of the item, as this judge reads it."""
        return self._numbers[k]

    def most(self, k: int) -> Money:
        """The worst case of a call about this item."""
        return self._most[k]

    def tokens(self, k: int) -> int:
        """About as many tokens as a call about this item uses."""
        return self._tokens[k]

    def following(self, phase: int, k: int) -> int:
        """The ordinal of one more call."""
        ordinal = int(self._following[phase, k])
        self._following[phase, k] += 1
        return ordinal

    def reject(self, k: int) -> None:
        """Ask no more about this item."""
        self.rejected[k] = True

    def note_if_off(self, ledger: GroupCommit) -> None:
        """Have it written down, once, that the judge was switched off."""
        if self.throttle.off is not None and not self._noted:
            self._noted = True
            ledger.note_switched_off(self.number, self.throttle.off)

    def overran(self, k: int, verdict: Verdict) -> bool:
        """Whether it was billed above what was taken for its worst case."""
        return verdict.cost is not None and verdict.cost.total > self._most[k]

    def settlement(self, call: int, outcome: Outcome) -> Settlement:
        """The entry that this outcome makes in the ledger."""
        if isinstance(outcome, Verdict):
            return Settlement(
                call,
                State.SETTLED,
                outcome.reason,
                outcome.cost,
                outcome.score,
                outcome.prompt_tokens,
                outcome.cached_tokens,
                outcome.output_tokens,
                outcome.text if self._keep_texts else None,
            )
        if isinstance(outcome, Refused):
            return Settlement(call, State.REFUSED, outcome.reason)
        assert isinstance(outcome, Lost)
        return Settlement(call, State.PRESUMED, outcome.reason)
