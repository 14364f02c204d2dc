"""Paths found from the other end: ask every judge, then leave out who is missed least.

Building up call by call can go wrong where judges help each other: the best single judge need not
be among the best three. Taking away from the whole panel finds such sets.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.model import PanelModel

_SMALLEST = 1e-12


def pruned_order(
    model: PanelModel, n: FloatArray, price: FloatArray, norm: float
) -> tuple[IntArray, BoolArray, FloatArray]:
    r"""Judges not yet asked, the one that is missed least last: who, whether any, and variances.

    Without a call of judge j the variance of the score rises by
    :math:`h (C\pi)_j^2 / (\sigma_j^2 - C_{jj})`. Shapes (K, J), (K, J) and (K, J + 1): variances
    before the first of these calls and after each. Places beyond an item's judges are false.
    """
    items, judges = n.shape
    power = 1.0 if norm == math.inf else norm / 2
    present = (n == 0) & np.isfinite(price)
    number = present.sum(axis=1)
    covariance = model.conditional_covariance((n + present) / model.noise)
    variance = np.maximum(np.einsum("i,kij,j->k", model.weights, covariance, model.weights), 0)
    order = np.zeros((items, judges), np.int64)
    history = np.repeat(variance[:, None], judges + 1, axis=1)
    for removed in range(judges):
        rows = np.flatnonzero(number > removed)
        if not rows.size:
            break
        own = covariance[rows]
        room = model.noise[rows] - np.einsum("kii->ki", own)
        rise = (own @ model.weights) ** 2 / np.maximum(room, _SMALLEST)
        before = variance[rows]
        loss = ((before[:, None] + rise) ** power - before[:, None] ** power) / price[rows]
        judge = np.where(present[rows], loss, np.inf).argmin(axis=1)
        place = np.arange(rows.size)
        direction = own[place, :, judge]
        scale = np.maximum(room[place, judge], _SMALLEST)
        covariance[rows] += direction[:, :, None] * (direction / scale[:, None])[:, None, :]
        variance[rows] = before + rise[place, judge]
        present[rows, judge] = False
        position = number[rows] - 1 - removed
        order[rows, position] = judge
        history[rows, position] = variance[rows]
    return order, np.arange(judges) < number[:, None], model.hardness[:, None] * history
