"""What calls made twice say of their judges' noise, and how much each of them counts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.problem import Moments

_PLENTY = 3.0
"""One over the share of a judge's items that must have been repeated for all repeats to count."""
_JUMP, _FEWEST = 0.5, 8.0
"""Share of a judge's squares that one pair must make to be left out, and the repeats of the judge
below which none is."""
_SAME = 1e-6
"""Difference of two sums of squares that rounding may make."""
_NO_SQUARES = 1e-12
"""Sum of squares that rounding may make of equal answers."""


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

    def without_jumps(self) -> Repeats:
        r"""These, less the one pair that makes most of a judge's squares, if one does.

        Most ratings come again as they were, and few jump. One jump among few repeats makes a quiet
        judge look several times as noisy as another that jumps as often but did not yet. The
        largest of r squares of normal noise makes about :math:`2\ln r` of their sum of r; so many
        repeats are left out with it.
        """
        freedom, squares = self.freedom.sum(axis=0), self.squares.sum(axis=0)
        judges = np.arange(freedom.size)
        largest = self.squares.argmax(axis=0)
        jumps = (freedom >= _FEWEST) & (self.squares[largest, judges] > _JUMP * squares)
        taken = np.minimum(2 * np.log(np.maximum(freedom, 1.0)), freedom / 2)
        left = np.where(jumps, 1 - taken / np.maximum(freedom, 1.0), 1.0)
        kept = self.squares.copy()
        kept[largest[jumps], judges[jumps]] = 0.0
        return Repeats(freedom=self.freedom * left, squares=kept)

    def only(self, judges: BoolArray) -> Repeats:
        """Those of these judges."""
        return Repeats(freedom=self.freedom * judges, squares=self.squares * judges)


def only_two_answers(moments: Moments) -> bool:
    """Whether every score is 0 or 1, as their sums of squares tell."""
    seen = moments.n > 0
    squares = moments.n * moments.mean * (1 - moments.mean)
    return bool(seen.any() and (np.abs(moments.m2 - squares)[seen] < _SAME).all())


def usual_answers(moments: Moments) -> float:
    r"""Share u of calls that give the answer their judge usually gives the item.

    Two ratings are the same if both are usual, :math:`z = u^2` of the pairs asked twice. Of yes and
    no so are half of those on which the judge is undecided: :math:`z = u + (1 - u)/2`.
    """
    twice = moments.n == 2
    same = float(np.mean(moments.m2[twice] < _NO_SQUARES)) if twice.any() else 0.0
    return max(2 * same - 1, 0.0) if only_two_answers(moments) else math.sqrt(same)


def _freedom(moments: Moments) -> FloatArray:
    return np.maximum(moments.n - 1, 0).astype(np.float64)
