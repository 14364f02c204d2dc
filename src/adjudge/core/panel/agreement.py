"""Whether judges differ at all: in the mean, and item by item, beyond what their noise explains."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.deviations import SIZES, odds_of
from adjudge.core.problem import Moments

_FEWEST_ITEMS = 8
"""Items that two judges must share before they can be said to agree."""
_SURE = 2.0
"""Standard errors that are added to what is to be surely small."""
_SURPRISE = 2.5
"""Standard errors beyond which disagreement is taken as real."""
_NEGLIGIBLE = 0.3
"""Disagreement over noise below which it does not matter."""
_OFFSET_SIZES = np.concatenate([[0.0], 0.0001 * 4.0 ** np.arange(5)])
"""Variances of offsets that are weighed against each other, on the scale 0 to 1."""
_NO_OFFSETS = 0.3
"""Odds, before judges were compared, that judges of one score have no offsets."""
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


def disagreement(moments: Moments, noise: FloatArray, mean: FloatArray) -> Disagreement:
    r"""How far judges' answers differ by more than their noise on the same item.

    An item's excess is the variance between its judges' means, offsets removed, less what their
    calls' noise explains. Its mean over items is zero where judges agree, whatever the noise is;
    its standard error comes from the items themselves, and from how little the noise of judges is
    known that were seldom asked twice: :math:`2\sigma_j^4/(r_j + 1)` after :math:`r_j` repeats.
    Noise that is believed too large hides deviations; here a judge's own repeats decide.
    """
    repeats = np.maximum(moments.n - 1, 0).sum(axis=0)
    squared = (np.divide(moments.m2, noise)).sum(axis=0)
    noise = noise * (_NOISE_FREEDOM + squared) / (_NOISE_FREEDOM + repeats)
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
    squares += float((presumed**2) @ (2 / (repeats + _NOISE_FREEDOM)))
    return Disagreement(
        excess=mean_excess, error=math.sqrt(squares), noise=float(weight @ explained)
    )


def common_score_means(
    moments: Moments,
    noise: FloatArray,
    spread: float,
    weights: FloatArray,
    *,
    deviation: float = 0.0,
    offsets: bool = True,
) -> tuple[FloatArray, FloatArray]:
    r"""Judges' means where all measure one score, (J,), and the covariance of their errors, (J, J).

    With :math:`w_{kj} = 1/(\sigma_{kj}^2/n_{kj} + d)`, d the variance of the judges' deviations,
    what was seen of the offsets b is :math:`r \sim N(Lb, L)`, with
    :math:`L = \mathrm{diag}(\sum_k w_k) - \sum_k w_k w_k^\top / W_k` and
    :math:`r_j = \sum_k w_{kj}(\bar y_{kj} - \bar y_k)`.
    """
    judges = moments.n.shape[1]
    precision = moments.n / (noise + moments.n * deviation)
    total = precision.sum(axis=1)
    seen = total > 0
    center = (precision * moments.mean).sum(axis=1) / np.maximum(total, 1e-300)
    offset, error = np.zeros(judges), np.zeros((judges, judges))
    if offsets and judges > 1:
        shared = (moments.n > 0).sum(axis=1) >= 2
        own = precision[shared]
        laplacian = np.diag(own.sum(axis=0)) - (own / total[shared, None]).T @ own
        right = (own * (moments.mean[shared] - center[shared, None])).sum(axis=0)
        found, doubt = _offsets(laplacian, right)
        centered = np.eye(judges) - weights
        offset, error = centered @ found, centered @ doubt @ centered.T
    if not seen.any():
        return np.full(judges, 0.5), error + spread
    level = (precision * (moments.mean - offset)).sum(axis=1)[seen] / total[seen]
    trust = 1 / (spread + 1 / total[seen])
    common = float(np.average(level, weights=trust))
    means: FloatArray = common + offset
    return means, error + 1 / float(trust.sum())


def _offsets(laplacian: FloatArray, right: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Offsets that may or may not be there, (J,), and the covariance of their errors, (J, J).

    For :math:`b \sim N(0, \tau^2 I)` and the eigenvalues :math:`\lambda` of L, with z = r along
    its eigenvectors, b has mean :math:`\tau^2 z/(1 + \tau^2\lambda)`, variance
    :math:`\tau^2/(1 + \tau^2\lambda)` and a likelihood of
    :math:`\frac12\sum\tau^2 z^2/(1 + \tau^2\lambda) - \log(1 + \tau^2\lambda)`, by which sizes
    of :math:`\tau^2` are weighed. To take offsets as they look would carry the errors of judges
    seldom asked into every score; to drop them until they show, their offsets.
    """
    values, vectors = np.linalg.eigh(laplacian)
    values, along = np.maximum(values, 0.0), vectors.T @ right
    shrink = _OFFSET_SIZES[:, None] / (1 + _OFFSET_SIZES[:, None] * values)
    log_odds = 0.5 * (shrink * along**2 - np.log1p(_OFFSET_SIZES[:, None] * values)).sum(axis=1)
    log_odds[0] += math.log(_NO_OFFSETS * (_OFFSET_SIZES.size - 1))
    odds = np.exp(log_odds - log_odds.max())
    odds /= odds.sum()
    means = shrink * along
    mean = odds @ means
    scatter = (odds[:, None] * (means - mean)).T @ (means - mean)
    covariance = vectors @ (np.diag(odds @ shrink) + scatter) @ vectors.T
    return vectors @ mean, covariance
