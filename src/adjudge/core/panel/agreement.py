"""Whether judges differ item by item beyond what their noise explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.deviations import SIZES, odds_of
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments

_FEWEST_ITEMS = 8
"""Items that two judges must share before they can be said to agree."""
_SURE = 2.0
"""Standard errors that are added to what is to be surely small."""
_SURPRISE = 2.5
"""Standard errors beyond which disagreement is taken as real."""
_NEGLIGIBLE = 0.3
"""Disagreement over noise below which it does not matter."""
_NOISE_FREEDOM = 1.0
"""Repeats that what is believed of a judge's noise is worth here: its own must speak."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """How far judges differ item by item beyond their noise, as a variance."""

    excess: float
    """Estimated; chance may make it negative."""
    error: float
    """Its standard error; infinite where too few items were shared."""
    noise: float
    """What noise explains of the differences."""

    @property
    def is_negligible(self) -> bool:
        """Whether it is surely small beside the noise."""
        return self.excess + _SURE * self.error < _NEGLIGIBLE * self.noise

    @property
    def is_surprising(self) -> bool:
        """Whether chance hardly explains it."""
        return self.excess > _SURPRISE * self.error

    @property
    def plausible(self) -> float:
        r"""The deviation that the excess :math:`x \sim N(d, e^2)` leaves room for: its mean."""
        error = max(self.error, 1e-9)
        return float(odds_of(-((SIZES - self.excess) ** 2) / (2 * error**2)) @ SIZES)


def disagreement(
    moments: Moments, noise: FloatArray, mean: FloatArray, repeats: Repeats
) -> Disagreement:
    r"""How far judges' answers differ by more than their noise on the same item.

    An item's excess is the variance between its judges' means, offsets removed, less what their
    calls' noise explains. Its mean over items is zero where judges agree, whatever the noise is;
    its standard error comes from the items themselves, and from how little the noise of judges is
    known that were seldom asked twice: :math:`2\sigma_j^4/(r_j + 1)` after :math:`r_j` repeats.
    Noise that is believed too large hides deviations; here a judge's own repeats decide.
    """
    freedom = repeats.freedom.sum(axis=0)
    squared = (repeats.squares / noise).sum(axis=0)
    noise = noise * (_NOISE_FREEDOM + squared) / (_NOISE_FREEDOM + freedom)
    seen = moments.n > 0
    shared = seen.sum(axis=1) >= 2
    if np.count_nonzero(shared) < _FEWEST_ITEMS:
        return Disagreement(excess=0.0, error=math.inf, noise=0.0)
    n, seen = moments.n[shared], seen[shared]
    known = np.asarray(noise[shared])
    count = seen.sum(axis=1)
    answer = np.where(seen, moments.mean[shared] - mean, 0.0)
    center = answer.sum(axis=1) / count
    between = (np.where(seen, answer - center[:, None], 0.0) ** 2).sum(axis=1) / (count - 1)
    own = np.divide(moments.m2[shared], n - 1, out=known.copy(), where=n > 1)
    explained = np.where(seen, own / np.maximum(n, 1), 0.0).sum(axis=1) / count
    expected = np.where(seen, known / np.maximum(n, 1), 0.0).sum(axis=1) / count
    weight = 1 / expected
    weight /= weight.sum()
    excess = between - explained
    mean_excess = float(weight @ excess)
    squares = float((weight**2) @ (excess - mean_excess) ** 2)
    presumed = weight @ (np.where(n == 1, known, 0.0) / count[:, None])
    squares += float((presumed**2) @ (2 / (freedom + _NOISE_FREEDOM)))
    return Disagreement(
        excess=mean_excess, error=math.sqrt(squares), noise=float(weight @ explained)
    )
