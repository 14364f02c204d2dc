"""The content of a report as plain values: no markup, scores on the user's scale, integer money."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from adjudge.records import Money
from adjudge.report.content.people_values import FigureLine, PeopleCard
from adjudge.report.content.setup import Setup


class Weight(StrEnum):
    """The severity of a notice."""

    TROUBLE = "trouble"
    """Something went wrong, and the reader must act."""
    CAUTION = "caution"
    """Some numbers are less certain than they look."""
    NOTE = "note"


class Counsel(StrEnum):
    """What to do with a judge."""

    KEEP = "keep"
    DROP = "drop it"
    MEND = "fix it"
    WAIT = "too early to say"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """A gate and its outcome."""

    text: str
    """The gate as written."""
    outcome: str
    """`passed`, `failed` or `inconclusive`."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A warning or note for the reader, in one or two sentences."""

    weight: Weight
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleLine:
    """The scale of the scores."""

    low: float
    high: float
    digits: int
    """Decimals of a shown score."""
    words: str

    @property
    def width(self) -> float:
        """Highest minus lowest score."""
        return self.high - self.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the run was asked to estimate."""

    items: int
    groups: int
    judges: tuple[str, ...]
    strategy: str
    norm: float
    confidence: float
    target: str | None
    """What a score means; None if the strategy does not say."""
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
    """The costs."""

    budget: Money
    spent: Money
    elsewhere: Money
    """Part of the spend that went to other items, prompts or judges through the same ledger."""
    reserved: Money
    """Reserved for calls under way."""
    calls: int
    """Paid calls: answered or presumed billed."""
    scored: int
    without_score: int
    """Paid answers without a usable score."""
    presumed: int
    presumed_cost: Money
    refused: int
    """Refused calls, which cost nothing."""
    named: tuple[NamedCall, ...]
    """The first calls presumed billed or overcharged."""

    @property
    def share(self) -> float:
        """Spent share of the budget."""
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
    """None if no item of the group has a score."""
    interval: Range | None
    """Interval of the mean over exactly these items; None if the strategy gives none."""
    beyond: Range | None
    """Interval of the population mean, if these items are a random sample of the population."""
    level_with_first: bool
    """Whether the group is the first, or not significantly different from it."""
    panel_mean: float | None = None
    """Mean of the panel's own scores, if scores are on the people's scale."""
    labelled: int | None = None
    """Number of labelled items behind the mean; None if labels do not count."""
    lent: bool = False
    """Whether the group has too few labels, so that it uses those of other groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceLine:
    """The mean of the first group minus that of the second."""

    first: str
    second: str
    mean: float
    interval: Range
    beyond: Range | None
    pairs: int
    """Number of pairs with the same prompt that are compared; 0 if the groups' means are."""
    left_out: int
    """Scored items of the two groups without such a partner; they count only in the means."""
    told_apart: bool
    holds_beyond: bool
    """Whether the difference is significant for the population of such items, too."""
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What to do with a judge, and why."""

    counsel: Counsel
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCard:
    """One judge: its properties, its costs, and what its money bought."""

    name: str
    weight: float
    """The judge's share in the panel's score, as configured."""
    calls: int
    """Paid calls."""
    call_share: float
    spent: Money
    money_share: float
    price: float
    """Mean price of a call; the expected price if none was made."""
    scored: int
    without_score: int
    presumed: int
    refusals: tuple[tuple[str, int], ...]
    """Number of calls that cost nothing, by reason, most frequent first."""
    rejected: int
    """Number of items that it rejected."""
    offset: float | None
    """Mean difference from the panel's mean; this and the next three are None if unknown."""
    noise: float | None
    """Standard deviation of repeated calls on one item."""
    deviation: float | None
    """Standard deviation, over items, of its long-run answer minus the panel's."""
    fall_per_dollar: float | None
    """Reduction of a score's variance by the judge's first call, per dollar."""
    buys: float | None
    """The same, as a share of the best judge's; None for a judge without scores or switched off."""
    never_asked: str | None
    """Why no call was made; None if there was one."""
    guarded: bool
    """Whether it was left out of the score as uninformative."""
    astray: bool
    """Whether its answers are uncorrelated with the other judges' answers."""
    switched_off: str | None
    complaint: str | None
    """Reply of its last call without a score, and what to change; None if every call had one."""
    troubles: tuple[str, ...]
    """Why it was switched off, and the complaint, as sentences without repetition."""
    advice: Advice
    people: FigureLine | None = None
    """Agreement with people; None if unknown."""
    people_share: float | None = None
    """The judge's weight in the predictions of labels; None if labels do not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A judge's answer on an item, given once or several times."""

    judge: str
    score: float | None
    trouble: str
    """Why there is no score; empty if there is one."""
    times: int
    """Number of identical answers."""
    charged: Money
    """Total cost of these answers."""
    text: str
    """The judge's reason; may be cut, and is empty if it was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemLine:
    """One item."""

    id: str
    group: str | None
    score: float | None
    """None if no judge scored it."""
    interval: Range
    """Interval of the score; predicted from the other items if no judge scored it."""
    calls: int
    spent: Money
    asked: bool
    """Whether the item has a score."""
    prompt: str
    response: str
    reference: str | None
    answers: tuple[Answer, ...]
    further_answers: int
    """Number of answers left out for lack of room."""
    label: float | None = None
    """Mean label; None if there is none."""
    panel_score: float | None = None
    """The panel's own score on the judges' scale, if the score is on the people's scale."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationGrid:
    """Mean number of calls per item, with items in order of score."""

    judges: tuple[str, ...]
    calls: tuple[tuple[float, ...], ...]
    """One row per judge, one value per bin of items."""
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
    """The whole content of a report."""

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
    """Highest mean first; empty without groups."""
    groups_left_out: int
    group_digits: int
    """Decimals for the means of groups and their differences."""
    differences: tuple[DifferenceLine, ...]
    judges: tuple[JudgeCard, ...]
    independent_votes: float | None
    """Effective number of independent judges in the panel; None if unknown."""
    mean_width: float
    """Mean width of all items' intervals."""
    error: float
    """Predicted error of an item, averaged in the norm."""
    curve: tuple[CurvePoint, ...]
    spots: tuple[Spot, ...]
    """Items in order of score, evenly chosen if there are many."""
    allocation: AllocationGrid
    items: tuple[ItemLine, ...]
    """All items, or a sample of them; highest score first."""
    setup: Setup
    """How the judges were asked; empty if not given."""
    texts_kept: bool
    """Whether any judge's texts were kept."""
    people: PeopleCard | None = None
    """People's labels and the agreement with them; None without labels."""
    whose_scale: str | None = None
    """Whose scale the scores are on, as a sentence; None without labels."""
