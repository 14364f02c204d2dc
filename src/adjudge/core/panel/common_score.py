"""Judges that measure one score: its mean over items, and how far each is off it."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.problem import Moments

_OFFSET_SIZES = np.concatenate([[0.0], 0.0001 * 4.0 ** np.arange(5)])
"""Variances of offsets that are weighed against each other, on the scale 0 to 1."""
_NO_OFFSETS = 0.3
"""Odds, before judges were compared, that judges of one score have no offsets."""


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
