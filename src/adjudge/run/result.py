"""What a live run gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate, Interval
from adjudge.core.people import PeopleEstimate
from adjudge.core.problem import Evidence, Problem
from adjudge.judges import Scale
from adjudge.records import Money, Reason
from adjudge.run.people import People
from adjudge.store import Balance, CallRecord, Note, NoteKind

_LONGEST = 200
"""Characters of what came back that a line shows."""


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
    """What came back; empty if nothing did, or if it was not kept."""
    remedy: str
    """What to change; empty if that is not known."""

    @property
    def sentences(self) -> str:
        """The words, shortened to a line, and what to change."""
        line = " ".join(self.words.split()).rstrip(".") or self.reason.words
        line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
        return f"{line}. What to change: {self.remedy}." if self.remedy else f"{line}."


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """What one judge did, in all runs and processes that wrote the ledger."""

    name: str
    answered: int
    scored: int
    presumed: int
    """Calls presumed billed."""
    spent: Money
    switched_off: str | None
    """Why it was switched off; None if it was not, or has answered since."""
    rejected_items: tuple[str, ...]
    """The items that it would not take."""
    refusals: Mapping[Reason, int]
    """Calls that cost nothing, by why."""
    complaint: Complaint | None = None
    """Of the last call that gave no score; None if all did."""
    unstated: int = 0
    """Answers that did not say what they cost, and were charged at their worst case."""

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why it was switched off, and what its last call without a score was; each thing once."""
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
    """Why the last run ended; None if it did not: it was killed, or is under way."""
    end_reason: str | None = None
    """The same in words; None if it did not end."""
    estimate: Estimate
    """Scores in [0, 1]."""
    evidence: Evidence
    problem: Problem
    """With the costs as they were learned."""
    scale: Scale
    """The scale of the scores."""
    judge_scale: Scale
    """The scale of what judges say; another one where scores are on the people's scale."""
    balance: Balance
    answered: IntArray
    """Calls answered; shape (K, J)."""
    scored: IntArray
    """Calls that gave a score; shape (K, J)."""
    spent: IntArray
    """Nano-dollars charged; shape (K, J)."""
    judges: tuple[JudgeSummary, ...]
    presumed: tuple[CallRecord, ...]
    """Every call presumed billed, by name."""
    overcharged: tuple[CallRecord, ...]
    """Every call for which a judge claimed more than its worst case."""
    notes: tuple[Note, ...]
    """Everything the ledger noted, oldest first: runs that began and ended, judges off."""
    rounds: int
    """Rounds of this run; 0 where a ledger was only looked at."""
    identity: str
    """A fingerprint of items, prompts, judges and scale."""
    people: People | None = None
    """What people say of some items; None if nobody said anything."""
    lacks_labels: bool = False
    """Whether scores on the people's scale are asked for and there is not one label."""

    @property
    def begun(self) -> bool:
        """Whether a run of this plan has ever begun; a probe is none."""
        return any(note.kind is NoteKind.BEGUN and note.run == self.identity for note in self.notes)

    @property
    def asked(self) -> BoolArray:
        """Which items have a score from a judge, or from people where these count; shape (K,)."""
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
        """Every item's score on the scale that was asked for; nan where no judge gave one."""
        return np.where(self.asked, self.filled_scores, np.nan)

    @property
    def filled_scores(self) -> FloatArray:
        """The same, with what the other items predict where no judge gave a score; shape (K,)."""
        return self.scale.from_unit(self.estimate.score)

    @property
    def panel_scores(self) -> FloatArray:
        """What the panel itself says, on the judges' scale; nan where no judge gave a score."""
        estimate = self.estimate
        own = estimate.panel if isinstance(estimate, PeopleEstimate) else estimate
        seen = np.any(self.scored, axis=1)
        return np.where(seen, self.judge_scale.from_unit(own.score), np.nan)

    def interval(self, level: float | None = None) -> Interval:
        """Every item's interval on the scale that was asked for."""
        unit = self.estimate.interval(level)
        return Interval(
            low=self.scale.from_unit(unit.low),
            high=self.scale.from_unit(unit.high),
            level=unit.level,
        )
