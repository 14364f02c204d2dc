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

    With shares :math:`\omega_{kj} = n_{kj} / \sum_i n_{ki}` of the item's calls, offsets removed,

    .. math:: x_k = \frac{\sum_j \omega_{kj} (\bar y_{kj} - \bar y_k)^2
              - \sum_j \omega_{kj}(1 - \omega_{kj})\, s_{kj}^2 / n_{kj}}
              {\sum_j \omega_{kj}(1 - \omega_{kj})}

    is the variance between its judges' means less what their calls' noise explains. Its mean over
    items is zero where judges agree, whatever the noise is. Answers weigh as their shares, and
    items as the inverse square of what noise explains: a judge asked once tells nothing of
    deviations that matter to one asked fifty times. The standard error comes from the items
    themselves, and from how little the noise of judges is known that were seldom asked twice:
    :math:`2\sigma_j^4/(r_j + 1)` after :math:`r_j` repeats. Noise that is believed too large hides
    deviations; here a judge's own repeats decide.
    """
    freedom = repeats.freedom.sum(axis=0)
    squared = (repeats.squares / noise).sum(axis=0)
    noise = noise * (_NOISE_FREEDOM + squared) / (_NOISE_FREEDOM + freedom)
    shared = moments.compared
    if shared.size < _FEWEST_ITEMS:
        return Disagreement(excess=0.0, error=math.inf, noise=0.0)
    n, known = moments.n[shared], noise[shared]
    share = n / n.sum(axis=1, keepdims=True)
    center = (share * moments.mean[shared]).sum(axis=1) - share @ mean
    distance = moments.mean[shared] - mean - center[:, None]
    part = share * (1 - share)
    whole = part.sum(axis=1)
    between = (share * distance**2).sum(axis=1) / whole
    own = np.divide(moments.m2[shared], n - 1, out=known.copy(), where=n > 1)
    part = part / (np.maximum(n, 1) * whole[:, None])
    explained = (part * own).sum(axis=1)
    weight = (part * known).sum(axis=1) ** -2.0
    weight /= weight.sum()
    excess = between - explained
    mean_excess = float(weight @ excess)
    squares = float((weight**2) @ (excess - mean_excess) ** 2)
    presumed = weight @ np.where(n == 1, part * known, 0.0)
    squares += float((presumed**2) @ (2 / (freedom + _NOISE_FREEDOM)))
    return Disagreement(
        excess=mean_excess, error=math.sqrt(squares), noise=float(weight @ explained)
    )
