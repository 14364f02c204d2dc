"""What the panel would say of each item, given what some judges said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.problem import Moments

_BLOCK = 65_536
"""Items whose J x J matrices are worked on at once, so that memory does not grow with K."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelModel:
    r"""The law of the judges' long-run answers, :math:`\mu_k \sim N(m, \Sigma)`, and their noise.

    Offsets are the differences between the means; :math:`\Sigma = \tau^2 11^\top +
    \mathrm{diag}(\omega^2)` is the model of independent deviations, and
    :math:`\Sigma = \tau^2 11^\top` the paper's, where all judges mean the same.
    """

    mean: FloatArray
    """m, each judge's mean over items; shape (J,)."""
    covariance: FloatArray
    """Σ, of the judges' long-run answers over items; shape (J, J)."""
    noise: FloatArray
    """σ², variance of one call; shape (K, J)."""
    weights: FloatArray
    """π, how much each judge counts in the score; shape (J,)."""

    @property
    def prior_variance(self) -> float:
        """Variance of a score of which nothing was seen, π'Σπ."""
        return float(self.weights @ self.covariance @ self.weights)

    def posterior(self, moments: Moments) -> Posterior:
        r"""What the scores seen say of every judge's long-run answer.

        .. math:: C_k = \Sigma (I + P_k \Sigma)^{-1},\quad
                  \hat\mu_k = m + C_k P_k (\bar y_k - m),\quad
                  P_k = \mathrm{diag}(n_{kj}/\sigma_{kj}^2)
        """
        items, judges = moments.n.shape
        answer = np.empty((items, judges))
        score, variance = np.empty(items), np.empty(items)
        gain = np.empty((items, judges))
        for begin in range(0, items, _BLOCK):
            rows = slice(begin, begin + _BLOCK)
            precision = moments.n[rows] / self.noise[rows]
            covariance = self.conditional_covariance(precision)
            surprise = np.where(moments.n[rows] > 0, moments.mean[rows] - self.mean, 0.0)
            answer[rows] = self.mean + np.einsum(
                "kij,kj->ki", covariance, precision * surprise, optimize=True
            )
            toward = covariance @ self.weights
            gain[rows] = toward * precision
            variance[rows] = toward @ self.weights
            score[rows] = answer[rows] @ self.weights
        return Posterior(answer=answer, score=score, variance=np.maximum(variance, 0), gain=gain)

    def conditional_covariance(self, precision: FloatArray) -> FloatArray:
        """C, for calls of this total precision; shape (items, J, J)."""
        judges = self.mean.size
        system = np.eye(judges) + precision[:, None, :] * self.covariance
        solved = np.linalg.solve(system, np.broadcast_to(self.covariance, system.shape))
        symmetric: FloatArray = (solved + np.swapaxes(solved, 1, 2)) / 2
        return symmetric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posterior:
    """Every item's score, and the judges' answers behind it."""

    answer: FloatArray
    """Expected long-run answer of each judge; shape (K, J)."""
    score: FloatArray
    """Expected score of the panel; shape (K,)."""
    variance: FloatArray
    """Variance of the score; shape (K,)."""
    gain: FloatArray
    """What one unit of a judge's mean adds to the score; shape (K, J)."""
