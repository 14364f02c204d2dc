"""Estimates of the variance of a single score: sample, optimistic and pooled."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Moments
from adjudge.core.problem import Problem
from adjudge.errors import InputError


def largest_variance(problem: Problem) -> float:
    """R² / 4, the largest variance of scores within the range (Popoviciu)."""
    return problem.score_width**2 / 4


def log_pairs(problem: Problem) -> float:
    """L = log(4KJ/δ), with KJ the number of pairs that may be asked."""
    return math.log(4 * problem.pairs / problem.delta)


def variance_margin(problem: Problem, *, pilot: int) -> float:
    r"""Simultaneous error bound for all pairs' standard deviations from N0 scores (Lemma B.2).

    .. math:: \tau = R\sqrt{2L/(N_0-1)},\qquad
              P(\sigma_{kj} \le \hat\sigma_{kj} + \tau \le \sigma_{kj} + 2\tau\ \forall k, j)
              \ge 1 - \delta/2
    """
    if pilot < 2:
        raise InputError("pilot", f"{pilot} calls", "a variance needs at least 2 calls per pair")
    return problem.score_width * math.sqrt(2 * log_pairs(problem) / (pilot - 1))


def judge_variance(problem: Problem, moments: Moments) -> FloatArray:
    r"""Each judge's variance over all its items; shape (J,).

    .. math:: s_j^2 = \sum_k M_{2,kj} \Big/ \sum_k (n_{kj} - 1)^+

    A judge without repeats gets the panel's pooled variance, or R² / 4 if no judge has any.
    """
    freedom = np.maximum(moments.n - 1, 0).sum(axis=0)
    squares = moments.m2.sum(axis=0)
    panel = float(squares.sum() / freedom.sum()) if freedom.any() else largest_variance(problem)
    own: FloatArray = np.divide(
        squares, freedom, out=np.full(freedom.shape, panel), where=freedom > 0
    )
    return own


def sample_variance(problem: Problem, moments: Moments) -> FloatArray:
    """Each pair's own variance, or its judge's with fewer than two scores; shape (K, J)."""
    own = moments.variance
    return np.where(np.isnan(own), judge_variance(problem, moments), own)


def pooled_variance(problem: Problem, moments: Moments) -> FloatArray:
    r"""Each pair's variance, shrunk toward its judge's by one pseudo-count; shape (K, J).

    .. math:: (M_{2,kj} + s_j^2) / \max(n_{kj}, 1)

    Two equal scores do not prove that a judge is noiseless.
    """
    return (moments.m2 + judge_variance(problem, moments)) / np.maximum(moments.n, 1)


def optimistic_variance(problem: Problem, pilot: Moments, margin: float) -> FloatArray:
    r"""The bounded algorithm's variance, :math:`(\hat\sigma_{kj} + \tau)^2`; shape (K, J).

    With the theorem's τ, :math:`\sigma \le \bar\sigma \le \sigma + 2\tau` holds simultaneously for
    all pairs at the stated confidence. Pairs with fewer than two scores get the largest possible.
    """
    own = pilot.variance
    deviation = np.sqrt(np.where(np.isnan(own), largest_variance(problem), own))
    optimistic: FloatArray = (deviation + margin) ** 2
    return optimistic
