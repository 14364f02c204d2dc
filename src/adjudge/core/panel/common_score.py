"""Judges that measure one score: its mean over items, and how far each is off it."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.offsets import believed_offsets
from adjudge.core.problem import Moments

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
        shared = moments.compared
        own = precision[shared]
        laplacian = np.diag(own.sum(axis=0)) - (own / total[shared, None]).T @ own
        right = (own * (moments.mean[shared] - center[shared, None])).sum(axis=0)
        found, doubt = believed_offsets(laplacian, right, none=_NO_OFFSETS)
        centered = np.eye(judges) - weights
        offset, error = centered @ found, centered @ doubt @ centered.T
    if not seen.any():
        return np.full(judges, 0.5), error + spread
    level = (precision * (moments.mean - offset)).sum(axis=1)[seen] / total[seen]
    trust = 1 / (spread + 1 / total[seen])
    common = float(np.average(level, weights=trust))
    means: FloatArray = common + offset
    return means, error + 1 / float(trust.sum())
