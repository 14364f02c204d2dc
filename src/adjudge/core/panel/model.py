"""What the panel would say of each item, given what some judges said."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.levels import Levels
from adjudge.core.problem import Moments

_BLOCK = 65_536
"""Items whose J x J matrices are worked on at once, so that memory does not grow with K."""
_SMALLEST = 1e-12
"""Precision that stands for none."""


def in_blocks(items: IntArray) -> list[IntArray]:
    """The items in parts, each small enough for its matrices."""
    return np.split(items, range(_BLOCK, items.size, _BLOCK))


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
    hardness: FloatArray
    """h, the factor by which an item's errors have a larger variance than usual; shape (K,)."""
    levels: Levels = field(default_factory=Levels)
    """How scores and their errors depend on the level."""

    @property
    def prior_variance(self) -> float:
        """Variance of a score of which nothing was seen, π'Σπ."""
        return float(self.weights @ self.covariance @ self.weights)

    def part(self, items: IntArray | slice) -> PanelModel:
        """The same of some items."""
        return replace(self, noise=self.noise[items], hardness=self.hardness[items])

    def posterior(self, moments: Moments) -> Posterior:
        r"""What the scores seen say of every item's score.

        .. math:: C_k = \Sigma (I + P_k \Sigma)^{-1},\quad g_k = P_k C_k \pi,\quad
                  \hat t_k = \pi^\top m + g_k^\top (\bar y_k - m),\quad V_k = h_k \pi^\top C_k \pi,

        with :math:`P_k = \mathrm{diag}(n_{kj}/\sigma_{kj}^2)`; the score then moves by what its
        level adds where scores are skewed. The raw score takes the level of an item as unknown
        beforehand (:math:`\Sigma + \infty 11^\top`). With :math:`a_k = P_k 1 - P_k C_k P_k 1` the
        level is :math:`a_k^\top(\bar y_k - m) / a_k^\top 1` above the mean, of variance
        :math:`1 / a_k^\top 1`, and what :math:`g_k` leaves of it, :math:`1 - g_k^\top 1`, comes to
        the score.
        """
        items, judges = moments.n.shape
        variance, raw_variance = np.empty(items), np.empty(items)
        gain, raw_gain = np.empty((items, judges)), np.empty((items, judges))
        surprise = np.where(moments.n > 0, moments.mean - self.mean, 0.0)
        for begin in range(0, items, _BLOCK):
            rows = slice(begin, begin + _BLOCK)
            precision = moments.n[rows] / self.noise[rows]
            covariance = self.conditional_covariance(precision)
            toward = covariance @ self.weights
            gain[rows] = toward * precision
            variance[rows] = np.maximum(toward @ self.weights, 0)
            told = precision - precision * (covariance @ precision[:, :, None])[:, :, 0]
            unknown = 1 / np.maximum(told.sum(axis=1), _SMALLEST)
            missing = 1 - gain[rows].sum(axis=1)
            raw_gain[rows] = gain[rows] + (missing * unknown)[:, None] * told
            raw_variance[rows] = variance[rows] + missing**2 * unknown
        center = float(self.mean @ self.weights)
        spread = math.sqrt(max(self.prior_variance, _SMALLEST))
        level, level_variance = (gain * surprise).sum(axis=1) / spread, variance / spread**2
        level += self.levels.shift(level, level_variance)
        return Posterior(
            score=center + spread * level,
            variance=self.hardness * variance,
            gain=gain,
            raw_score=center + (raw_gain * surprise).sum(axis=1),
            raw_variance=self.hardness * raw_variance,
            raw_gain=raw_gain,
        )

    def hardness_by_level(self, moments: Moments) -> FloatArray:
        """The factor of the variance of an item's errors that its level gives; shape (K,).

        The more calls were repeated, the less: they tell the item's own noise.
        """
        posterior = replace(self, hardness=np.ones(len(moments.n))).posterior(moments)
        prior = max(self.prior_variance, _SMALLEST)
        level = (posterior.score - float(self.mean @ self.weights)) / math.sqrt(prior)
        first = np.count_nonzero(moments.n, axis=1) / np.maximum(moments.n.sum(axis=1), 1)
        factor = self.levels.hardness(level, posterior.variance / prior)
        faded: FloatArray = 1 + first * (factor - 1)
        return faded

    def conditional_covariance(self, precision: FloatArray) -> FloatArray:
        """C, for calls of this total precision; shape (items, J, J)."""
        judges = self.mean.size
        system = np.eye(judges) + precision[:, None, :] * self.covariance
        solved = np.linalg.solve(system, np.broadcast_to(self.covariance, system.shape))
        symmetric: FloatArray = (solved + np.swapaxes(solved, 1, 2)) / 2
        return symmetric


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Posterior:
    """Every item's score: drawn towards the mean of all items, and raw."""

    score: FloatArray
    """Expected score of the panel; shape (K,)."""
    variance: FloatArray
    """Variance of the score; shape (K,)."""
    gain: FloatArray
    """What one unit of a judge's mean adds to the score; shape (K, J)."""
    raw_score: FloatArray
    """Score of an item of whose level nothing is known beforehand; shape (K,)."""
    raw_variance: FloatArray
    """Variance of the raw score; immense where nothing was seen; shape (K,)."""
    raw_gain: FloatArray
    """What one unit of a judge's mean adds to the raw score; rows sum to 1; shape (K, J)."""
