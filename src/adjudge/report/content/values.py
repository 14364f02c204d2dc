"""What a report says, as plain values: no markup, scores on the user's scale, whole money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from adjudge.records import Money
from adjudge.report.content.people_values import FigureLine, PeopleCard
from adjudge.report.content.setup import Setup


class Weight(StrEnum):
    """How much a notice matters."""

    TROUBLE = "trouble"
    """Something went wrong that the reader has to act on."""
    CAUTION = "caution"
    """Numbers are less certain than they look."""
    NOTE = "note"


class Counsel(StrEnum):
    """What to do with a judge."""

    KEEP = "keep"
    DROP = "drop it"
    MEND = "fix it"
    WAIT = "too early to say"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A claim that the run had to support, and what became of it."""

    text: str
    """As it was written."""
    outcome: str
    """`passed`, `failed` or `inconclusive`."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something the reader should know, in a sentence or two."""

    weight: Weight
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleLine:
    """The scale that scores are on."""

    low: float
    high: float
    digits: int
    """Decimals that its scores are shown with."""
    words: str

    @property
    def width(self) -> float:
        """From the lowest to the highest score."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the run was asked to find."""

    items: int
    groups: int
    judges: tuple[str, ...]
    strategy: str
    norm: float
    confidence: float
    target: str | None
    """What a score means; None where the strategy does not say."""
    end: str
    """Why the last run ended."""
    identity: str
    """A fingerprint of items, prompts, judges and scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedCall:
    """A call that a report names: one presumed billed, or billed above its worst case."""

    item: str
    judge: str
    reason: str
    charged: Money
    excess: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What it cost."""

    budget: Money
    spent: Money
    elsewhere: Money
    """That part of it which went to other items, prompts or judges through the same ledger."""
    reserved: Money
    """For calls under way."""
    calls: int
    """Calls that were paid: answered or presumed billed."""
    scored: int
    without_score: int
    """Answers that were paid and held no usable score."""
    presumed: int
    presumed_cost: Money
    refused: int
    """Calls that were not taken and cost nothing."""
    named: tuple[NamedCall, ...]
    """The first calls that were presumed billed or overcharged."""

    @property
    def share(self) -> float:
        """Spent, of the budget."""
        return self.spent / self.budget if self.budget else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """An interval."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLine:
    """The mean score of a group of items."""

    name: str
    items: int
    unasked: int
    """Items without a score; they do not count."""
    mean: float | None
    """None if none of its items was asked."""
    interval: Range | None
    """Of the mean over these very items; None where the strategy does not give it."""
    beyond: Range | None
    """Of the mean over all items of their kind, of which these are a random sample."""
    level_with_first: bool
    """Whether it cannot be told apart from the group with the highest mean, or is that group."""
    panel_mean: float | None = None
    """The mean of the panel's own scores, where the scores are on the people's scale."""
    labelled: int | None = None
    """Labelled items that the mean rests on; None where people do not count."""
    lent: bool = False
    """Whether it has too few labels of its own, and rests on those of other groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceLine:
    """The mean of one group less that of another."""

    first: str
    second: str
    mean: float
    interval: Range
    beyond: Range | None
    pairs: int
    """Pairs of items with the same prompt that it rests on; 0 if the groups were compared whole."""
    left_out: int
    """Scored items of the two groups that are in no such pair, and count in their means alone."""
    told_apart: bool
    holds_beyond: bool
    """Whether they are told apart for all items of their kind, too."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do with a judge, and why."""

    counsel: Counsel
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """One judge: what it is like, what it cost, what its money bought."""

    name: str
    weight: float
    """Its share in the panel's score, as was asked for."""
    calls: int
    """Paid ones."""
    call_share: float
    spent: Money
    money_share: float
    price: float
    """Mean price of a call; what is expected where none was made."""
    scored: int
    without_score: int
    presumed: int
    refusals: tuple[tuple[str, int], ...]
    """Calls that cost nothing, by why, most frequent first."""
    rejected: int
    """Items that it would not take."""
    offset: float | None
    """How far above the panel's mean it scores; None, as the next three, where it is not known."""
    noise: float | None
    """Standard deviation of its calls on one item."""
    deviation: float | None
    """Standard deviation, over items, of its long-run answer from the panel's."""
    fall_per_dollar: float | None
    """Reduction of a score's variance by its first call, per dollar."""
    buys: float | None
    """The same, as a share of the best judge's."""
    never_asked: str | None
    """Why no call was made to it; None if one was."""
    guarded: bool
    """Whether it was left out of the score as uninformative."""
    astray: bool
    """Whether its answers are uncorrelated with the others'."""
    switched_off: str | None
    complaint: str | None
    """What its last call without a score came back with, and what to change; None without one."""
    troubles: tuple[str, ...]
    """Both as sentences, without repetition."""
    advice: Advice
    people: FigureLine | None = None
    """How far it agrees with people; None where that is not known."""
    people_share: float | None = None
    """Its share in what people are predicted to say; None where people do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a judge said of an item, once or several times."""

    judge: str
    score: float | None
    trouble: str
    """Why there is no score; empty if there is one."""
    times: int
    """How often it said just this."""
    charged: Money
    """For all of these."""
    text: str
    """Its reason, as far as it was kept and shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """One item."""

    id: str
    group: str | None
    score: float | None
    """None if no judge scored it."""
    interval: Range
    """If no judge scored it, where the other items' scores predict its own."""
    calls: int
    spent: Money
    asked: bool
    """Whether any judge scored it."""
    prompt: str
    response: str
    reference: str | None
    answers: tuple[Answer, ...]
    further_answers: int
    """Answers that there is no room for."""
    label: float | None = None
    """What people said, on average; None if nothing."""
    panel_score: float | None = None
    """The panel's own score, on the judges' scale, where the score is on the people's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationGrid:
    """Mean number of calls per item, of items in the order of their scores."""

    judges: tuple[str, ...]
    calls: tuple[tuple[float, ...], ...]
    """For each judge, for each bin of items."""
    items_per_bin: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """One item in the picture of intervals."""

    id: str
    group: str | None
    score: float
    interval: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """Precision after an amount of money."""

    spent: Money
    calls: int
    error: float
    """Predicted error of an item, averaged in the norm."""
    mean_width: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContent:
    """Everything that a report says."""

    title: str
    made: datetime
    version: str
    headline: str
    asked: Asked
    scale: ScaleLine
    bill: Bill
    gates: tuple[GateLine, ...]
    notices: tuple[Notice, ...]
    overall: GroupLine
    """All items together."""
    groups: tuple[GroupLine, ...]
    """Highest mean first; empty if the items have none."""
    groups_left_out: int
    group_digits: int
    """Decimals that means of groups and their differences are shown with."""
    differences: tuple[DifferenceLine, ...]
    judges: tuple[JudgeCard, ...]
    independent_votes: float | None
    """Number of independent judges that the panel is worth; None if unknown."""
    mean_width: float
    """Of all items' intervals."""
    error: float
    """Predicted error of an item, averaged in the norm."""
    curve: tuple[CurvePoint, ...]
    spots: tuple[Spot, ...]
    """Items in the order of their scores, evenly chosen if there are many."""
    allocation: AllocationGrid
    items: tuple[ItemLine, ...]
    """All items, or a sample of them; highest score first."""
    setup: Setup
    """How the judges were asked; empty where that was not given."""
    texts_kept: bool
    """Whether any judge's words were kept."""
    people: PeopleCard | None = None
    """What people said; None if nothing."""
    whose_scale: str | None = None
    """Whose scale the scores are on, as a sentence; None if nobody labelled anything."""
