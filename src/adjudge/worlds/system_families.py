"""Families whose items are answers of several systems to the same prompts."""

from __future__ import annotations

import numpy as np

from adjudge.worlds.ingredients import beta_panel
from adjudge.worlds.world import World

_SCALE = (1.0, 10.0)
_WIDTH = _SCALE[1] - _SCALE[0]
_FAVOUR = 0.4 / _WIDTH
"""Standard deviation of a judge's offset for a system, on a scale of 0 to 1."""
_DEVIATION = 0.4 / _WIDTH
_CALL_VARIANCE = (0.6 / _WIDTH) ** 2


def two_systems(items: int, judges: int, rng: np.random.Generator) -> World:
    """Scores 1 to 10 of two systems' answers; judge-by-system offsets have sd 0.4 points."""
    return _systems(items, judges, rng, systems=2)


def five_systems(items: int, judges: int, rng: np.random.Generator) -> World:
    """`two-systems` with five systems."""
    return _systems(items, judges, rng, systems=5)


def _systems(items: int, judges: int, rng: np.random.Generator, *, systems: int) -> World:
    r"""Item k is the answer of system k mod S to prompt k div S.

    .. math:: \mu_{kj} = s_k + b_j + g_{s(k),j} + d_{kj}
    """
    prompt, system = np.divmod(np.arange(items), systems)
    normal = rng.standard_normal
    score = 0.55 + 0.13 * normal(items)[prompt] + 0.05 * normal(systems)[system]
    score += 0.08 * normal(items)
    favour = _FAVOUR * normal((systems, judges))
    deviation = _DEVIATION * normal((items, judges))
    mean = score[:, np.newaxis] + 0.06 * normal(judges) + favour[system] + deviation
    return beta_panel(
        mean,
        rng,
        typical=_CALL_VARIANCE,
        score_range=_SCALE,
        groups=system,
        prompts=prompt,
    )
