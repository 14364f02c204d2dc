"""Skewness of scores: how far the normal law is corrected by an item's level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.beliefs import Beliefs

if TYPE_CHECKING:
    from adjudge.core.panel.model import Answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    r"""How the law of scores departs from a normal one, by an item's level.

    A level x is an item's score less the mean, over the spread :math:`\tau` of scores, and v its
    variance. Scores of skewness :math:`\gamma` have the density
    :math:`\varphi(x)(1 + \frac{\gamma}{6}(x^3 - 3x))` (Edgeworth). Where a normal law expects x
    with variance v, these have the mean :math:`x + \frac{\gamma}{2} v (x^2 + v - 1)`.
    """

    skewness: float = 0.0
    """γ."""
    farthest: float = 2.5
    """Level beyond which the expansion is cut: its terms grow without end."""

    def shift(self, level: FloatArray, variance: FloatArray) -> FloatArray:
        """Correction of the expected level for skewness; shape (K,)."""
        return self.skewness / 2 * variance * self.curve(level, variance)

    def curve(self, level: FloatArray, variance: FloatArray) -> FloatArray:
        """The expected square of a level less 1, x² + v - 1, clipped at `farthest`; (K,)."""
        return np.minimum(level**2, self.farthest**2) + variance - 1


def learn_levels(answers: Answers, beliefs: Beliefs) -> Levels:
    r"""The departures that answers show when the item's others predict them.

    From the inverse covariance :math:`S^{-1} = P - PCP` of an item's answers:
    :math:`(S^{-1}r)_j / S^{-1}_{jj}` is what parts answer j from its prediction, of variance
    :math:`1/S^{-1}_{jj}`; the score without it is the score less the answer's gain times that.
    An answer whose error has the covariance a with the level is expected
    :math:`\frac{a\gamma}{2}(x^2 + v - 1)` above its prediction: γ is that of weighted least
    squares, shrunk to 0.
    """
    none = Levels(farthest=beliefs.farthest_level)
    shared = np.count_nonzero(answers.precision, axis=0) > 1
    if np.count_nonzero(shared) < beliefs.fewest or not beliefs.skewness:
        return none
    asked = (answers.precision > 0) & shared
    own = answers.precision * (1 - answers.precision * np.einsum("jjk->jk", answers.left))
    variance = 1 / np.maximum(np.where(asked, own, 1.0), 1e-12)
    residual = answers.told(answers.residual) * variance
    spread = np.sqrt(answers.model.prior_variance)
    toward = answers.toward
    gain = answers.precision * toward
    score = np.einsum("kj,jk->k", answers.model.weights, answers.deviation)
    left = np.einsum("kj,jk->k", answers.model.weights, toward)
    level = ((score - gain * residual) / spread)[asked]
    curve = none.curve(level, ((left + gain**2 * variance) / spread**2)[asked])
    weight, residual = 1 / variance[asked], residual[asked]
    tilt = (gain * variance / spread)[asked] / 2 * curve
    usual = beliefs.skewness**-2
    skewness = (weight * tilt * residual).sum() / ((weight * tilt**2).sum() + usual)
    return Levels(skewness=float(skewness), farthest=beliefs.farthest_level)
