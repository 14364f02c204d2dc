"""Scores on the people's scale."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Interval, normalised
from adjudge.core.evidence import Evidence
from adjudge.core.labels import Labels
from adjudge.core.panel.guard import Guarding
from adjudge.core.panel.learning import Learned, Target, learn
from adjudge.core.panel.summary import PanelEstimate, panel_estimate
from adjudge.core.people.anchor import Anchor
from adjudge.core.people.column import labels_of, learn_people
from adjudge.core.problem import Problem
from adjudge.errors import InputError

_PRIOR_LABELS = 2.0
"""Prior degrees of freedom of the residual variance, added to the number of labelled items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleEstimate(PanelEstimate):
    """Estimates of people's mean label of every item; all in units of the labels."""

    panel: PanelEstimate
    """The panel's score, on the judges' scale."""
    labels: Labels
    anchor: Anchor
    predicted: FloatArray
    """Predicted labels, without the item's own label; shape (K,)."""
    predicted_variance: FloatArray
    """Variance of labels around the predictions; shape (K,)."""

    def interval(self, level: float | None = None) -> Interval:
        r"""Intervals that cover people's labels, on average over the items without a label.

        .. math:: f_k \pm q_k \sqrt{v_k}

        with q from `conformal_factor`. The interval of a labelled item reflects the disagreement
        of its raters.
        """
        level = self.confidence if level is None else level
        if not 0 < level < 1:
            raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
        student = stdtrit(self.freedom, (1 + level) / 2)
        factor = np.where(self.labels.is_labelled, student, self.conformal_factor(level))
        half = factor * np.sqrt(self.variance)
        low, high = self.score_range
        return Interval(
            low=np.maximum(self.score - half, low),
            high=np.minimum(self.score + half, high),
            level=level,
        )

    def conformal_factor(self, level: float) -> FloatArray:
        r"""The factor q of items without a label; shape (K,).

        .. math:: q_k = \min\Bigl\{q : \sum_{i:\,r_i \le q} w_i \ge
                  (1 - \alpha)\bigl(w_k + \textstyle\sum_i w_i\bigr)\Bigr\},\qquad
                  r_i = |y_i - f_i| / \sqrt{v_i}

        over the labelled items, each predicted without its own label: weighted conformal prediction
        (Tibshirani, Barber, Candes and Ramdas 2019). Items labelled with the probability
        :math:`\pi` have :math:`w = (1 - \pi)/\pi`, the odds of being among those without a label;
        a simple random sample has equal weights, and q is then the
        :math:`\lceil (n + 1)(1 - \alpha) \rceil`-th smallest ratio. With too few labels for that,
        q is Student's or the largest ratio, whichever is larger.
        """
        items = self.labels.labelled
        missed = np.abs(self.labels.mean[items] - self.predicted[items])
        ratio = missed / np.sqrt(self.predicted_variance[items])
        weight = self.labels.odds_of_no_label
        order = np.argsort(ratio)
        reached = np.cumsum(weight[items[order]])
        needed = level * (reached[-1] + weight)
        place = np.searchsorted(reached, needed - 1e-9 * (reached[-1] + 1))
        student = float(stdtrit(items.size + _PRIOR_LABELS, (1 + level) / 2))
        ladder = np.append(ratio[order], max(student, float(ratio.max())))
        found: FloatArray = ladder[np.minimum(place, items.size)]
        return found


def people_estimate(
    problem: Problem,
    evidence: Evidence,
    *,
    guarding: Guarding = Guarding.ASK,
    learned: Learned | None = None,
) -> PeopleEstimate:
    r"""Scores on the people's scale, together with the panel's own.

    The score of an item without a label is its prediction :math:`f_k`, of variance :math:`v_k`.
    With a label y, of variance r from its raters' disagreement, it is
    :math:`f + (y - f)\,v/(v + r)`. `learned` is an existing fit to the calls.
    """
    labels = labels_of(problem)
    if learned is None:
        learned = learn(problem, evidence, guarding=guarding)
    panel = panel_estimate(problem, evidence, learned)
    anchored = learn_people(problem, evidence, learned=_unguarded(learned))
    found = anchored.predictions()
    items, unit = labels.labelled, found.label.copy()
    unit[items] = anchored.calibration.left_out
    predicted = labels.scale[0] + labels.width * np.clip(unit, 0.0, 1.0)
    open_variance = labels.width**2 * found.variance
    noise = np.full(problem.items, math.inf)
    noise[items] = labels.noise / labels.n[items]
    trust = open_variance / (open_variance + noise)
    seen = np.where(labels.is_labelled, labels.mean, predicted)
    score = predicted + trust * (seen - predicted)
    variance = np.where(labels.is_labelled, trust * np.minimum(noise, 1e300), open_variance)
    known = panel.asked | labels.is_labelled
    return PeopleEstimate(
        score=score,
        variance=variance,
        weights=normalised(np.maximum(found.gain, 0)),
        freedom=np.full(problem.items, items.size + _PRIOR_LABELS),
        score_range=labels.scale,
        norm=problem.norm,
        confidence=problem.confidence,
        raw_score=np.where(known, score, np.nan),
        raw_variance=np.where(known, variance, np.nan),
        raw_draws=np.zeros((1, problem.items), np.float32),
        calls=panel.calls,
        spent=panel.spent,
        target=Target.REFERENCE,
        judges=panel.judges,
        independent_votes=panel.independent_votes,
        panel=panel,
        labels=labels,
        anchor=Anchor.of(anchored.calibration, panel, labels, predicted),
        predicted=predicted,
        predicted_variance=open_variance,
    )


def _unguarded(learned: Learned) -> Learned | None:
    """The fit, if only constant judges were left out; None if it must be repeated with all."""
    return None if (learned.guard.off & ~learned.guard.constant).any() else learned
