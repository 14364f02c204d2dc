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
from adjudge.store import GroupCommit, NoteKind, Settlement, State

_UNREADABLE = 10
"""First answers without a score after which a judge is taken to give none."""


class Panellist:
    """One judge in a run: its numbers, its prices, its throttle and what it would not take."""

    def __init__(self, plan: Plan, j: int, quotes: Quotes, numbers: Numbers, throttle: Throttle):
        self.judge: Judge = plan.judges[j]
        self.throttle = throttle
        self.number = int(numbers.judges[j])
        self.attempts = plan.patience.attempts
        self.rejected: BoolArray = np.zeros(len(plan.items), bool)
        """The items that it would not take; shape (K,)."""
        self._noted = self._straggled = False
        self._unscored: int | None = 0
        """Answers of this run before the first score; None once there was one."""
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
            ledger.note(self.number, self.throttle.off, NoteKind.SWITCHED_OFF)

    def note_straggling(self, ledger: GroupCommit, seconds: float) -> None:
        """Have it written down, once, that the others went on without the judge."""
        if not self._straggled:
            self._straggled = True
            text = f"no answer for {seconds:.1f} s: the other judges went on without it"
            ledger.note(self.number, text, NoteKind.REMARK)

    def reason_to_switch_off(self, k: int, outcome: Outcome) -> str | None:
        """Why the judge is asked no more after this outcome of a call about item k, if so."""
        if isinstance(outcome, Refused):
            return None
        if outcome.cost is not None and outcome.cost.total > self._most[k]:
            return "billed more than the worst case of a call"
        if not isinstance(outcome, Verdict):
            return None
        return outcome.surcharge or self._unreadable(outcome)

    def _unreadable(self, verdict: Verdict) -> str | None:
        """Why the judge is taken to give no scores; None once it gave one."""
        if verdict.score is not None or self._unscored is None:
            self._unscored = None
            return None
        self._unscored += 1
        if self._unscored < _UNREADABLE:
            return None
        said = f'Last answer: "{_shortened(verdict.text)}". ' if verdict.text else ""
        return (
            f"gave no readable score in its first {self._unscored} answers. {said}"
            "Ask for JSON (response_format: json_object), raise max_tokens, or use another model"
        )

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
                outcome.written_tokens,
            )
        if isinstance(outcome, Refused):
            return Settlement(call, State.REFUSED, outcome.reason, detail=outcome.detail)
        assert isinstance(outcome, Lost)
        return Settlement(call, State.PRESUMED, outcome.reason, outcome.cost, detail=outcome.detail)


def _shortened(text: str, longest: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
