"""How far judges score above or below each other, believed as far as it shows."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray

_OFFSET_SIZES = np.concatenate([[0.0], 0.0001 * 4.0 ** np.arange(5)])
"""Variances of offsets that are weighed against each other, on the scale 0 to 1."""
_NO_OFFSETS = 0.05
"""Odds, before judges were compared, that judges who may deviate have no offsets."""


def believed_means(mean: FloatArray, information: FloatArray) -> tuple[FloatArray, FloatArray]:
    r"""Judges' means whose offsets may or may not be there, (J,), and their errors, (J, J).

    The means were found with the inverse covariance A. Of offsets b alone, the common level being
    anything, is known :math:`L = A - A11^\top A / 1^\top A 1` and :math:`r = L m`; given them the
    level is :math:`1^\top A(m - b) / 1^\top A 1`. A judge that was seldom asked is taken to score
    like the others unless it shows.
    """
    toward = information.sum(axis=0)
    total = float(toward.sum())
    laplacian = information - np.outer(toward, toward) / total
    offset, doubt = believed_offsets(laplacian, laplacian @ mean, none=_NO_OFFSETS)
    centered = np.eye(mean.size) - toward / total
    level = float(toward @ mean) / total
    return level + centered @ offset, centered @ doubt @ centered.T + 1 / total


def believed_offsets(
    laplacian: FloatArray, right: FloatArray, *, none: float
) -> tuple[FloatArray, FloatArray]:
    r"""Offsets that may or may not be there, (J,), and the covariance of their errors, (J, J).

    For :math:`b \sim N(0, \tau^2 I)` and the eigenvalues :math:`\lambda` of L, with z = r along
    its eigenvectors, b has mean :math:`\tau^2 z/(1 + \tau^2\lambda)`, variance
    :math:`\tau^2/(1 + \tau^2\lambda)` and a likelihood of
    :math:`\frac12\sum\tau^2 z^2/(1 + \tau^2\lambda) - \log(1 + \tau^2\lambda)`, by which sizes
    of :math:`\tau^2` are weighed. To take offsets as they look would carry the errors of judges
    seldom asked into every score; to drop them until they show, their offsets. `none` are the odds
    beforehand that there are no offsets at all.
    """
    values, vectors = np.linalg.eigh(laplacian)
    values, along = np.maximum(values, 0.0), vectors.T @ right
    shrink = _OFFSET_SIZES[:, None] / (1 + _OFFSET_SIZES[:, None] * values)
    log_odds = 0.5 * (shrink * along**2 - np.log1p(_OFFSET_SIZES[:, None] * values)).sum(axis=1)
    log_odds[0] += math.log(none * (_OFFSET_SIZES.size - 1))
    odds = np.exp(log_odds - log_odds.max())
    odds /= odds.sum()
    means = shrink * along
    mean = odds @ means
    scatter = (odds[:, None] * (means - mean)).T @ (means - mean)
    covariance = vectors @ (np.diag(odds @ shrink) + scatter) @ vectors.T
    return vectors @ mean, covariance
