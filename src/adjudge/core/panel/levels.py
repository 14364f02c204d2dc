"""What a normal law of scores misses: that they are skewed, and that errors depend on the level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray

_FARTHEST = 2.5
"""Level beyond which the density is not believed: its terms grow without end."""
_LEAST, _MOST = 0.4, 3.0
"""Factors of an item's variance that its level alone may give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    r"""How the law of scores departs from a normal one, by an item's level.

    A level x is an item's score less the mean, over the spread :math:`\tau` of scores, and v its
    variance. Scores of skewness :math:`\gamma` have the density
    :math:`\varphi(x)(1 + \frac{\gamma}{6}(x^3 - 3x))` (Edgeworth). Where a normal law expects x
    with variance v, these have the mean :math:`x + \frac{\gamma}{2} v (x^2 + v - 1)` and the
    variance :math:`v(1 + \gamma v x)`.
    """

    skewness: float = 0.0
    """γ."""
    slope: float = 0.0
    bend: float = 0.0
    """Judges' errors at a level x have 1 + slope x + bend (x² - 1) times the usual variance."""

    def shift(self, level: FloatArray, variance: FloatArray) -> FloatArray:
        """How far above the level that a normal law expects the item's is expected; shape (K,)."""
        return self.skewness / 2 * variance * curve(level, variance)

    def hardness(self, level: FloatArray, variance: FloatArray) -> FloatArray:
        """The factor of the variance of an item's errors; shape (K,)."""
        slope = self.slope + self.skewness * variance
        factor = 1 + slope * level + self.bend * curve(level, variance)
        return np.clip(factor, _LEAST, _MOST)


def curve(level: FloatArray, variance: FloatArray) -> FloatArray:
    """The expected square of a level less 1, x² + v - 1, as far out as believed; shape (K,)."""
    return np.minimum(level**2, _FARTHEST**2) + variance - 1
