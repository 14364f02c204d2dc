"""The result of a live run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate, Interval
from adjudge.core.evidence import Evidence
from adjudge.core.people import PeopleEstimate
from adjudge.core.problem import Problem
from adjudge.judges import Scale
from adjudge.records import Money, Reason
from adjudge.run.people import People
from adjudge.store import Balance, CallRecord, Note, NoteKind

_LONGEST = 200
"""Most characters of a reply in one line."""


class End(StrEnum):
    """Why a run ended."""

    DONE = "the strategy needs no more calls"
    BUDGET = "the rest of the budget does not cover the worst case of the next call"
    JUDGES_OFF = "every judge that could be asked is switched off"
    STOPPED = "the run was stopped"
    ENOUGH = "what was asked for is known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """Why a call gave no score, in the words of the endpoint or of the judge."""

    reason: Reason
    words: str
    """The reply; empty if there was none, or if it was not kept."""
    remedy: str
    """What to change; empty if unknown."""

    @property
    def sentences(self) -> str:
        """The reply, shortened to a line, and what to change."""
        line = " ".join(self.words.split()).rstrip(".") or self.reason.words
        line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
        return f"{line}. What to change: {self.remedy}." if self.remedy else f"{line}."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """One judge's calls, in all runs and processes that wrote the ledger."""

    name: str
    answered: int
    scored: int
    presumed: int
    """Calls presumed billed."""
    spent: Money
    switched_off: str | None
    """Why it was switched off; None if it was not, or has answered since."""
    rejected_items: tuple[str, ...]
    """The items that it rejected."""
    refusals: Mapping[Reason, int]
    """Number of calls that cost nothing, by reason."""
    complaint: Complaint | None = None
    """The complaint of the last call without a score; None if every call gave a score."""
    unstated: int = 0
    """Answers that did not state their cost, and were charged the worst case."""

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why it was switched off, and the last complaint, without repetition."""
        off, said = self.switched_off, self.complaint
        if off is None:
            return () if said is None else (said.sentences,)
        if said is None or (said.remedy and said.remedy in off):
            return (f"{off}.",)
        why, words = " ".join(off.split()), " ".join(said.words.split())
        if why in words:
            return (said.sentences,)
        if words and words in why:
            return (f"{off}. What to change: {said.remedy}." if said.remedy else f"{off}.",)
        return f"{off}.", said.sentences

    @property
    def without_score(self) -> int:
        """Answers that were billed and gave no score."""
        return self.answered - self.scored


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Result:
    """The scores, and what they cost."""

    end: End | None
    """Why the last run ended; None if it was killed or is still under way."""
    end_reason: str | None = None
    """The same in words."""
    estimate: Estimate
    """Scores in [0, 1]."""
    evidence: Evidence
    problem: Problem
    """The problem, with the learned costs."""
    scale: Scale
    """The scale of the scores."""
    judge_scale: Scale
    """The judges' scale; differs from `scale` if scores are on the people's scale."""
    balance: Balance
    answered: IntArray
    """Calls answered; shape (K, J)."""
    scored: IntArray
    """Calls that gave a score; shape (K, J)."""
    spent: IntArray
    """Nano-dollars charged; shape (K, J)."""
    judges: tuple[JudgeSummary, ...]
    presumed: tuple[CallRecord, ...]
    """Every call presumed billed."""
    overcharged: tuple[CallRecord, ...]
    """Every call billed above its worst case."""
    notes: tuple[Note, ...]
    """All notes in the ledger, oldest first: runs begun and ended, judges switched off."""
    rounds: int
    """Rounds of this run; 0 if the ledger was only read."""
    identity: str
    """A fingerprint of items, prompts, judges and scale."""
    people: People | None = None
    """People's labels of some items; None if there are none."""
    lacks_labels: bool = False
    """Whether scores on the people's scale are asked for, but there is no label."""

    @property
    def begun(self) -> bool:
        """Whether a run of this plan has ever begun; a probe does not count."""
        return any(note.kind is NoteKind.BEGUN and note.run == self.identity for note in self.notes)

    @property
    def asked(self) -> BoolArray:
        """Items with a score from a judge, or with a label if `anchored`; shape (K,)."""
        found: BoolArray = np.any(self.scored, axis=1)
        if isinstance(self.estimate, PeopleEstimate):
            found = found | self.estimate.labels.is_labelled
        return found

    @property
    def anchored(self) -> bool:
        """Whether scores are on the people's scale."""
        return isinstance(self.estimate, PeopleEstimate)

    @property
    def scores(self) -> FloatArray:
        """Every item's score, on `scale`; nan for items that are not `asked`; shape (K,)."""
        return np.where(self.asked, self.filled_scores, np.nan)

    @property
    def filled_scores(self) -> FloatArray:
        """The same, with predictions from the other items instead of nan; shape (K,)."""
        return self.scale.from_unit(self.estimate.score)

    @property
    def panel_scores(self) -> FloatArray:
        """The panel's own scores, on the judges' scale; nan where no judge gave one; shape (K,)."""
        estimate = self.estimate
        own = estimate.panel if isinstance(estimate, PeopleEstimate) else estimate
        seen = np.any(self.scored, axis=1)
        return np.where(seen, self.judge_scale.from_unit(own.score), np.nan)

    def interval(self, level: float | None = None) -> Interval:
        """Every item's interval, on `scale`."""
        unit = self.estimate.interval(level)
        return Interval(
            low=self.scale.from_unit(unit.low),
            high=self.scale.from_unit(unit.high),
            level=unit.level,
        )
