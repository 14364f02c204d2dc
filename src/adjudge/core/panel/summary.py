"""What reports need to know about a scored panel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.estimate import Estimate, normalised
from adjudge.core.evidence import Evidence
from adjudge.core.panel.learning import Learned, Target, unit_moments
from adjudge.core.problem import Problem

_SAME = 1e-8
"""Variance of deviations, on the scale 0 to 1, that stands for none."""


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
    """Whether it counts; one that always gives the same answer does not."""
    astray: bool
    """Whether its answers do not rise and fall with the others', whether it counts or not."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelEstimate(Estimate):
    """An estimate with what is known of its judges."""

    raw_score: FloatArray
    """Scores not drawn towards the mean of all items; nan if never asked; shape (K,).

    They may lie outside the score range: cut there, their means would be biased.
    """
    raw_variance: FloatArray
    """Variance of their errors, but for the part that items share; shape (K,)."""
    raw_draws: FloatArray
    """Raw scores under each posterior draw, less their mean; shape (B, K).

    Their errors have this part in common, so that it does not fall with the number of items.
    """
    calls: FloatArray
    """Calls paid for each item; shape (K,)."""
    spent: FloatArray
    """Money paid for each item; shape (K,)."""
    target: Target = Target.PANEL
    """What the scores mean."""
    judges: tuple[JudgeSummary, ...]
    independent_votes: float
    """How many judges, each deviating in its own way, those that gave scores are worth."""

    @property
    def asked(self) -> BoolArray:
        """Which items have a score of their own; shape (K,)."""
        return ~np.isnan(self.raw_score)

    @property
    def unbiased_score(self) -> FloatArray:
        """The raw scores; shape (K,)."""
        return self.raw_score

    @property
    def standard_error(self) -> FloatArray:
        """Standard error of each score; shape (K,)."""
        return np.sqrt(self.variance)

    @property
    def raw_standard_error(self) -> FloatArray:
        """Standard error of each raw score; shape (K,)."""
        shared: FloatArray = (self.raw_draws**2).sum(axis=0) / max(len(self.raw_draws) - 1, 1)
        return np.sqrt(self.raw_variance + shared)


def panel_estimate(
    problem: Problem, evidence: Evidence, learned: Learned, *, foreseen: float = 1.0
) -> PanelEstimate:
    r"""Scores, intervals and summaries.

    Over the panels that the evidence leaves possible a score has the mean of its expectations, and
    the law of total variance adds the mean W of its variances and their mean squared distance B.
    By Satterthwaite a variance :math:`V = W + B`, of which W varies over the panels by
    :math:`s_W^2`, has :math:`2 V^2 / (s_W^2 + 2 B^2 / (\text{draws} - 1))` degrees of freedom.

    While too few repeats tell the noise, an item that all judges answered has the mean of their
    answers: how far to draw it to the others would be a guess. `foreseen` is the share of the
    distance that is left once calls were made that are only planned.
    """
    low, high = problem.score_range
    width = problem.score_width
    scores = unit_moments(problem, evidence.pooled).only(learned.follow)
    weights = learned.model.weights
    found = [model.posterior(scores) for model in learned.possible(np.random.default_rng(1))]
    expected = np.stack([one.score for one in found])
    score = expected.mean(axis=0)
    if not learned.noise_known:
        answered = ((scores.n > 0) | (weights == 0)).all(axis=1)
        score[answered] = (weights * scores.mean).sum(axis=1)[answered]
    within = np.stack([one.variance for one in found])
    others = max(len(found) - 1, 1)
    between = foreseen * ((expected - score) ** 2).sum(axis=0) / others
    variance = within.mean(axis=0) + between
    doubt = foreseen * within.var(axis=0) + 2 * between**2 / others
    raw_draws = np.stack([one.raw_score for one in found])
    raw_score = raw_draws.mean(axis=0)
    raw_variance = np.mean([one.raw_variance for one in found], axis=0)
    asked = scores.n.any(axis=1)
    heard = learned.follow & scores.n.any(axis=0)
    return PanelEstimate(
        score=np.clip(low + width * score, low, high),
        variance=width**2 * variance,
        weights=normalised(np.maximum(learned.model.posterior(scores).gain, 0)),
        freedom=np.clip(2 * variance**2 / np.maximum(doubt, 1e-300), 3.0, 1e6),
        score_range=problem.score_range,
        norm=problem.norm,
        confidence=problem.confidence,
        raw_score=np.where(asked, low + width * raw_score, np.nan),
        raw_variance=np.where(asked, width**2 * raw_variance, np.nan),
        raw_draws=(width * math.sqrt(foreseen) * (raw_draws - raw_score)).astype(np.float32),
        calls=evidence.calls.sum(axis=1).astype(np.float64),
        spent=(evidence.calls * problem.price_per_call).sum(axis=1),
        target=learned.target,
        judges=_judge_summaries(problem, evidence, learned),
        independent_votes=independent_votes(learned.law.covariance[np.ix_(heard, heard)]),
    )


def _judge_summaries(
    problem: Problem, evidence: Evidence, learned: Learned
) -> tuple[JudgeSummary, ...]:
    width = problem.score_width
    law, follow = learned.law, learned.follow
    weights = np.where(follow, problem.weights, 0.0)
    weights = weights / weights.sum() if weights.any() else problem.weights
    toward = law.covariance @ weights
    spread = np.diag(law.covariance)
    deviation = spread - 2 * toward + float(weights @ toward)
    fall = toward**2 / (spread + law.noise)
    asked = evidence.calls.sum(axis=0)
    scored = evidence.pooled.n.sum(axis=0)
    price = np.mean(problem.price_per_call, axis=0, where=problem.exists)
    spent = (evidence.calls * problem.price_per_call).sum(axis=0)
    return tuple(
        JudgeSummary(
            offset=width * float(law.mean[j] - weights @ law.mean),
            noise=width * math.sqrt(float(law.noise[j])),
            deviation=width * math.sqrt(max(float(deviation[j]), 0.0)),
            failure_rate=1 - int(scored[j]) / int(asked[j]) if asked[j] else math.nan,
            price=float(price[j]),
            fall_per_money=width**2 * float(fall[j] / price[j]) if follow[j] else 0.0,
            calls=int(asked[j]),
            spent=float(spent[j]),
            follows=bool(follow[j]),
            astray=bool(learned.guard.astray[j]),
        )
        for j in range(problem.judges)
    )


def independent_votes(covariance: FloatArray) -> float:
    r"""Effective number of judges: 1 plus the participation ratio of their deviations.

    With :math:`\lambda` the eigenvalues of the judges' deviations from the mean of all,
    :math:`1 + (\sum\lambda)^2/\sum\lambda^2`: J if they deviate each in its own way, or not at all,
    so that only noise tells them apart; 2 of three judges if two of them are copies.
    """
    judges = len(covariance)
    if judges < 2:
        return float(judges)
    centered = np.eye(judges) - 1 / judges
    values = np.linalg.eigvalsh(centered @ covariance @ centered)
    squares = float((values**2).sum())
    if squares < _SAME**2:
        return float(judges)
    return min(1 + float(values.sum()) ** 2 / squares, float(judges))
