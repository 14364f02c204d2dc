"""What calls made twice say of their judges' noise, and how much each of them counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.problem import Moments

_PLENTY = 3.0
"""One over the share of a judge's items that must have been repeated for all repeats to count."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repeats:
    """Degrees of freedom and sums of squares from which judges' noise is learned."""

    freedom: FloatArray
    """Shape (K, J)."""
    squares: FloatArray
    """Shape (K, J)."""

    @classmethod
    def of(cls, moments: Moments) -> Repeats:
        """All of them, each counting once."""
        return cls(freedom=_freedom(moments), squares=moments.m2)

    @classmethod
    def fair(cls, moments: Moments, start: Moments) -> Repeats:
        r"""Those of the start, and later ones as far as they were not picked for a surprise.

        The start repeats random items. Later on an item is asked again because its answers
        surprised, and a first answer that surprised by chance differs much from the second: such
        repeats show a judge noisier than it is. A later repeat of judge j counts
        :math:`\min(3\varphi_j, 1)`, with :math:`\varphi_j` the share of its items that were
        repeated later: where many were, few were picked for a surprise.
        """
        later = moments.n > np.maximum(start.n, 1)
        asked = np.count_nonzero(moments.n, axis=0)
        share = np.minimum(_PLENTY * np.count_nonzero(later, axis=0) / np.maximum(asked, 1), 1.0)
        freedom, first = _freedom(moments), _freedom(start)
        return cls(
            freedom=first + share * (freedom - first),
            squares=start.m2 + share * np.maximum(moments.m2 - start.m2, 0.0),
        )

    def only(self, judges: BoolArray) -> Repeats:
        """Those of these judges."""
        return Repeats(freedom=self.freedom * judges, squares=self.squares * judges)


def _freedom(moments: Moments) -> FloatArray:
    return np.maximum(moments.n - 1, 0).astype(np.float64)
