"""How far judges stray from each other item by item, and how noisy they are if they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.noise import FLOOR, Noise
from adjudge.core.problem import Moments

SIZES = np.concatenate([[0.0], 0.001 * 2.0 ** np.arange(7)])
"""Variances of deviations that are weighed against each other, on the scale 0 to 1."""
_NONE = 0.3
"""Odds, before judges were compared, that they do not deviate at all: few panels are like that."""
_FEWEST_ITEMS = 2
"""Items that several judges saw before they tell anything."""
_MOST_ITEMS = 4096
"""Items that are enough to tell: more would only cost time."""
_ALIKE = 8.0
"""Items' worth of belief that all judges deviate alike."""
_OFFSET = 1 / 16
"""Variance of a judge's offset before it was compared."""
_FIRST = 0.008
"""Deviation that the first look presumes."""
_STEPS = 12
_HARDNESS = (5.0, 60.0)
"""Degrees of freedom of the law of how hard items are: very unlike, and nearly alike."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Deviations:
    """What comparisons say of deviations and noise together, on the scale 0 to 1."""

    odds: FloatArray
    """Probability of each of `SIZES`."""
    expected: float
    """Mean variance of the judges' deviations."""
    noise_if_none: FloatArray
    """Each judge's noise if judges do not deviate; shape (J,)."""
    noise_on_average: FloatArray
    """Each judge's noise, averaged over the sizes that deviations may have; shape (J,)."""
    noise_if_any: FloatArray
    """Each judge's noise if every judge deviates in its own measure; shape (J,)."""

    @property
    def none(self) -> float:
        """Probability that judges do not deviate."""
        return float(self.odds[0])


def odds_of(log_likelihood: FloatArray) -> FloatArray:
    """Probability of each of `SIZES`, those that are not zero being equally likely beforehand."""
    belief = np.full(SIZES.size, 1 / (SIZES.size - 1))
    belief[0] = _NONE
    odds = belief * np.exp(log_likelihood - log_likelihood.max())
    probability: FloatArray = odds / odds.sum()
    return probability


def learn_deviations(moments: Moments, noise: Noise) -> Deviations:
    r"""Deviations and noise, told apart by repeats and by the differences between judges.

    Within an item :math:`\bar y_{kj} = s_k + b_j + \delta_{kj} + \bar e_{kj}`, with deviations of
    variance about :math:`h_k d`, each judge's in its own measure, and noise of variance
    :math:`h_k \beta_j / n_{kj}`, nothing being known of :math:`s_k`. :math:`h_k`, how hard the item
    is, follows an inverse chi-square law, so that no hard item is mistaken for a deviation. A judge
    asked once per item shows only the sum of both. So for every size d noise and measures are
    learned from all that was seen (expectation-maximisation), and the sizes are weighed by the
    likelihood that is left.

    Noise learned from repeats alone misleads here: the judges that look quiet by chance are asked
    most, and their differences then look like deviations. To what is likely the choice of calls
    does not matter.
    """
    seen = moments.n > 0
    shared = np.flatnonzero(seen.sum(axis=1) >= 2)
    if shared.size < _FEWEST_ITEMS:
        judge = noise.by_judge
        odds = odds_of(np.zeros(SIZES.size))
        return Deviations(
            odds=odds,
            expected=float(odds @ SIZES),
            noise_if_none=judge,
            noise_on_average=judge,
            noise_if_any=judge,
        )
    comparisons = _Comparisons.of(moments, noise, _at_most(shared))
    fits = [_Fits.of(comparisons, noise.by_judge, hardness) for hardness in _HARDNESS]
    likelihoods = np.stack([fit.log_likelihood for fit in fits])
    likelihood = np.logaddexp.reduce(likelihoods, axis=0)
    share = np.exp(likelihoods - likelihood)
    found = sum(part[:, None] * fit.noise for part, fit in zip(share, fits, strict=True))
    sizes = sum(part * fit.deviation for part, fit in zip(share, fits, strict=True))
    odds = odds_of(likelihood)
    # Beside a near certain "none" the odds of the other sizes may be too small for a number.
    other = np.exp(likelihood[1:] - likelihood[1:].max())
    return Deviations(
        odds=odds,
        expected=float(odds @ sizes),
        noise_if_none=found[0],
        noise_on_average=odds @ found,
        noise_if_any=other @ found[1:] / float(other.sum()),
    )


def _at_most(items: IntArray) -> IntArray:
    """So many of the items that more would not tell more, evenly chosen."""
    return items[:: max(-(-items.size // _MOST_ITEMS), 1)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fits:
    """What is most likely for each of `SIZES`."""

    log_likelihood: FloatArray
    """Shape (sizes,)."""
    noise: FloatArray
    """Each judge's, on an average item; shape (sizes, J)."""
    deviation: FloatArray
    """The judges' mean, on an average item; shape (sizes,)."""

    @classmethod
    def of(cls, comparisons: _Comparisons, noise: FloatArray, hardness: float) -> _Fits:
        judge, own = noise, comparisons.unexplained(noise, hardness)
        ease = np.ones(comparisons.freedom.size)
        fits = []
        for size in SIZES[::-1]:
            deviation = size * own
            for _ in range(_STEPS):
                split = comparisons.split(judge, deviation, ease, hardness)
                ease = split.ease
                judge = comparisons.noise(split, ease)
                deviation = comparisons.deviation(split, ease, size)
            split = comparisons.split(judge, deviation, ease, hardness)
            own = deviation / size if size > 0 else own
            alike = np.ones(ease.size)
            fits.append(
                (
                    comparisons.log_likelihood(split, judge, own, hardness),
                    comparisons.noise(split, alike),
                    float(comparisons.deviation(split, alike, size).mean()),
                )
            )
        likelihood, found, sizes = zip(*fits[::-1], strict=True)
        return cls(
            log_likelihood=np.array(likelihood), noise=np.array(found), deviation=np.array(sizes)
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Split:
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
class _Comparisons:
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
    def of(cls, moments: Moments, noise: Noise, shared: IntArray) -> _Comparisons:
        freedom = np.maximum(moments.n - 1, 0)
        repeated = np.flatnonzero(freedom.any(axis=1))
        items = np.concatenate([shared, _at_most(np.setdiff1d(repeated, shared))])
        seen = moments.n[shared] > 0
        between = np.zeros(items.size)
        between[: shared.size] = seen.sum(axis=1) - 1
        return cls(
            seen=seen,
            n=np.where(seen, moments.n[shared], 1).astype(np.float64),
            answer=np.where(seen, moments.mean[shared], 0.0),
            squares=moments.m2[items],
            repeats=freedom[items].sum(axis=0).astype(np.float64),
            freedom=freedom[items].sum(axis=1) + between,
            guess=noise.guess,
            belief=noise.belief,
        )

    def split(
        self, noise: FloatArray, deviation: FloatArray, ease: FloatArray, hardness: float
    ) -> _Split:
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
        return _Split(
            precision=precision,
            total=total,
            residual=residual,
            noise_share=variance * precision,
            deviation_share=deviation * precision,
            unknown=variance * deviation * precision,
            offset_information=information,
            misfit=misfit,
            ease=(hardness + self.freedom) / (hardness + misfit),
        )

    def noise(self, split: _Split, ease: FloatArray) -> FloatArray:
        """Each judge's noise, given what the answers say of it; shape (J,)."""
        squares = (ease[:, None] * self.squares).sum(axis=0)
        squares += (self.n * split.expected_squares(split.noise_share, ease)).sum(axis=0)
        weight = self.belief + self.repeats + self.seen.sum(axis=0)
        learned: FloatArray = (self.belief * self.guess + squares) / weight
        return np.maximum(learned, FLOOR)

    def deviation(self, split: _Split, ease: FloatArray, size: float) -> FloatArray:
        """How far each judge deviates, all of them about this size; shape (J,)."""
        squares = split.expected_squares(split.deviation_share, ease).sum(axis=0)
        learned: FloatArray = (_ALIKE * size + squares) / (_ALIKE + self.seen.sum(axis=0))
        return learned if size > 0 else np.zeros(learned.shape)

    def unexplained(self, noise: FloatArray, hardness: float) -> FloatArray:
        """What noise does not explain of each judge's differences, over the panel's mean; (J,).

        Steps are slow to take back what was taken for noise: they begin where it is deviation.
        """
        first = np.full(noise.size, _FIRST)
        split = self.split(noise, first, np.ones(self.freedom.size), hardness)
        explained = np.where(self.seen, noise / self.n, 0.0).sum(axis=0)
        left = np.maximum((split.residual**2).sum(axis=0) - explained, 0.0)
        deviation = (_ALIKE * _FIRST + left) / (_ALIKE + self.seen.sum(axis=0))
        scaled: FloatArray = deviation / deviation.mean()
        return scaled

    def log_likelihood(
        self, split: _Split, noise: FloatArray, own: FloatArray, hardness: float
    ) -> float:
        r"""Of all that was seen; hardness, noise, offsets and `own` measures integrated out.

        An item of f degrees of freedom and misfit q has, beside its variances,
        :math:`\Gamma(\frac{\nu+f}2)/\Gamma(\frac\nu2)\,(\frac\nu2)^{-f/2}(1+q/\nu)^{-(\nu+f)/2}`.
        """
        spread = -np.log(split.precision, where=self.seen, out=np.zeros(self.seen.shape))
        spreads = spread.sum() + np.log(split.total).sum() + self.repeats @ np.log(noise)
        half = hardness / 2
        gammas = gammaln(half + self.freedom / 2) - gammaln(half) - self.freedom / 2 * np.log(half)
        fit = (hardness + self.freedom) * np.log1p(split.misfit / hardness) - 2 * gammas
        belief = self.belief * (np.log(noise) + self.guess / noise).sum()
        other = 1 - split.precision / split.total[:, None]
        told = self.belief + self.repeats + ((split.noise_share * other) ** 2).sum(axis=0)
        volume = np.log(told / 2).sum() + np.linalg.slogdet(split.offset_information)[1]
        if split.deviation_share.any():
            belief += _ALIKE * (np.log(own) + 1 / own - 1).sum()
            told = ((split.deviation_share * other) ** 2).sum(axis=0)
            volume += np.log(1 + told / _ALIKE).sum()
        return -0.5 * float(spreads + fit.sum() + belief + volume)
