"""How far judges stray from each other item by item, and how noisy they are if they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
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
_BELIEF = 4.0
"""Repeats that what is believed of the panel's noise is worth in a judge's own."""
_ALIKE = 8.0
"""Items' worth of belief that all judges deviate alike."""
_OFFSET = 1 / 16
"""Variance of a judge's offset before it was compared."""
_FIRST = 0.008
"""Deviation that the first look presumes."""
_STEPS = 12
_USUAL_TAILS, _TAILS_ITEMS = 1.5, 10.0
"""How much more the likelihood is believed to vary than it thinks, and the items that outweigh."""


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
    variance about :math:`d`, each judge's in its own measure, and noise of variance
    :math:`\beta_j a_k / n_{kj}`, nothing being known of :math:`s_k`. A judge asked once per item
    shows only the sum of both. So for every size d noise and measures are learned from all that
    was seen (expectation-maximisation), and the sizes are weighed by the likelihood that is left.

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
    comparisons = _Comparisons.of(moments, noise, shared[:: -(-shared.size // _MOST_ITEMS)])
    judge, own = noise.by_judge, comparisons.unexplained(noise.by_judge)
    by_size, sizes, likelihoods, tails = [], [], [], []
    for size in SIZES[::-1]:
        deviation = size * own
        for _ in range(_STEPS):
            split = comparisons.split(judge, deviation)
            judge = comparisons.noise(split)
            deviation = comparisons.deviation(split, size)
        split = comparisons.split(judge, deviation)
        own = deviation / size if size > 0 else own
        by_size.append(judge)
        sizes.append(float(deviation.mean()))
        likelihoods.append(comparisons.log_likelihood(split, judge, own))
        tails.append(split.tails)
    likelihood, found = np.array(likelihoods[::-1]), np.array(by_size[::-1])
    likelihood /= tails[::-1][int(likelihood.argmax())]
    odds = odds_of(likelihood)
    # Beside a near certain "none" the odds of the other sizes may be too small for a number.
    other = np.exp(likelihood[1:] - likelihood[1:].max())
    return Deviations(
        odds=odds,
        expected=float(odds @ sizes[::-1]),
        noise_if_none=found[0],
        noise_on_average=odds @ found,
        noise_if_any=other @ found[1:] / float(other.sum()),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Split:
    """What an item's answers say of level, deviations and noise, for S items."""

    precision: FloatArray
    """w, the inverse variance of an answer around the level; shape (S, J)."""
    total: FloatArray
    """W; shape (S,)."""
    residual: FloatArray
    """Answers less offsets and level; shape (S, J)."""
    noise_squares: FloatArray
    """Expected square of the mean noise of the calls; shape (S, J)."""
    deviation_squares: FloatArray
    """Expected square of the deviation; shape (S, J)."""
    noise_share: FloatArray
    """Part of an answer's variance that is noise; shape (S, J)."""
    deviation_share: FloatArray
    """Part that is deviation; shape (S, J)."""
    offset_information: FloatArray
    """Inverse covariance of the offsets' errors; shape (J, J)."""

    @property
    def tails(self) -> float:
        r"""How much more the items' slopes of the likelihood in d vary than normal scores' would.

        :math:`\sum_k (\partial \ell_k/\partial d)^2` over its expectation, drawn to what is usual
        where items are few.
        """
        first, second = self.precision.sum(axis=1), (self.precision**2).sum(axis=1)
        third = (self.precision**3).sum(axis=1)
        trace = first - second / self.total
        slope = ((self.precision * self.residual) ** 2).sum(axis=1) - trace
        expected = second - 2 * third / self.total + (second / self.total) ** 2
        items = self.total.size
        ratio = float((slope**2).sum()) / max(2 * float(expected.sum()), 1e-300)
        return max(1.0, (items * ratio + _TAILS_ITEMS * _USUAL_TAILS) / (items + _TAILS_ITEMS))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Comparisons:
    """Items that several judges saw."""

    seen: BoolArray
    """Shape (S, J)."""
    n: FloatArray
    """Calls, 1 where there were none; shape (S, J)."""
    answer: FloatArray
    """Mean score; shape (S, J)."""
    factor: FloatArray
    """a, how much noisier than the average item; shape (S, 1)."""
    squares: FloatArray
    """Sum of squares of each judge's repeats over all items; shape (J,)."""
    repeats: FloatArray
    """Their degrees of freedom; shape (J,)."""
    weight: FloatArray
    """Degrees of freedom times a; shape (J,)."""
    guess: float
    """Noise of a judge of which nothing is known."""

    @classmethod
    def of(cls, moments: Moments, noise: Noise, items: np.ndarray) -> _Comparisons:
        repeats = np.maximum(moments.n - 1, 0)
        seen = moments.n[items] > 0
        return cls(
            seen=seen,
            n=np.where(seen, moments.n[items], 1).astype(np.float64),
            answer=np.where(seen, moments.mean[items], 0.0),
            factor=noise.item[items],
            squares=moments.m2.sum(axis=0),
            repeats=repeats.sum(axis=0).astype(np.float64),
            weight=(repeats * noise.item).sum(axis=0),
            guess=noise.guess,
        )

    def split(self, noise: FloatArray, deviation: FloatArray) -> _Split:
        r"""Level, deviations and noise given these variances, (J,) and (J,).

        With :math:`v = \beta_j a_k/n_{kj}`, :math:`w = 1/(d_j + v)` and :math:`W = \sum_j w`, the
        mean noise has mean :math:`v w r` and variance :math:`v d_j w + (v w)^2/W`, r being what is
        left of an answer without offset and level; the deviation likewise, v and d_j exchanged.
        """
        variance = noise * self.factor / self.n
        precision = np.where(self.seen, 1 / (deviation + variance), 0.0)
        total = precision.sum(axis=1)
        level = (precision * self.answer).sum(axis=1) / total
        information = np.diag(precision.sum(axis=0)) - (precision / total[:, None]).T @ precision
        information += np.eye(noise.size) / _OFFSET
        surprise = (precision * (self.answer - level[:, None])).sum(axis=0)
        offset = np.linalg.solve(information, surprise)
        centered = np.where(self.seen, self.answer - offset, 0.0)
        level = (precision * centered).sum(axis=1) / total
        residual = np.where(self.seen, centered - level[:, None], 0.0)
        noise_share, own_share = variance * precision, deviation * precision
        common = variance * own_share
        return _Split(
            precision=precision,
            total=total,
            residual=residual,
            noise_squares=(noise_share * residual) ** 2 + common + noise_share**2 / total[:, None],
            deviation_squares=(own_share * residual) ** 2 + common + own_share**2 / total[:, None],
            noise_share=noise_share,
            deviation_share=own_share,
            offset_information=information,
        )

    def noise(self, split: _Split) -> FloatArray:
        """Each judge's noise, given what the answers say of it; shape (J,)."""
        squares = self.squares + (self.n * split.noise_squares).sum(axis=0)
        weight = self.weight + (self.seen * self.factor).sum(axis=0)
        learned: FloatArray = (_BELIEF * self.guess + squares) / (_BELIEF + weight)
        return np.maximum(learned, FLOOR)

    def deviation(self, split: _Split, size: float) -> FloatArray:
        """How far each judge deviates, all of them about this size; shape (J,)."""
        squares = _ALIKE * size + split.deviation_squares.sum(axis=0)
        learned: FloatArray = squares / (_ALIKE + self.seen.sum(axis=0))
        return learned if size > 0 else np.zeros(learned.shape)

    def unexplained(self, noise: FloatArray) -> FloatArray:
        """What noise does not explain of each judge's differences, over the panel's mean; (J,).

        Steps are slow to take back what was taken for noise: they begin where it is deviation.
        """
        items = self.seen.sum(axis=0)
        split = self.split(noise, np.full(noise.size, _FIRST))
        explained = np.where(self.seen, noise * self.factor / self.n, 0.0).sum(axis=0)
        left = np.maximum((split.residual**2).sum(axis=0) - explained, 0.0)
        deviation = (_ALIKE * _FIRST + left) / (_ALIKE + items)
        scaled: FloatArray = deviation / deviation.mean()
        return scaled

    def log_likelihood(self, split: _Split, noise: FloatArray, own: FloatArray) -> float:
        """Of all that was seen; noise, offsets and the judges' `own` measures integrated out."""
        spread = -np.log(split.precision, where=self.seen, out=np.zeros(self.seen.shape))
        between = spread.sum() + np.log(split.total).sum()
        between += (split.precision * split.residual**2).sum()
        usual = np.divide(self.squares, self.weight, where=self.weight > 0, out=noise.copy())
        within = (self.repeats * (np.log(noise) + usual / noise)).sum()
        belief = _BELIEF * (np.log(noise) + self.guess / noise).sum()
        other = 1 - split.precision / split.total[:, None]
        told = _BELIEF + self.repeats + ((split.noise_share * other) ** 2).sum(axis=0)
        volume = np.log(told / 2).sum() + np.linalg.slogdet(split.offset_information)[1]
        if split.deviation_share.any():
            belief += _ALIKE * (np.log(own) + 1 / own - 1).sum()
            told = ((split.deviation_share * other) ** 2).sum(axis=0)
            volume += np.log(1 + told / _ALIKE).sum()
        return -0.5 * float(between + within + belief + volume)
