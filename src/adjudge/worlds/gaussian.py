"""Gaussian scores: the moments of any number of calls have a closed-form distribution."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.evidence import Allocation, Moments
from adjudge.worlds.asked import AskedPairs
from adjudge.worlds.instance import Instance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianWorld:
    r"""Scores from a normal distribution; single scores may leave the score range.

    .. math:: \bar x \sim N(\mu, \sigma^2/n),\qquad
              M_2 \sim \sigma^2 \chi^2_{n-1}\ \text{independently: exact at any } n.
    """

    instance: Instance

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch."""
        asked = AskedPairs.of(batch, self.instance)
        variance = asked.values(self.instance.variance)
        noise = rng.standard_normal(asked.calls.size) * np.sqrt(variance / asked.calls)
        m2 = np.zeros(asked.calls.size)
        repeated = asked.calls > 1
        m2[repeated] = variance[repeated] * rng.chisquare(asked.calls[repeated] - 1)
        return asked.moments(asked.values(self.instance.mean) + noise, m2)
