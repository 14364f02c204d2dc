"""What a report says of people, as plain values on their scale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """A figure with its interval, if that is known."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcordLine:
    """How far a judge, or the panel, agrees with people; what is not known is None."""

    name: str
    kind: str
    """`judge`, `panel` (its own score) or `anchored` (scores on the people's scale)."""
    items: int
    """Labelled items that it scored."""
    agreement: FigureLine | None
    """Pearson's correlation; the accuracy where labels are yes or no."""
    bias: FigureLine | None
    """How far above the labels it is on average."""
    absolute_error: FigureLine | None
    pearson: FigureLine | None
    spearman: FigureLine | None
    kappa: FigureLine | None
    """Cohen's, with quadratic weights."""
    accuracy: FigureLine | None
    true_positive_rate: FigureLine | None
    true_negative_rate: FigureLine | None
    stands_in: bool | None
    """Whether it could stand in for a person; None with fewer than three raters."""
    stands_in_words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersLine:
    """How far people agree with each other."""

    raters: int
    items: int
    """That two or more labelled."""
    absolute_error: FigureLine | None
    pearson: FigureLine | None
    kappa: FigureLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCard:
    """What people said, and who agrees with them."""

    labelled: int
    """Items."""
    labels: int
    raters: int
    scale: str
    """The scale that people were given."""
    digits: int
    yes_or_no: bool
    anchored: bool
    """Whether scores are on the people's scale."""
    sampling: str
    """How labelled items were chosen: `drawn`, `partly` (some of those drawn have no label yet),
    `random` (as the user says), `assumed`, `all`."""
    sampling_words: str
    level: float | None
    """How far people are above the panel; None, as the next two, where scores are the panel's."""
    error: float | None
    """Root mean square of label less score, each item predicted without its own label."""
    panel_error: float | None
    """The same of the panel's own score."""
    stage: str
    """What the labels were enough for."""
    lines: tuple[ConcordLine, ...]
    raters_line: RatersLine | None
