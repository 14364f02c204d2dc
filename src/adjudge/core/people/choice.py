"""Which items to label next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.summary import PanelEstimate


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelChoice:
    """Items drawn at random with known probabilities."""

    items: IntArray
    """Those to label, of the largest worth first."""
    probability: FloatArray
    """With which each item was to be drawn; 0 only for items labelled before; shape (K,)."""

    def inclusion_after(self, before: FloatArray | None = None) -> FloatArray:
        """`Labels.inclusion` once these are labelled; before: that of earlier labels; (K,)."""
        raise NotImplementedError


def next_labels(estimate: PanelEstimate, number: int, rng: np.random.Generator) -> LabelChoice:
    r"""Items drawn with probabilities :math:`\pi_k = \min(1, \gamma u_k)`."""
    raise NotImplementedError
