"""p-norms of values and of normal errors, and the exponent of an item's hardness."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import FloatArray


def power_norm(values: FloatArray, exponent: float) -> float:
    r"""(Σ v^e)^{1/e} of nonnegative values; the maximum for an infinite exponent.

    Scaled by the largest value, so that no exponent overflows.
    """
    largest = float(np.max(values))
    if exponent == math.inf or largest in (0.0, math.inf):
        return largest
    return float(largest * np.sum((values / largest) ** exponent) ** (1 / exponent))


def share_exponent(norm: float) -> float:
    """Q = p / (p + 2), the exponent of an item's hardness in its share; 1 for p = inf."""
    return 1.0 if norm == math.inf else norm / (norm + 2)


def gaussian_moment(norm: float) -> float:
    r"""The p-th absolute moment of a standard normal variable, to the power 1/p.

    .. math:: m_p = \sqrt 2\,\big(\Gamma((p+1)/2)/\sqrt\pi\big)^{1/p} = E[|Z|^p]^{1/p}

    Infinite for infinite p. Uses logarithms, since the gamma function overflows from p = 340.
    """
    if norm == math.inf:
        return math.inf
    log_moment = math.lgamma((norm + 1) / 2) - math.log(math.pi) / 2
    return math.sqrt(2) * math.exp(log_moment / norm)
