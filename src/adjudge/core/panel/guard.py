"""Judges whose scores do not follow the others must not take the budget, nor count."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.problem import Moments

_SHARED = 20
"""Shared items before a judge that varies can be switched off."""
_DOUBTFUL, _UNLIKELY = 0.3, 0.05
"""Probability of always the same answer below which nothing is built on a judge, and below which it
is switched off: to count one that tells nothing costs as much as to miss one that says little."""
_IMPOSSIBLE = 0.001
"""Below which it is not heard again."""
_FEWEST_ANSWERS = 6
"""Equal answers before a judge is switched off for them, however odd they are."""
_FIRST_ANSWERS = 2.0
"""Answers that outweigh the first guess that half of all answers are the same."""
_ALIKE = 3.0
"""Pairs of its own answers that outweigh the others' in how often a judge is thought to give the
same one."""
_SLOPE = 0.25
"""Rise of a judge's answer with the others', below which it does not follow them."""
_SURE = 2.5
"""Standard errors by which the slope must be below."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guard:
    """Which judges count, and which may yet."""

    chance: FloatArray
    """Probability that a judge who follows the others looks as this one does; shape (J,)."""
    hearing: IntArray
    """More answers to hear from a judge in doubt: as many as would switch it off if they, too, were
    the same, but no more than it gave; shape (J,)."""

    @classmethod
    def of(cls, moments: Moments, covariance: FloatArray, noise: FloatArray) -> Guard:
        """Which judges follow the others.

        A judge is switched off if it gave one and the same answer to so many items that others
        would hardly have done so by chance; or if, on twenty or more shared items, its slope on the
        mean of the others lies below 0.25 by more than two and a half standard errors. Slopes come
        from the learned covariance (J, J), which the noise (J,) of few calls does not flatten.
        """
        seen = moments.n > 0
        judges = seen.shape[1]
        chance, hearing = np.ones(judges), np.zeros(judges, np.int64)
        alike = never_varied(moments)
        # Of two judges nobody can say which one does not follow the other.
        for j in range(judges if judges > 2 else 0):
            others = np.flatnonzero(np.arange(judges) != j)
            shared = np.flatnonzero(seen[:, j] & seen[:, others].any(axis=1))
            if alike[j]:
                answers = int(seen[:, j].sum())
                same = _same_by_chance(moments, others, 2 * answers)
                chance[j] = same[answers]
                hearing[j] = np.count_nonzero(same[answers:-1] >= _UNLIKELY) or answers
            elif shared.size >= _SHARED:
                together = seen[shared][:, others].sum(axis=0)
                slope, error = _slope(covariance, noise, j, others, together)
                chance[j] = float(slope + _SURE * error >= _SLOPE)
        if np.count_nonzero(chance >= _UNLIKELY) < 2:
            chance[:] = 1.0
        return cls(chance=chance, hearing=hearing)

    @property
    def follow(self) -> BoolArray:
        """Those that follow the others, or were not yet shown not to; shape (J,)."""
        return self.chance >= _UNLIKELY

    @property
    def proven(self) -> BoolArray:
        """Of these, those whose answers do not look like always the same one; shape (J,)."""
        return self.chance >= _DOUBTFUL

    def to_hear(self, *, tight: bool) -> IntArray:
        """More answers to hear of judges in doubt; if tight, only while they count; shape (J,)."""
        in_doubt = (self.chance >= _IMPOSSIBLE) & ~self.proven
        return np.where(in_doubt & (self.follow | (not tight)), self.hearing, 0)


def never_varied(moments: Moments) -> BoolArray:
    """Which judges gave one and the same answer to all they were asked; shape (J,)."""
    seen = moments.n > 0
    highest = np.max(moments.mean, axis=0, where=seen, initial=-math.inf)
    lowest = np.min(moments.mean, axis=0, where=seen, initial=math.inf)
    own_spread = np.max(moments.m2, axis=0, where=seen, initial=0.0)
    same: BoolArray = (highest - lowest < 1e-9) & (own_spread < 1e-12)
    return same


def _same_by_chance(moments: Moments, judges: IntArray, most: int) -> FloatArray:
    r"""Probability that who follows these gives m equal answers, from m = 0 on; shape (most + 1,).

    With z the share of two of their answers that are the same, a judge's own share has a Beta law
    of that mean, worth s pairs, since some judges keep to one answer more than others do. Then m
    answers are all the same with a probability of :math:`\prod_{i<m-1} (sz + i)/(s + i)`. Fewer
    than six are never held to be so unlikely that a judge is switched off.
    """
    asked = moments.n[:, judges] > 0
    _, count = np.unique(np.round(moments.mean[:, judges][asked], 9), return_counts=True)
    number = int(count.sum())
    pairs = float((count * (count - 1)).sum() / max(number - 1, 1))
    same = (pairs + 0.5 * _FIRST_ANSWERS) / (number + _FIRST_ANSWERS)
    more = np.arange(max(most - 1, 0))
    chance = np.ones(most + 1)
    chance[2:] = np.cumprod((_ALIKE * same + more) / (_ALIKE + more))
    chance[:_FEWEST_ANSWERS] = np.maximum(chance[:_FEWEST_ANSWERS], _UNLIKELY)
    return chance


def _slope(
    covariance: FloatArray, noise: FloatArray, judge: int, others: IntArray, together: IntArray
) -> tuple[float, float]:
    r"""Slope of the judge's long-run answer on the others' mean, and its standard error.

    With c the judge's mean covariance with the others and t the variance of their mean, the slope
    is :math:`c/t`. Each covariance is known as well as the items `together`, (J - 1,), tell it, so
    that items shared with one judge say nothing of the others.
    """
    spread = float(covariance[np.ix_(others, others)].mean())
    slope = float(covariance[judge, others].mean()) / spread
    residual = float(covariance[judge, judge]) - slope**2 * spread + float(noise[judge])
    answers = np.diag(covariance)[others] + noise[others]
    squares = max(residual, 0.0) * float((answers / np.maximum(together, 1)).sum())
    return slope, math.sqrt(squares) / (others.size * spread)
