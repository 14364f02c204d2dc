"""What reports need to know about a scored panel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Estimate, normalised
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.panel.model import PanelModel, Posterior
from adjudge.core.problem import Evidence, Moments, Problem

_DIFFUSE = 1e3
"""Variance that stands for "nothing is known of the level of an item" on the scale 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeSummary:
    """What one judge is like, and what its money bought."""

    offset: float
    """How far above the panel's mean it scores."""
    noise: float
    """Standard deviation of its calls on one item."""
    deviation: float
    """Standard deviation, over items, of its long-run answer from the panel's."""
    failure_rate: float
    """Share of its paid calls without a score; nan if it was never asked."""
    price: float
    """Mean price of a call."""
    fall_per_money: float
    """Fall of a score's variance by its first call, per price."""
    calls: int
    spent: float
    follows: bool
    """Whether it counts; a judge that does not follow the others is switched off."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelEstimate(Estimate):
    """An estimate with what is known of its judges."""

    raw_score: FloatArray
    """Scores not drawn towards the mean of all items; shape (K,)."""
    raw_variance: FloatArray
    """Variance of their errors; shape (K,)."""
    calls: FloatArray
    """Calls paid for each item; shape (K,)."""
    spent: FloatArray
    """Money paid for each item; shape (K,)."""
    target: Target = Target.PANEL
    """What the scores mean."""
    judges: tuple[JudgeSummary, ...]
    independent_votes: float
    """How many independent judges the panel is worth."""

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of each score; shape (K,)."""
        return np.sqrt(self.variance)


def panel_estimate(
    problem: Problem, evidence: Evidence, model: PanelModel, learned: Learned | None
) -> PanelEstimate:
    """Scores, intervals and summaries; the model is on the scale 0 to 1.

    `learned` is None where the model is known rather than learned.
    """
    low, high = problem.score_range
    width = problem.score_width
    scores = unit_moments(problem, evidence.pooled)
    posterior = model.posterior(scores)
    diffuse = PanelModel(
        mean=model.mean,
        covariance=model.covariance + _DIFFUSE,
        noise=model.noise,
        weights=model.weights,
    )
    raw = diffuse.posterior(scores)
    asked = scores.n.sum(axis=1) > 0
    variance, freedom = posterior.variance, np.full(problem.items, math.inf)
    follow = np.ones(problem.judges, dtype=bool)
    if learned is not None:
        follow = learned.follow
        variance, freedom = _honest_variance(learned, scores, posterior)
    return PanelEstimate(
        score=np.clip(low + width * posterior.score, low, high),
        variance=width**2 * variance,
        weights=normalised(np.maximum(posterior.gain, 0)),
        freedom=freedom,
        score_range=problem.score_range,
        norm=problem.norm,
        confidence=problem.confidence,
        raw_score=np.where(asked, np.clip(low + width * raw.score, low, high), np.nan),
        raw_variance=np.where(asked, width**2 * raw.variance, np.nan),
        calls=evidence.calls.sum(axis=1).astype(np.float64),
        spent=(evidence.calls * problem.cost).sum(axis=1),
        target=Target.PANEL if learned is None else learned.target,
        judges=_judge_summaries(problem, evidence, model, learned),
        independent_votes=_independent_votes(model.covariance[np.ix_(follow, follow)]),
    )


def unit_moments(problem: Problem, moments: Moments) -> Moments:
    """Scores on the scale 0 to 1."""
    low, width = problem.score_range[0], problem.score_width
    return Moments(
        n=moments.n,
        mean=np.where(moments.n > 0, (moments.mean - low) / width, 0.0),
        m2=moments.m2 / width**2,
    )


def _honest_variance(
    learned: Learned, scores: Moments, posterior: Posterior
) -> tuple[FloatArray, FloatArray]:
    r"""Variances that count what is not known of the panel, and their degrees of freedom.

    To :math:`V_k`, not below half of what the judges' average noise gives, comes the error of the
    judges' means, :math:`(\pi - g_k)^\top E (\pi - g_k)`. The covariance rests on the items that
    several judges saw: with few of them it predicts worse than it believes.
    """
    model = learned.model
    average = PanelModel(
        mean=model.mean,
        covariance=model.covariance,
        noise=np.broadcast_to(learned.noise.by_judge, model.noise.shape),
        weights=model.weights,
    ).posterior(scores)
    lever = model.weights - posterior.gain
    variance = np.maximum(posterior.variance, average.variance / 2)
    variance = variance + ((lever @ learned.mean_error) * lever).sum(axis=1)
    compared = int(np.count_nonzero((scores.n > 0).sum(axis=1) > 1))
    judges = model.mean.size
    inflated: FloatArray = variance * (1 + judges / (compared + judges))
    return inflated, np.full(len(variance), max(float(compared), 3.0))


def _judge_summaries(
    problem: Problem, evidence: Evidence, model: PanelModel, learned: Learned | None
) -> tuple[JudgeSummary, ...]:
    width = problem.score_width
    by_judge = model.noise.mean(axis=0) if learned is None else learned.noise.by_judge
    follow = np.ones(problem.judges, dtype=bool) if learned is None else learned.follow
    toward = model.covariance @ model.weights
    spread = np.diag(model.covariance)
    deviation = spread - 2 * toward + model.prior_variance
    fall = toward**2 / (spread + by_judge)
    asked = evidence.calls.sum(axis=0)
    scored = evidence.pooled.n.sum(axis=0)
    price = np.mean(problem.cost, axis=0, where=problem.mask)
    spent = (evidence.calls * problem.cost).sum(axis=0)
    return tuple(
        JudgeSummary(
            offset=width * float(model.mean[j] - model.weights @ model.mean),
            noise=width * math.sqrt(float(by_judge[j])),
            deviation=width * math.sqrt(max(float(deviation[j]), 0.0)),
            failure_rate=1 - int(scored[j]) / int(asked[j]) if asked[j] else math.nan,
            price=float(price[j]),
            fall_per_money=width**2 * float(fall[j] / price[j]) if follow[j] else 0.0,
            calls=int(asked[j]),
            spent=float(spent[j]),
            follows=bool(follow[j]),
        )
        for j in range(problem.judges)
    )


def _independent_votes(covariance: FloatArray) -> float:
    r"""Participation ratio :math:`(\sum\lambda)^2/\sum\lambda^2` of the correlations' spectrum.

    1 if the judges always say the same, J if their answers have nothing in common.
    """
    deviation = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    values = np.linalg.eigvalsh(covariance / np.outer(deviation, deviation))
    return float(values.sum() ** 2 / (values**2).sum())
