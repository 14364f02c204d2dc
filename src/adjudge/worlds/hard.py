"""The hard instances behind the paper's lower bounds (Proposition C.1)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import check_shape, float_array, per_pair
from adjudge.core.bounds import beta_parameters
from adjudge.errors import InputError
from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.instance import Instance


def hard_world(
    *,
    score: npt.ArrayLike,
    shift: npt.ArrayLike,
    variance: npt.ArrayLike,
    cost: npt.ArrayLike,
    score_range: tuple[float, float] = (0.0, 1.0),
) -> BetaWorld:
    r"""A Beta world with shifted means and unchanged variances.

    .. math:: \mu_{kj} = s^*_k + \Delta_k,\quad \sigma^2_{kj}\ \text{as given},\quad
              \text{support } [s^*_k - R_k, s^*_k + R_k],\quad
              R_k = \min(s^*_k - \text{lo}, \text{hi} - s^*_k)

    Worlds of different shifts around the same scores are hard to tell apart, which needs
    :math:`|\Delta_k| \le R_k/4` and :math:`\sigma^2_{kj} \le R_k^2/2`.
    """
    center = float_array("score", score)
    if center.ndim != 1:
        raise InputError("score", f"shape {center.shape}", "give one score per item (K,)")
    moved = float_array("shift", shift)
    check_shape("shift", moved, center.shape)
    variances = per_pair("variance", variance, items=center.size)
    low, high = score_range
    radius = np.minimum(center - low, high - center)
    if not (radius > 0).all():
        item = int(np.argmin(radius > 0))
        raise InputError(
            "score", f"{center[item]:.6g} of item {item}", f"it must lie inside {low} to {high}"
        )
    support = beta_parameters(
        center=center[:, np.newaxis],
        radius=radius[:, np.newaxis],
        shift=moved[:, np.newaxis],
        variance=variances,
    )
    instance = Instance.of(
        mean=np.broadcast_to((center + moved)[:, np.newaxis], variances.shape),
        variance=variances,
        price_per_call=cost,
        score_range=score_range,
        # Exact; the panel's mean could differ by rounding.
        truth=center + moved,
    )
    return BetaWorld.of(instance, low=support.low, high=support.high)
