"""Whether judges differ at all: in the mean, and item by item, beyond what their noise explains."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.problem import Moments

_FEWEST_ITEMS = 8
"""Items that two judges must share before they can be said to agree."""
_SURPRISE = 2.5
"""Standard errors beyond which judges are taken to disagree item by item."""
_NEGLIGIBLE = 0.3
"""Disagreement over noise from which on it is presumed real though it may be chance."""
_OFFSET_SURPRISE = 3.0
"""Standard deviations of the chi-square law beyond which offsets are taken as real."""


def judges_disagree(moments: Moments, noise: FloatArray, mean: FloatArray) -> bool:
    r"""Whether judges' answers differ by more than their noise on the same item.

    An item's excess is the variance between its judges' means, offsets removed, less what their
    calls' noise explains. Its mean over items is zero where judges agree, whatever the noise is;
    its standard error comes from the items themselves. Real judges disagree: it is presumed where
    too few items were shared, or where the excess is not small beside the noise.
    """
    seen = moments.n > 0
    shared = seen.sum(axis=1) >= 2
    if np.count_nonzero(shared) < _FEWEST_ITEMS:
        return True
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
    excess = between - explained
    mean_excess = float((weight * excess).sum() / weight.sum())
    squares = float((weight**2 * (excess - mean_excess) ** 2).sum())
    error = math.sqrt(squares) / float(weight.sum())
    mean_noise = float((weight * explained).sum() / weight.sum())
    return mean_excess > min(_SURPRISE * error, _NEGLIGIBLE * mean_noise)


def common_score_means(
    moments: Moments,
    noise: FloatArray,
    spread: float,
    weights: FloatArray,
    *,
    offsets: bool = True,
) -> tuple[FloatArray, FloatArray]:
    r"""Judges' means where all measure one score, (J,), and the covariance of their errors, (J, J).

    Offsets come by two-way least squares.

    With :math:`w_{kj} = n_{kj}/\sigma_{kj}^2` the offsets solve :math:`L b = r`, with
    :math:`L = \mathrm{diag}(\sum_k w_k) - \sum_k w_k w_k^\top / W_k` and
    :math:`r_j = \sum_k w_{kj}(\bar y_{kj} - \bar y_k)`. Where :math:`r^\top L^+ r`, a chi-square
    of J - 1 degrees of freedom without offsets, is not surprising, there are none: a judge that
    took most of the calls would otherwise carry the others' errors into every score.
    """
    judges = moments.n.shape[1]
    precision = moments.n / noise
    total = precision.sum(axis=1)
    seen = total > 0
    center = (precision * moments.mean).sum(axis=1) / np.maximum(total, 1e-300)
    shared = (moments.n > 0).sum(axis=1) >= 2
    offset, error = np.zeros(judges), np.zeros((judges, judges))
    if offsets and shared.any() and judges > 1:
        own = precision[shared]
        laplacian = np.diag(own.sum(axis=0)) - (own / total[shared, None]).T @ own
        right = (own * (moments.mean[shared] - center[shared, None])).sum(axis=0)
        inverse = np.linalg.pinv(laplacian, hermitian=True)
        solved = inverse @ right
        free = judges - 1
        if float(right @ solved) > free + _OFFSET_SURPRISE * math.sqrt(2 * free):
            centered = np.eye(judges) - weights
            offset, error = centered @ solved, centered @ inverse @ centered.T
    if not seen.any():
        return np.full(judges, 0.5), error + spread
    level = (precision * (moments.mean - offset)).sum(axis=1)[seen] / total[seen]
    trust = 1 / (spread + 1 / total[seen])
    common = float(np.average(level, weights=trust))
    means: FloatArray = common + offset
    return means, error + 1 / float(trust.sum())
