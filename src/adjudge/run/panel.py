"""What a run knows of each judge while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.judges import (
    EXPECTED,
    AnswersSeveral,
    CachesPrompts,
    Judge,
    RepeatsItself,
    form_of,
    remedy,
)
from adjudge.records import Item, Lost, Money, Outcome, Reason, Refused, Verdict
from adjudge.run.identity import Numbers
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.seen import Seen
from adjudge.run.throttle import Throttle
from adjudge.store import GroupCommit, NoteKind, Settlement, State

_UNREADABLE, _UNREADABLE_SHARE = 10, 0.03
"""First answers without a score after which a judge is taken to give none: so many, or this share
of the calls that its part of the money pays, whichever is less."""
_FEW_UNREADABLE = 3
"""No fewer than that; where there are few items, one for each."""


_SETTLED, _WITHDRAWN = State.SETTLED, Reason.WITHDRAWN
"""Read by every call: an enumeration looks its members up anew each time."""
_ABREAST = 32
"""Calls one after the other between two about the same item, at most, where prompts are cached."""
_RARELY, _ENOUGH_ANSWERS = 1 / 8, 40
"""A smaller share of so many answers or more with a score is too little to go on."""


class Panellist:
    """One judge in a run: its numbers, its prices, its throttle and what it would not take."""

    def __init__(
        self,
        plan: Plan,
        j: int,
        quotes: Quotes,
        numbers: Numbers,
        throttle: Throttle,
        *,
        money: Money,
    ):
        """`money` is what remains for all judges."""
        self.judge: Judge = plan.judges[j]
        self.throttle = throttle
        self.number = int(numbers.judges[j])
        self.attempts = plan.patience.attempts
        judge = self.judge
        self.asked_once = isinstance(judge, RepeatsItself) and judge.repeats_itself
        """Whether a second answer about an item is worth nothing."""
        self.rejected: BoolArray = np.zeros(len(plan.items), bool)
        """The items that it would not take; shape (K,)."""
        self._noted = self._straggled = self._sampled = False
        self._answered = self._scored = 0
        """Answers of this run, and those with a score."""
        self._raised = 0
        """Exceptions of a judge function before its first answer in this run."""
        self._raised_at: dict[int, int] = {}
        """For each item with an exception, how many answers there were before the first."""
        self._ask_again = plan.ask_again
        self._silent: list[int | None] = [0] * len(plan.items)
        """Answers about each item without a score; None once there was one."""
        count = len(plan.items)
        # No more answers than that will come where none of them has a score.
        most = count * (plan.ask_again + 1)
        share = money / len(plan.judges) / quotes.likely_of(j)
        few = max(min(count, round(_UNREADABLE_SHARE * share)), _FEW_UNREADABLE)
        self._patience = min(_UNREADABLE, few, most)
        self._most_raised = max(self._patience, plan.patience.attempts)
        self._items: Sequence[Item] = plan.items
        self._keep_texts = plan.keep_texts
        # Lists, because one element of a list is read faster than one of an array.
        self._numbers: list[int] = numbers.items[j].tolist()
        self._worst_cases: IntArray = quotes.most[:, j]
        self._most: list[int] = self._worst_cases.tolist()
        self._tokens: list[int] = quotes.tokens[:, j].tolist()
        self._following: IntArray = np.zeros((2, len(plan.items)), np.int64)
        self._j = j

    def begin_round(self, seen: Seen, phase: int, counts: IntArray) -> None:
        """Number further calls after those seen and those asked for, of shape (K,)."""
        self._following = seen.following[:, :, self._j].copy()
        self._following[phase] += counts
        answered, scored = seen.answered[:, self._j].tolist(), seen.scored[:, self._j].tolist()
        self._silent = [
            None if known else made for made, known in zip(answered, scored, strict=True)
        ]

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

    def answers_per_request(self) -> int:
        """How many calls about one item may go in one request."""
        judge = self.judge
        return judge.answers_per_request if isinstance(judge, AnswersSeveral) else 1

    def several_known(self) -> bool:
        """Whether the judge is known to take so many, and not yet to be tried."""
        judge = self.judge
        return judge.several_known if isinstance(judge, AnswersSeveral) else True

    def most_together(self, counts: IntArray, remaining: Money) -> int:
        """How many calls may share a request, by what remains, if these are made; shape (K,).

        A request takes at most half of the money when a round begins: else one of many calls would
        wait for the end of all others.
        """
        return max(remaining // (2 * int(self._worst_cases[counts > 0].max())), 1)

    @property
    def abreast(self) -> int:
        """Items whose repeats are sent before any call about others: soon enough to be cached."""
        judge = self.judge
        cached = isinstance(judge, CachesPrompts) and judge.caches_prompts
        return _ABREAST * judge.limits.concurrency if cached else len(self._items)

    def following(self, phase: int, k: int) -> int:
        """The ordinal of one more call."""
        ordinal = int(self._following[phase, k])
        self._following[phase, k] += 1
        return ordinal

    def given_up(self, k: int) -> bool:
        """Whether the item was asked again as often as it may be and never got a score."""
        silent = self._silent[k]
        return silent is not None and silent > self._ask_again

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

    def note_sampled(self, ledger: GroupCommit, note: str) -> None:
        """Have it written down, once, that not every score is a mean by log-probabilities."""
        if note != EXPECTED and not self._sampled:
            self._sampled = True
            text = f"not every score is a mean by log-probabilities ({note})"
            ledger.note(self.number, text, NoteKind.REMARK)

    def reason_to_switch_off(self, k: int, outcome: Outcome) -> str | None:
        """Why the judge is asked no more after this outcome of a call about item k, if so."""
        if isinstance(outcome, Refused):
            return None
        cost = outcome.cost
        if cost is not None and cost.input + cost.output > self._most[k]:
            return "billed more than the worst case of a call"
        if not isinstance(outcome, Verdict):
            return self._broken(outcome)
        self._hear(k, outcome)
        if outcome.surcharge or outcome.score is not None:
            return outcome.surcharge or None
        return self._unreadable(outcome)

    def _hear(self, k: int, verdict: Verdict) -> None:
        self._answered += 1
        silent = self._silent[k]
        if verdict.score is not None:
            self._scored += 1
            self._silent[k] = None
        elif silent is not None:
            self._silent[k] = silent + 1

    def _broken(self, outcome: Lost) -> str | None:
        """Why a judge function is taken to be broken after one more call without an answer."""
        if outcome.reason is not Reason.RAISED or self._answered:
            return None
        self._raised += 1
        if self._raised < self._most_raised:
            return None
        return f"raised an exception in each of its first {self._raised} calls ({outcome.detail})"

    def about_the_judge(self, k: int, outcome: Outcome | None) -> Outcome | None:
        """The outcome of a request about item k; None if it says nothing about the judge.

        An exception says nothing where waiting would not help: before the first answer, since the
        function is wrong, and about an item that had one before, never had a score, and was
        followed by answers about others. Any other may come from a server that the function calls.
        """
        if outcome is None or outcome.reason is not Reason.RAISED:
            return outcome
        answered_since = self._raised_at.setdefault(k, self._answered) < self._answered
        of_the_item = answered_since and self._silent[k] is not None
        return outcome if self._answered and not of_the_item else None

    def _unreadable(self, verdict: Verdict) -> str | None:
        """Why the judge is taken to give next to no scores after one more answer without."""
        answers = "answer" if self._answered == 1 else f"{self._answered} answers"
        if not self._scored and self._answered >= self._patience:
            found = f"gave no readable score in its first {answers}"
        elif self._answered >= _ENOUGH_ANSWERS and self._scored < _RARELY * self._answered:
            found = f"gave a readable score in {self._scored} of {answers} only"
        else:
            return None
        said = f' Last answer: "{_shortened(verdict.text)}".' if verdict.text else ""
        change = remedy(verdict.reason, form=form_of(self.judge))
        advice = f" What to change: {change}" if change else ""
        return f"{found}.{said}{advice}".rstrip(".")

    def settlement(self, call: int, outcome: Outcome) -> Settlement:
        """The entry that this outcome makes in the ledger."""
        if isinstance(outcome, Verdict):
            return Settlement(
                call,
                _SETTLED,
                outcome.reason,
                outcome.cost,
                outcome.score,
                outcome.prompt_tokens,
                outcome.cached_tokens,
                outcome.output_tokens,
                outcome.text if self._keep_texts else None,
                outcome.written_tokens,
                outcome.note or None,
            )
        if isinstance(outcome, Refused):
            return Settlement(call, State.REFUSED, outcome.reason, detail=outcome.detail)
        assert isinstance(outcome, Lost)
        return Settlement(call, State.PRESUMED, outcome.reason, outcome.cost, detail=outcome.detail)


def request_outcome(outcomes: Sequence[Outcome]) -> Outcome | None:
    """How a request ended, by how its calls did; None if that says nothing about the judge."""
    first = outcomes[0] if outcomes else None
    if first is None or first.reason is _WITHDRAWN:
        return None
    if len(outcomes) == 1 or not isinstance(first, Verdict):
        return first
    verdicts = [one for one in outcomes if isinstance(one, Verdict)]
    return replace(
        first,
        prompt_tokens=sum(one.prompt_tokens or 0 for one in verdicts) or None,
        output_tokens=sum(one.output_tokens or 0 for one in verdicts),
    )


def _shortened(text: str, longest: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
