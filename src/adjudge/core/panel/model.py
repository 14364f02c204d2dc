"""What the panel would say of each item, given what some judges said."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Moments
from adjudge.core.panel.law import condition
from adjudge.core.panel.levels import Levels

T = TypeVar("T")

_BLOCK = 8_192
"""Items whose J x J matrices are worked on at once, so that they stay in the processor's cache."""
SMALLEST = 1e-12
"""Smallest variance, or precision, that is used."""


def in_blocks(items: int, work: Callable[[slice], T]) -> list[T]:
    """What the work makes of the items, block by block."""
    return [work(slice(begin, begin + _BLOCK)) for begin in range(0, items, _BLOCK)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PanelModel:
    r"""The judges' long-run answers, :math:`\mu_k \sim N(\theta_{s(k)}, \Sigma)`, and their noise.

    Offsets are the differences between the means; :math:`\Sigma = \tau^2 11^\top +
    \mathrm{diag}(\omega^2)` is the model of independent deviations, and
    :math:`\Sigma = \tau^2 11^\top` the paper's, where all judges mean the same.
    """

    mean: FloatArray
    """θ, the judges' means over the items of each group; shape (S, J)."""
    group: IntArray
    """s, the group of each item; shape (K,)."""
    covariance: FloatArray
    """Σ, of the judges' long-run answers over items; shape (J, J)."""
    noise: FloatArray
    """σ², variance of one call; shape (K, J)."""
    weights: FloatArray
    """π, how much each judge counts in the score of each item; rows sum to 1; shape (K, J)."""
    hardness: FloatArray
    """h, the factor by which an item's errors have a larger variance than usual; shape (K,)."""
    levels: Levels = field(default_factory=Levels)
    """How scores and their errors depend on the level."""

    @property
    def items(self) -> int:
        """K."""
        return self.group.size

    def part(self, items: IntArray | slice) -> PanelModel:
        """The same of some items."""
        return replace(
            self,
            group=self.group[items],
            noise=self.noise[items],
            weights=self.weights[items],
            hardness=self.hardness[items],
        )

    def posterior(self, moments: Moments) -> Posterior:
        r"""What the scores seen say of every item's score.

        .. math:: C_k = \Sigma (I + P_k \Sigma)^{-1},\quad g_k = P_k C_k \pi_k,\quad
                  \hat t_k = \pi_k^\top \theta + g_k^\top (\bar y_k - \theta),\quad
                  V_k = h_k \pi_k^\top C_k \pi_k,

        with :math:`P_k = \mathrm{diag}(n_{kj}/\sigma_{kj}^2)`; the score then moves by what its
        level adds where scores are skewed. The raw score takes the level of an item as unknown
        beforehand (:math:`\Sigma + \infty 11^\top`). With :math:`a_k = P_k 1 - P_k C_k P_k 1` the
        level is :math:`a_k^\top(\bar y_k - \theta) / a_k^\top 1` above the mean, of variance
        :math:`1 / a_k^\top 1`, and what :math:`g_k` leaves of it, :math:`1 - g_k^\top 1`, comes to
        the score.
        """
        found = in_blocks(
            self.items,
            lambda rows: self.part(rows).answers(moments.n[rows], moments.mean[rows]).posterior(),
        )
        return Posterior(
            *(np.concatenate([getattr(one, name) for one in found]) for name in Posterior.__slots__)
        )

    def answers(self, n: IntArray, mean: FloatArray) -> Answers:
        """The scores of a block of items, and what they leave open."""
        asked = (n > 0).T
        with np.errstate(divide="ignore"):
            variance = np.where(asked, self.noise.T / np.maximum(n.T, 1), math.inf)
        residual = np.where(asked, mean.T - self.mean.T[:, self.group], 0.0)
        deviation, left = condition(self.covariance, residual, variance)
        return Answers(
            model=self, precision=1 / variance, residual=residual, deviation=deviation, left=left
        )

    @property
    def prior_variance(self) -> FloatArray:
        """Variance of scores of which nothing was seen, π'Σπ; shape (K,)."""
        variance: FloatArray = np.einsum("ki,ki->k", self.weights @ self.covariance, self.weights)
        return np.maximum(variance, SMALLEST)

    @property
    def center(self) -> FloatArray:
        """Expected scores of items of which nothing was seen, π'θ; shape (K,)."""
        center: FloatArray = np.einsum("kj,kj->k", self.weights, self.mean[self.group])
        return center


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """The answers to a block of items under a model; judges first."""

    model: PanelModel
    precision: FloatArray
    """P, one over the variance of each mean answer, 0 where there is none; shape (J, K)."""
    residual: FloatArray
    """y - θ, 0 where there is none; shape (J, K)."""
    deviation: FloatArray
    """Expected long-run answers less θ; shape (J, K)."""
    left: FloatArray
    """C; shape (J, J, K)."""

    @property
    def toward(self) -> FloatArray:
        """C π; shape (J, K)."""
        toward: FloatArray = np.einsum("ijk,kj->ik", self.left, self.model.weights)
        return toward

    def told(self, values: FloatArray) -> FloatArray:
        """(P - PCP) x, the inverse covariance of the answers times values of (J, K); (J, K)."""
        weighed = self.precision * values
        told: FloatArray = weighed - self.precision * np.einsum("ijk,jk->ik", self.left, weighed)
        return told

    def posterior(self) -> Posterior:
        """What they say of their items."""
        model = self.model
        toward = self.toward
        gain = toward * self.precision
        variance = np.maximum(np.einsum("kj,jk->k", model.weights, toward), 0)
        told = self.told(np.ones_like(self.precision))
        unknown = 1 / np.maximum(told.sum(axis=0), SMALLEST)
        missing = 1 - gain.sum(axis=0)
        raw_gain = gain + missing * unknown * told
        spread = np.sqrt(model.prior_variance)
        level = np.einsum("kj,jk->k", model.weights, self.deviation) / spread
        level += model.levels.shift(level, variance / spread**2)
        center = model.center
        return Posterior(
            score=center + spread * level,
            variance=model.hardness * variance,
            gain=gain.T,
            raw_score=center + (raw_gain * self.residual).sum(axis=0),
            raw_variance=model.hardness * (variance + missing**2 * unknown),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """Every item's score: drawn towards the mean of its group, and raw."""

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
