"""Agreement between judges, the panel and people."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Evidence
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
from adjudge.core.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Concord:
    """Agreement of one scorer with people, on the labelled items it scored."""

    items: int
    bias: Figure
    """Mean of score minus label, in units of the labels."""
    absolute_error: Figure
    pearson: Figure
    spearman: Figure
    kappa: Figure
    """Quadratic-weighted."""
    accuracy: Figure | None
    """For yes-or-no scales; None on others."""
    true_positive_rate: Figure | None
    true_negative_rate: Figure | None
    alternative: AlternativeTest | None
    """None with fewer than three raters."""

    @classmethod
    def of(cls, scores: FloatArray, labels: Labels, level: float) -> Concord:
        """The agreement of scores (K,), in units of the labels, nan where missing."""
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
    """Agreement among raters: each compared with the mean of the others."""

    raters: int
    items: int
    """Items with two or more raters."""
    absolute_error: Figure
    pearson: Figure
    kappa: Figure

    @classmethod
    def of(cls, labels: Labels, level: float) -> RaterAgreement | None:
        """The agreement; None if no item has two raters."""
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
    """Agreement of judges, panel and predictions with people, and among raters."""

    judges: tuple[Concord, ...]
    """Of each judge's mean scores, mapped to the scale of the labels."""
    panel: Concord
    """Of the panel's score."""
    anchored: Concord | None
    """Of the leave-one-out predictions of labels; None if there are no predictions."""
    raters: RaterAgreement | None
    """None if no item has two raters."""


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
