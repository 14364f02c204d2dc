"""What judges' answers to the same items, and to the same question twice, are likely to mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.noise import FLOOR, Noise
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments

_MOST_ITEMS = 4096
"""Items that are enough to tell: more would only cost time."""
_ALIKE = 8.0
"""Items' worth of belief that all judges deviate alike."""
_OFFSET = 1 / 16
"""Variance of a judge's offset before it was compared."""
_FIRST = 0.008
"""Deviation that the first look presumes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """What an item's answers say of level, deviations and noise, for S items."""

    precision: FloatArray
    """w, the inverse variance of an answer around the level on an average item; shape (S, J)."""
    total: FloatArray
    """W; shape (S,)."""
    residual: FloatArray
    """Answers less offsets and level; shape (S, J)."""
    noise_share: FloatArray
    """Part of an answer's variance that is noise; shape (S, J)."""
    deviation_share: FloatArray
    """Part that is deviation; shape (S, J)."""
    unknown: FloatArray
    """Variance of an answer's noise, and of its deviation, given their sum; shape (S, J)."""
    offset_information: FloatArray
    """Inverse covariance of the offsets' errors; shape (J, J)."""
    misfit: FloatArray
    """Squares of all that was seen of an item over their variances; shape (R,)."""
    ease: FloatArray
    """Expected 1/h; shape (R,)."""

    def expected_squares(self, share: FloatArray, ease: FloatArray) -> FloatArray:
        """Of the part of the answers that has this share of their variance, over h; (S, J)."""
        known = ease[: self.total.size, None] * (share * self.residual) ** 2
        squares: FloatArray = known + self.unknown + share**2 / self.total[:, None]
        return squares


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """S items that several judges saw, and R - S more that were asked twice of one."""

    seen: BoolArray
    """Shape (S, J)."""
    n: FloatArray
    """Calls, 1 where there were none; shape (S, J)."""
    answer: FloatArray
    """Mean score; shape (S, J)."""
    squares: FloatArray
    """Sum of squares of each pair's repeats; shape (R, J)."""
    repeats: FloatArray
    """Degrees of freedom of each judge's repeats; shape (J,)."""
    freedom: FloatArray
    """Degrees of freedom of all that was seen of an item but for its level; shape (R,)."""
    guess: float
    """Noise of a judge of which nothing is known."""
    belief: float
    """Repeats that it is worth in a judge's own."""

    @classmethod
    def of(cls, moments: Moments, noise: Noise, shared: IntArray, repeats: Repeats) -> Comparisons:
        """Those of the `shared` items, that several judges saw; noise gives the first belief."""
        shared = _at_most(shared)
        freedom = repeats.freedom
        repeated = np.flatnonzero(freedom.any(axis=1))
        items = np.concatenate([shared, _at_most(np.setdiff1d(repeated, shared))])
        seen = moments.n[shared] > 0
        between = np.zeros(items.size)
        between[: shared.size] = seen.sum(axis=1) - 1
        # Column by column: sums over a few judges are then five times as fast.
        return cls(
            seen=np.asfortranarray(seen),
            n=np.asfortranarray(np.where(seen, moments.n[shared], 1), np.float64),
            answer=np.asfortranarray(np.where(seen, moments.mean[shared], 0.0)),
            squares=np.asfortranarray(repeats.squares[items]),
            repeats=freedom[items].sum(axis=0),
            freedom=freedom[items].sum(axis=1) + between,
            guess=noise.guess,
            belief=noise.belief,
        )

    def split(
        self, noise: FloatArray, deviation: FloatArray, ease: FloatArray, likeness: float
    ) -> Split:
        r"""Level, deviations and noise given these variances, (J,) and (J,).

        With :math:`v = \beta_j/n_{kj}`, :math:`w = 1/(d_j + v)` and :math:`W = \sum_j w`, the
        mean noise has mean :math:`v w r` and variance :math:`h (v d_j w + (v w)^2/W)`, r being what
        is left of an answer without offset and level; the deviation likewise, v and d_j exchanged.
        With f degrees of freedom and misfit q, :math:`E(1/h) = (\nu + f)/(\nu + q)`.
        """
        variance = noise / self.n
        precision = np.where(self.seen, 1 / (deviation + variance), 0.0)
        total = precision.sum(axis=1)
        level = (precision * self.answer).sum(axis=1) / total
        weight = precision * ease[: total.size, None]
        information = np.diag(weight.sum(axis=0)) - (weight / total[:, None]).T @ precision
        information += np.eye(noise.size) / _OFFSET
        surprise = (weight * (self.answer - level[:, None])).sum(axis=0)
        offset = np.linalg.solve(information, surprise)
        centered = np.where(self.seen, self.answer - offset, 0.0)
        level = (precision * centered).sum(axis=1) / total
        residual = np.where(self.seen, centered - level[:, None], 0.0)
        misfit = (self.squares / noise).sum(axis=1)
        misfit[: total.size] += (precision * residual**2).sum(axis=1)
        return Split(
            precision=precision,
            total=total,
            residual=residual,
            noise_share=variance * precision,
            deviation_share=deviation * precision,
            unknown=variance * deviation * precision,
            offset_information=information,
            misfit=misfit,
            ease=(likeness + self.freedom) / (likeness + misfit),
        )

    def noise(self, split: Split, ease: FloatArray) -> FloatArray:
        """Each judge's noise, given what the answers say of it; shape (J,)."""
        squares = (ease[:, None] * self.squares).sum(axis=0)
        squares += (self.n * split.expected_squares(split.noise_share, ease)).sum(axis=0)
        weight = self.belief + self.repeats + self.seen.sum(axis=0)
        learned: FloatArray = (self.belief * self.guess + squares) / weight
        return np.maximum(learned, FLOOR)

    def deviation(self, split: Split, ease: FloatArray, size: float) -> FloatArray:
        """How far each judge deviates, all of them about this size; shape (J,)."""
        squares = split.expected_squares(split.deviation_share, ease).sum(axis=0)
        learned: FloatArray = (_ALIKE * size + squares) / (_ALIKE + self.seen.sum(axis=0))
        return learned if size > 0 else np.zeros(learned.shape)

    def unexplained(self, noise: FloatArray, likeness: float) -> FloatArray:
        """What noise does not explain of each judge's differences, over the panel's mean; (J,).

        Steps are slow to take back what was taken for noise: they begin where it is deviation.
        """
        first = np.full(noise.size, _FIRST)
        split = self.split(noise, first, np.ones(self.freedom.size), likeness)
        explained = np.where(self.seen, noise / self.n, 0.0).sum(axis=0)
        left = np.maximum((split.residual**2).sum(axis=0) - explained, 0.0)
        deviation = (_ALIKE * _FIRST + left) / (_ALIKE + self.seen.sum(axis=0))
        scaled: FloatArray = deviation / deviation.mean()
        return scaled

    def log_likelihood(
        self, split: Split, noise: FloatArray, own: FloatArray, likeness: float
    ) -> float:
        r"""Of all that was seen; hardness, noise, offsets and `own` measures integrated out.

        An item of f degrees of freedom and misfit q has, beside its variances,
        :math:`\Gamma(\frac{\nu+f}2)/\Gamma(\frac\nu2)\,(\frac\nu2)^{-f/2}(1+q/\nu)^{-(\nu+f)/2}`.
        """
        spread = -np.log(split.precision, where=self.seen, out=np.zeros(self.seen.shape))
        spreads = spread.sum() + np.log(split.total).sum() + self.repeats @ np.log(noise)
        half = likeness / 2
        gammas = gammaln(half + self.freedom / 2) - gammaln(half) - self.freedom / 2 * np.log(half)
        fit = (likeness + self.freedom) * np.log1p(split.misfit / likeness) - 2 * gammas
        belief = self.belief * (np.log(noise) + self.guess / noise).sum()
        other = 1 - split.precision / split.total[:, None]
        told = self.belief + self.repeats + ((split.noise_share * other) ** 2).sum(axis=0)
        volume = np.log(told / 2).sum() + np.linalg.slogdet(split.offset_information)[1]
        if split.deviation_share.any():
            belief += _ALIKE * (np.log(own) + 1 / own - 1).sum()
            told = ((split.deviation_share * other) ** 2).sum(axis=0)
            volume += np.log(1 + told / _ALIKE).sum()
        return -0.5 * float(spreads + fit.sum() + belief + volume)


def _at_most(items: IntArray) -> IntArray:
    """So many of the items that more would not tell more, evenly chosen."""
    return items[:: max(-(-items.size // _MOST_ITEMS), 1)]
