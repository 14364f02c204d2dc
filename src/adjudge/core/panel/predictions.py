"""Each answer as the item's other answers predict it, and what the misses tell of the levels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.levels import Levels, curve
from adjudge.core.panel.model import PanelModel, in_blocks
from adjudge.core.problem import Moments

_ENOUGH = 20
"""Items that several judges saw, below which all levels are taken to be alike."""
_USUAL = 0.3
"""Usual size of the skewness, and of the slope and the bend of errors over levels."""
_LARGEST = 12.0
"""Squared residual, in its variance, beyond which an answer counts no more."""


def learn_levels(model: PanelModel, moments: Moments) -> Levels:
    """The departures from a normal law that the answers show, on the scale 0 to 1."""
    shared = moments.compared
    if shared.size < _ENOUGH:
        return Levels()
    parts = [
        _Predictions.of(model.part(rows), moments.n[rows], moments.mean[rows])
        for rows in in_blocks(shared)
    ]
    return _Predictions.joined(parts).levels()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Predictions:
    """Answers as the item's other answers predict them, one row for each."""

    residual: FloatArray
    """The answer less its prediction."""
    variance: FloatArray
    """Variance of the residual."""
    lever: FloatArray
    """Its covariance with the item's level, given the other answers."""
    level: FloatArray
    """x, as the other answers tell it."""
    level_variance: FloatArray
    """v, as they leave it."""

    @classmethod
    def of(cls, model: PanelModel, n: IntArray, mean: FloatArray) -> _Predictions:
        r"""From the inverse covariance :math:`S^{-1} = P - PCP` of an item's answers.

        With r its answers less the judges' means, :math:`(S^{-1}r)_j / S^{-1}_{jj}` is what parts
        answer j from its prediction, of variance :math:`1/S^{-1}_{jj}`, and the score without it
        is the score less the answer's gain times that.
        """
        asked = n > 0
        precision = n / model.noise
        surprise = np.where(asked, mean - model.mean, 0.0)
        covariance = model.conditional_covariance(precision)
        toward = covariance @ model.weights
        gain = precision * toward
        told = precision * (surprise - (covariance @ (precision * surprise)[:, :, None])[:, :, 0])
        inverse = precision * (1 - precision * np.diagonal(covariance, axis1=1, axis2=2))
        variance = 1 / np.maximum(np.where(asked, inverse, 1.0), 1e-12)
        residual = told * variance
        spread = math.sqrt(max(model.prior_variance, 1e-12))
        score = (gain * surprise).sum(axis=1, keepdims=True)
        left = (toward @ model.weights)[:, None]
        return cls(
            residual=residual[asked],
            variance=variance[asked],
            lever=(gain * variance / spread)[asked],
            level=((score - gain * residual) / spread)[asked],
            level_variance=((left + gain**2 * variance) / spread**2)[asked],
        )

    @classmethod
    def joined(cls, parts: list[_Predictions]) -> _Predictions:
        return cls(
            residual=np.concatenate([part.residual for part in parts]),
            variance=np.concatenate([part.variance for part in parts]),
            lever=np.concatenate([part.lever for part in parts]),
            level=np.concatenate([part.level for part in parts]),
            level_variance=np.concatenate([part.level_variance for part in parts]),
        )

    def levels(self) -> Levels:
        r"""The law that the residuals show, each measure drawn to none.

        Given the others an answer with lever a is expected :math:`\frac{a\gamma}{2}(x^2 + v - 1)`
        above its prediction; γ is that of weighted least squares. Slope and bend are those of the
        squared residuals.
        """
        weight = 1 / self.variance
        squared = curve(self.level, self.level_variance)
        tilt = self.lever / 2 * squared
        skewness = float((weight * tilt * self.residual).sum()) / (
            float((weight * tilt**2).sum()) + _USUAL**-2
        )
        squares = np.minimum(self.residual**2 * weight, _LARGEST)
        excess = squares / max(float(squares.mean()), 1e-12) - 1
        features = np.stack([self.level, squared], axis=1)
        # A squared normal residual has a variance of 2.
        slope, bend = np.linalg.solve(
            features.T @ features / 2 + np.eye(2) * _USUAL**-2, features.T @ excess / 2
        )
        return Levels(skewness=skewness, slope=float(slope), bend=float(bend))
