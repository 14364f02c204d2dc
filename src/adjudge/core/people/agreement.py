"""How far judges, the panel and people agree."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.problem import Evidence, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure with its interval at the problem's confidence; nan where it is unknown."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AlternativeTest:
    """Whether a judge could stand in for a rater (Calderon, Reichart and Dror 2025)."""

    raters: int
    """Raters that could be tested."""
    winning_rate: float
    """Share of the raters that the judge is at least as good as."""
    passes: bool
    """Whether that is half of them or more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Concord:
    """Agreement of one scorer with people, on the labelled items that it scored."""

    items: int
    bias: Figure
    """Mean of score less label, in units of the labels."""
    absolute_error: Figure
    pearson: Figure
    spearman: Figure
    kappa: Figure
    """Quadratic-weighted (Cohen 1968)."""
    accuracy: Figure | None
    """Of yes or no; None on other scales."""
    true_positive_rate: Figure | None
    true_negative_rate: Figure | None
    alternative: AlternativeTest | None
    """None with fewer than three raters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """Agreement of raters with each other: each against the mean of the others."""

    raters: int
    items: int
    """Items that two or more rated."""
    absolute_error: Figure
    pearson: Figure
    kappa: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of everyone with people."""

    judges: tuple[Concord, ...]
    panel: Concord
    """Of the panel's own score."""
    anchored: Concord | None
    """Of the predictions on the people's scale, each made without the item's own label."""
    raters: RaterAgreement | None
    """None unless two or more rated the same item."""


def agreement(problem: Problem, evidence: Evidence, estimate: PanelEstimate) -> Agreement:
    """Agreement with `problem.labels`, which must not be None."""
    raise NotImplementedError
