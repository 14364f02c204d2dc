"""The result of a plan, from what its ledger holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, IntArray
from adjudge.core.problem import Problem
from adjudge.judges import AnswersSeveral, RepeatsItself, form_of, remedy
from adjudge.records import Reason
from adjudge.run.identity import Numbers
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.result import Complaint, End, JudgeSummary, Result
from adjudge.run.seen import Seen
from adjudge.store import Balance, CallRecord, CallRow, Entries, Note, NoteKind, State, View


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Books:
    """Everything in a ledger that a result needs."""

    entries: Entries
    """Calls that have ended and are paid."""
    balance: Balance
    notes: Sequence[Note]
    refusals: Mapping[tuple[int, Reason], int]
    rejected: IntArray
    complaints: Mapping[int, CallRow]
    """Each judge's last call without a score, by the judge's number."""
    presumed: Sequence[CallRecord]
    overcharged: Sequence[CallRecord]

    @classmethod
    def read(cls, view: View, entries: Entries) -> Books:
        """The current books; `entries` were read from the same ledger."""
        return cls(
            entries=entries.where(entries.state != State.RESERVED),
            balance=view.balance(),
            notes=view.notes(),
            refusals=view.refusals(),
            rejected=view.rejected(),
            complaints=view.complaints(),
            presumed=view.presumed(),
            overcharged=view.overcharged(),
        )

    def end_of(self, run: str) -> tuple[End | None, str | None]:
        """Why the last run of this identity ended, also in words; None if it did not end."""
        marks = [
            note
            for note in self.notes
            if note.run == run and note.kind in (NoteKind.BEGUN, NoteKind.ENDED)
        ]
        if not marks or marks[-1].kind is NoteKind.BEGUN:
            return None, None
        name, _, words = marks[-1].text.partition(":")
        return End[name], words.strip()

    def switched_off(self, judge: int) -> str | None:
        """Why this judge was switched off; None if it was not, or has answered since."""
        offs = [
            note
            for note in self.notes
            if note.kind is NoteKind.SWITCHED_OFF and note.judge_number == judge
        ]
        if not offs:
            return None
        later = self.entries.call > offs[-1].call
        answered = self.entries.state == State.SETTLED
        again = (later & answered & (self.entries.judge == judge)).any()
        return None if again else offs[-1].text

    def refusals_of(self, judge: int) -> dict[Reason, int]:
        """Number of sent calls that this judge refused, by reason."""
        return {
            reason: count
            for (number, reason), count in self.refusals.items()
            if number == judge and reason is not Reason.WITHDRAWN
        }


def result_of(
    plan: Plan,
    quotes: Quotes,
    numbers: Numbers,
    books: Books,
    *,
    end: End | None,
    end_reason: str | None = None,
    rounds: int = 0,
    rejected: BoolArray | None = None,
) -> Result:
    """The plan's result from the books; `rejected` are known rejected pairs; shape (K, J)."""
    seen = Seen.of(books.entries, numbers, plan.scale, quotes.most_output)
    problem = problem_of(plan, quotes, seen)
    refused = np.zeros(seen.answered.shape, bool) if rejected is None else rejected.copy()
    row, column, _ = numbers.places(books.rejected[:, 0], books.rejected[:, 1])
    refused[row, column] = True
    refused &= seen.answered == 0
    return Result(
        end=end,
        end_reason=end_reason,
        estimate=plan.strategy.estimate(problem, seen.evidence),
        evidence=seen.evidence,
        problem=problem,
        scale=plan.score_scale,
        judge_scale=plan.scale,
        people=plan.people,
        lacks_labels=plan.lacks_labels,
        balance=books.balance,
        answered=seen.answered,
        scored=seen.scored,
        spent=seen.spent,
        judges=tuple(
            _summary(plan, j, numbers, seen, books, refused=refused[:, j])
            for j in range(len(plan.judges))
        ),
        presumed=tuple(books.presumed),
        overcharged=tuple(books.overcharged),
        notes=tuple(books.notes),
        rounds=rounds,
        identity=numbers.identity,
    )


def problem_of(plan: Plan, quotes: Quotes, seen: Seen) -> Problem:
    """The plan as strategies see it, with the learned costs."""
    judges = plan.judges
    together = [one.answers_per_request if isinstance(one, AnswersSeveral) else 1 for one in judges]
    problem = Problem.of(
        quotes.expected(seen),
        norm=plan.norm,
        confidence=plan.confidence,
        weights=plan.weights,
        groups=_groups(plan),
        yes_or_no=plan.scale.yes_or_no,
        noiseless=[isinstance(one, RepeatsItself) and one.repeats_itself for one in judges],
        labels=None if plan.people is None else plan.people.of_items(plan.items),
    )
    return replace(problem, requests=quotes.requests(seen, np.array(together)))


def _groups(plan: Plan) -> IntArray:
    """Each item's group as a number; items without a group share one; shape (K,)."""
    names = list(dict.fromkeys(item.group for item in plan.items))
    number = {name: place for place, name in enumerate(names)}
    return np.array([number[item.group] for item in plan.items], np.int64)


def _summary(
    plan: Plan, j: int, numbers: Numbers, seen: Seen, books: Books, *, refused: BoolArray
) -> JudgeSummary:
    number = int(numbers.judges[j])
    return JudgeSummary(
        name=plan.judges[j].name,
        answered=int(seen.answered[:, j].sum()),
        scored=int(seen.scored[:, j].sum()),
        presumed=int(seen.presumed[:, j].sum()),
        unstated=int(seen.unstated[:, j].sum()),
        spent=int(seen.spent[:, j].sum()),
        switched_off=books.switched_off(number),
        rejected_items=tuple(plan.items[k].id for k in np.flatnonzero(refused).tolist()),
        refusals=books.refusals_of(number),
        complaint=_complaint(books.complaints.get(number), form_of(plan.judges[j])),
    )


def _complaint(call: CallRow | None, form: str) -> Complaint | None:
    if call is None or call.reason is None:
        return None
    change = remedy(call.reason, call.detail or "", form=form)
    return Complaint(reason=call.reason, words=call.detail or call.text or "", remedy=change)
