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
"""A judge is switched off if its first answers have no score: after this many, or after this share
of the calls that its part of the money pays for, whichever is less."""
_FEW_UNREADABLE = 3
"""Lower bound on that number, unless there are fewer possible answers."""


_SETTLED, _WITHDRAWN = State.SETTLED, Reason.WITHDRAWN
"""Constants, because every call reads them and each lookup in an enumeration takes time."""
_ABREAST = 32
"""If prompts are cached: most calls that a slot makes between two about the same item."""
_RARELY, _ENOUGH_ANSWERS = 1 / 8, 40
"""A judge is switched off if, after this many answers, fewer than this share have a score."""


class Panellist:
    """One judge in a run: its ledger numbers, prices, throttle and rejected items."""

    def __init__(
        self,
        plan: Plan,
        j: int,
        quotes: Quotes,
        numbers: Numbers,
        throttle: Throttle,
        *,
        money: Money,
        noted: bool,
    ):
        """Set up the judge.

        `money` is what remains for all judges. `noted`: whether the ledger records that the judge
        was switched off.
        """
        self.judge: Judge = plan.judges[j]
        self.throttle = throttle
        self.number = int(numbers.judges[j])
        self.attempts = plan.patience.attempts
        judge = self.judge
        self.asked_once = isinstance(judge, RepeatsItself) and judge.repeats_itself
        """Whether the judge is deterministic: a second answer about an item is worth nothing."""
        self.rejected: BoolArray = np.zeros(len(plan.items), bool)
        """The items that the judge rejected; shape (K,)."""
        self._noted = not noted
        self._straggled = self._sampled = False
        self._answered = self._scored = 0
        """Answers in this run, and how many of them have a score."""
        self._raised = 0
        """Exceptions of a judge function before its first answer in this run."""
        self._raised_at: dict[int, int] = {}
        """For each item with an exception: number of answers before the first exception."""
        self._ask_again = plan.ask_again
        self._silent: list[int | None] = [0] * len(plan.items)
        """Number of answers about each item, all without a score; None once one has a score."""
        count = len(plan.items)
        # The number of answers if none of them has a score.
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
        """Set the ordinals of extra calls: they follow the calls seen and `counts`, shape (K,)."""
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
        """Approximate number of tokens of a call about this item."""
        return self._tokens[k]

    def answers_per_request(self) -> int:
        """Most calls about one item that may share a request."""
        judge = self.judge
        return judge.answers_per_request if isinstance(judge, AnswersSeveral) else 1

    def several_known(self) -> bool:
        """Whether `answers_per_request` is known; if not, it must be tried."""
        judge = self.judge
        return judge.several_known if isinstance(judge, AnswersSeveral) else True

    def most_together(self, counts: IntArray, remaining: Money) -> int:
        """Most calls that may share a request, given the remaining money; `counts` has shape (K,).

        A request may take at most half of the money at the start of a round. Otherwise a request
        of many calls would have to wait until all other calls have ended.
        """
        return max(remaining // (2 * int(self._worst_cases[counts > 0].max())), 1)

    @property
    def abreast(self) -> int:
        """Number of items asked in turn, with all repeats, before the next items.

        Few if the judge caches prompts, so that repeats come while the prompt is still cached.
        """
        judge = self.judge
        cached = isinstance(judge, CachesPrompts) and judge.caches_prompts
        return _ABREAST * judge.limits.concurrency if cached else len(self._items)

    def following(self, phase: int, k: int) -> int:
        """The ordinal of an extra call."""
        ordinal = int(self._following[phase, k])
        self._following[phase, k] += 1
        return ordinal

    def given_up(self, k: int) -> bool:
        """Whether the item has used up its repeats without getting a score."""
        silent = self._silent[k]
        return silent is not None and silent > self._ask_again

    def reject(self, k: int) -> None:
        """Mark the item as rejected: it is not asked about again."""
        self.rejected[k] = True

    def note_if_off(self, ledger: GroupCommit) -> None:
        """Note in the ledger, once, that the judge was switched off."""
        if self.throttle.off is not None and not self._noted:
            self._noted = True
            ledger.note(self.number, self.throttle.off, NoteKind.SWITCHED_OFF)

    def note_straggling(self, ledger: GroupCommit, seconds: float) -> None:
        """Note in the ledger, once, that the others went on without the judge."""
        if not self._straggled:
            self._straggled = True
            text = f"no answer for {seconds:.1f} s: the other judges went on without it"
            ledger.note(self.number, text, NoteKind.REMARK)

    def note_sampled(self, ledger: GroupCommit, note: str) -> None:
        """Note in the ledger, once, that not every score is a mean by log-probabilities."""
        if note != EXPECTED and not self._sampled:
            self._sampled = True
            text = f"not every score is a mean by log-probabilities ({note})"
            ledger.note(self.number, text, NoteKind.REMARK)

    def reason_to_switch_off(self, k: int, outcome: Outcome) -> str | None:
        """Why this outcome of a call about item k switches the judge off; None if it does not."""
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
        """Why the judge function counts as broken after this lost call; None if it does not."""
        if outcome.reason is not Reason.RAISED or self._answered:
            return None
        self._raised += 1
        if self._raised < self._most_raised:
            return None
        return f"raised an exception in each of its first {self._raised} calls ({outcome.detail})"

    def about_the_judge(self, k: int, outcome: Outcome | None) -> Outcome | None:
        """The outcome of a request about item k; None if it says nothing about the judge's health.

        An exception says nothing if waiting would not help. This is so before the first answer,
        since the function itself is wrong. It is also so for an item without a score that raised
        before, if the judge has answered about other items since. Any other exception may come
        from a server that the function calls.
        """
        if outcome is None or outcome.reason is not Reason.RAISED:
            return outcome
        answered_since = self._raised_at.setdefault(k, self._answered) < self._answered
        of_the_item = answered_since and self._silent[k] is not None
        return outcome if self._answered and not of_the_item else None

    def _unreadable(self, verdict: Verdict) -> str | None:
        """Why the judge is switched off after another answer without a score; None if it is not."""
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
        """The ledger entry for this outcome."""
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
    """The outcome of a request, from its calls' outcomes; None if it says nothing of the judge."""
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
