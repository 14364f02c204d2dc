"""People's part of a report, as plain values on their scale."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """A figure, with its interval if known."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcordLine:
    """Agreement of a judge, or of the panel, with people; unknown values are None."""

    name: str
    kind: str
    """`judge`, `panel` (its own score) or `anchored` (scores on the people's scale)."""
    items: int
    """Labelled items with a score."""
    agreement: FigureLine | None
    """Pearson's correlation, or accuracy if labels are yes or no."""
    bias: FigureLine | None
    """Mean difference: score minus label."""
    absolute_error: FigureLine | None
    pearson: FigureLine | None
    spearman: FigureLine | None
    kappa: FigureLine | None
    """Cohen's kappa with quadratic weights."""
    accuracy: FigureLine | None
    true_positive_rate: FigureLine | None
    true_negative_rate: FigureLine | None
    stands_in: bool | None
    """Whether it could stand in for a person; None with fewer than three raters."""
    stands_in_words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RatersLine:
    """Agreement among raters."""

    raters: int
    items: int
    """Items with labels of two or more raters."""
    absolute_error: FigureLine | None
    pearson: FigureLine | None
    kappa: FigureLine | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleCard:
    """People's labels, and the agreement with them."""

    labelled: int
    """Number of labelled items."""
    labels: int
    raters: int
    scale: str
    """The scale that people were given."""
    digits: int
    yes_or_no: bool
    anchored: bool
    """Whether scores are on the people's scale."""
    sampling: str
    """How labelled items were chosen: `drawn`, `partly` (some drawn items have no label yet),
    `random` (according to the user), `assumed`, `all`."""
    sampling_words: str
    level: float | None
    """People's mean difference from the panel. This and the next two are None if scores are the
    panel's."""
    error: float | None
    """Root mean square of label minus score, with each item predicted without its own label."""
    panel_error: float | None
    """The same for the panel's own score."""
    stage: str
    """What the labels suffice to estimate."""
    lines: tuple[ConcordLine, ...]
    raters_line: RatersLine | None
