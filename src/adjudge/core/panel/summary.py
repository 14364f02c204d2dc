"""What reports need to know about a scored panel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.estimate import Estimate, normalised
from adjudge.core.panel.evidence import unit_moments
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.panel.model import PanelModel, Posterior
from adjudge.core.panel.repeats import usual_answers
from adjudge.core.problem import Evidence, Moments, Problem

_SAME = 1e-8
"""Variance of deviations, on the scale 0 to 1, that stands for none."""
_LEAST_NOISE = 0.02
"""Share of its noise that an answer keeps."""


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
    """Scores not drawn towards the mean of all items; nan if never asked; shape (K,).

    They may lie outside the score range: cut there, their means would be biased.
    """
    raw_variance: FloatArray
    """Variance of their errors, but for the part that items share; shape (K,)."""
    lever: FloatArray
    """How far an error of each judge's mean moves a raw score; shape (K, J)."""
    mean_error: FloatArray
    """Covariance of the errors of the judges' means, which all items share; shape (J, J)."""
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
        return np.sqrt(self.raw_variance + _quadratic(self.lever, self.mean_error))


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
    asked = scores.n.sum(axis=1) > 0
    follow = np.ones(problem.judges, dtype=bool) if learned is None else learned.follow
    heard = follow & scores.n.any(axis=0)
    errors = _Errors.known(posterior) if learned is None else _Errors.of(learned, scores, posterior)
    score = posterior.score
    if learned is not None and problem.norm < 2:
        score = _for_norm(model, scores, problem.norm).posterior(scores).score
    return PanelEstimate(
        score=np.clip(low + width * score, low, high),
        variance=width**2 * errors.variance,
        weights=normalised(np.maximum(posterior.gain, 0)),
        freedom=np.full(problem.items, errors.freedom),
        score_range=problem.score_range,
        norm=problem.norm,
        confidence=problem.confidence,
        raw_score=np.where(asked, low + width * posterior.raw_score, np.nan),
        raw_variance=np.where(asked, width**2 * errors.raw_variance, np.nan),
        lever=model.weights - posterior.raw_gain,
        mean_error=width**2 * errors.of_means,
        calls=evidence.calls.sum(axis=1).astype(np.float64),
        spent=(evidence.calls * problem.cost).sum(axis=1),
        target=Target.PANEL if learned is None else learned.target,
        judges=_judge_summaries(problem, evidence, model, learned),
        independent_votes=independent_votes(model.covariance[np.ix_(heard, heard)]),
    )


def _for_norm(model: PanelModel, scores: Moments, norm: float) -> PanelModel:
    r"""The model whose scores have small errors for p < 2, where the median counts, not the mean.

    Most answers are those that their judges usually give, and few jump. With u the share of usual
    ones, all n answers to an item are usual with probability :math:`u^n`, and the median of what
    the score may be lies nearer to the score without noise than the mean does. Noise counts
    :math:`(1 - u^n)^{2-p}`. Of one judge's answers it counts in full: there it is the other
    judges' that are missing.
    """
    noisy = 1 - usual_answers(scores) ** scores.n.sum(axis=1)
    several = np.count_nonzero(scores.n, axis=1) > 1
    share = np.where(several, np.maximum(noisy, _LEAST_NOISE), 1.0) ** (2 - norm)
    return replace(model, noise=model.noise * share[:, None])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Errors:
    """How far scores may be off, on the scale 0 to 1."""

    variance: FloatArray
    """Of the scores; shape (K,)."""
    raw_variance: FloatArray
    """Of the raw scores, but for the errors of the judges' means; shape (K,)."""
    of_means: FloatArray
    """Covariance of the errors of the judges' means; shape (J, J)."""
    freedom: float

    @classmethod
    def known(cls, posterior: Posterior) -> _Errors:
        """Those of a panel of which everything is known."""
        judges = posterior.gain.shape[1]
        return cls(
            variance=posterior.variance,
            raw_variance=posterior.raw_variance,
            of_means=np.zeros((judges, judges)),
            freedom=math.inf,
        )

    @classmethod
    def of(cls, learned: Learned, scores: Moments, posterior: Posterior) -> _Errors:
        r"""Those that count what is not known of the panel.

        To :math:`V_k`, not below half of what the judges' average noise gives, comes the error of
        the judges' means, :math:`(\pi - g_k)^\top E (\pi - g_k)`. The covariance rests on the
        items that several judges saw: with few of them it predicts worse than it believes.
        """
        model = learned.model
        noise = np.broadcast_to(learned.average_noise, model.noise.shape)
        average = replace(model, noise=noise).posterior(scores)
        judges = model.mean.size
        compared = scores.compared.size
        inflation = 1 + judges / (compared + judges)
        own = np.maximum(posterior.variance, average.variance / 2)
        shared = _quadratic(model.weights - posterior.gain, learned.mean_error)
        return cls(
            variance=inflation * (own + shared),
            raw_variance=inflation * np.maximum(posterior.raw_variance, average.raw_variance / 2),
            of_means=inflation * learned.mean_error,
            freedom=max(float(compared), 3.0),
        )


def _quadratic(lever: FloatArray, covariance: FloatArray) -> FloatArray:
    r""":math:`\ell_k^\top E \ell_k` of each row; shape (K,)."""
    product: FloatArray = ((lever @ covariance) * lever).sum(axis=1)
    return product


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


def independent_votes(covariance: FloatArray) -> float:
    r"""One vote, and one for every direction in which judges differ from their mean.

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
