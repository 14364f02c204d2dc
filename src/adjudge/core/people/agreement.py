"""How far judges, the panel and people agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.people.alternative import AlternativeTest, alternative_test
from adjudge.core.people.anchor import on_scale_of
from adjudge.core.people.column import labels_of
from adjudge.core.people.estimate import PeopleEstimate
from adjudge.core.people.figures import (
    Figure,
    kappa_figure,
    mean_figure,
    pearson_figure,
    share_figure,
    spearman_figure,
)
from adjudge.core.problem import Evidence, Problem


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
    """Quadratic-weighted."""
    accuracy: Figure | None
    """Of yes or no; None on other scales."""
    true_positive_rate: Figure | None
    true_negative_rate: Figure | None
    alternative: AlternativeTest | None
    """None with fewer than three raters."""

    @classmethod
    def of(cls, scores: FloatArray, labels: Labels, level: float) -> Concord:
        """Of scores (K,) in units of the labels; nan where there is none."""
        items = np.flatnonzero(labels.is_labelled & np.isfinite(scores))
        own, label = scores[items], labels.mean[items]
        middle = sum(labels.scale) / 2
        right, yes = (own >= middle) == (label >= middle), label >= middle
        return cls(
            items=items.size,
            bias=mean_figure(own - label, level),
            absolute_error=mean_figure(np.abs(own - label), level, least=0.0),
            pearson=pearson_figure(own, label, level),
            spearman=spearman_figure(own, label, level),
            kappa=kappa_figure(own, label, level),
            accuracy=share_figure(right, level) if labels.yes_or_no else None,
            true_positive_rate=share_figure(right[yes], level) if labels.yes_or_no else None,
            true_negative_rate=share_figure(right[~yes], level) if labels.yes_or_no else None,
            alternative=alternative_test(scores, labels),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAgreement:
    """Agreement of raters with each other: each against the mean of the others."""

    raters: int
    items: int
    """Items that two or more rated."""
    absolute_error: Figure
    pearson: Figure
    kappa: Figure

    @classmethod
    def of(cls, labels: Labels, level: float) -> RaterAgreement | None:
        """None unless two or more rated the same item."""
        others = labels.n[labels.item] - 1
        shared = others > 0
        if not shared.any():
            return None
        item, value, others = labels.item[shared], labels.value[shared], others[shared]
        mean = (labels.mean[item] * (others + 1) - value) / others
        known, place = np.unique(item, return_inverse=True)
        missed = np.bincount(place, np.abs(value - mean)) / np.bincount(place)
        return cls(
            raters=np.unique(labels.rater[shared]).size,
            items=known.size,
            absolute_error=mean_figure(missed, level, least=0.0),
            pearson=pearson_figure(value, mean, level, item=item),
            kappa=kappa_figure(value, mean, level, item=item),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Of everyone with people."""

    judges: tuple[Concord, ...]
    """Each by the mean of its own answers, moved to the scale of the labels."""
    panel: Concord
    """Of the panel's own score."""
    anchored: Concord | None
    """Of the predictions on the people's scale, each made without the item's own label."""
    raters: RaterAgreement | None
    """None unless two or more rated the same item."""


def agreement(problem: Problem, evidence: Evidence, estimate: PanelEstimate) -> Agreement:
    """Agreement with `problem.labels`, at the problem's confidence."""
    labels, level = labels_of(problem), problem.confidence
    pooled = evidence.pooled
    low, ratio = problem.score_range[0], labels.width / problem.score_width
    answers = np.where(pooled.n > 0, labels.scale[0] + ratio * (pooled.mean - low), np.nan)
    panel = estimate.panel if isinstance(estimate, PeopleEstimate) else estimate
    score = np.where(panel.asked, on_scale_of(labels, panel), np.nan)
    return Agreement(
        judges=tuple(Concord.of(own, labels, level) for own in answers.T),
        panel=Concord.of(score, labels, level),
        anchored=Concord.of(estimate.predicted, labels, level)
        if isinstance(estimate, PeopleEstimate)
        else None,
        raters=RaterAgreement.of(labels, level),
    )
