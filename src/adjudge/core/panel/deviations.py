"""How far judges stray from each other item by item, and how noisy they are if they do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.comparisons import Comparisons
from adjudge.core.panel.noise import Noise
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments

SIZES = np.concatenate([[0.0], 0.001 * 2.0 ** np.arange(7)])
"""Variances of deviations that are weighed against each other, on the scale 0 to 1."""
_NONE = 0.3
"""Odds, before judges were compared, that they do not deviate at all: few panels are like that."""
_FEWEST_ITEMS = 2
"""Items that several judges saw before they tell anything."""
_STEPS = 8
_LIKENESS = (5.0, 60.0)
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


def learn_deviations(moments: Moments, noise: Noise, repeats: Repeats) -> Deviations:
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
    shared = moments.compared
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
    comparisons = Comparisons.of(moments, noise, shared, repeats)
    fits = [_Fits.of(comparisons, noise.by_judge, likeness) for likeness in _LIKENESS]
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
    def of(cls, comparisons: Comparisons, noise: FloatArray, likeness: float) -> _Fits:
        judge, own = noise, comparisons.unexplained(noise, likeness)
        ease = np.ones(comparisons.freedom.size)
        fits = []
        for size in SIZES[::-1]:
            deviation = size * own
            for _ in range(_STEPS):
                split = comparisons.split(judge, deviation, ease, likeness)
                ease = split.ease
                judge = comparisons.noise(split, ease)
                deviation = comparisons.deviation(split, ease, size)
            split = comparisons.split(judge, deviation, ease, likeness)
            own = deviation / size if size > 0 else own
            alike = np.ones(ease.size)
            fits.append(
                (
                    comparisons.log_likelihood(split, judge, own, likeness),
                    comparisons.noise(split, alike),
                    float(comparisons.deviation(split, alike, size).mean()),
                )
            )
        likelihood, found, sizes = zip(*fits[::-1], strict=True)
        return cls(
            log_likelihood=np.array(likelihood), noise=np.array(found), deviation=np.array(sizes)
        )
