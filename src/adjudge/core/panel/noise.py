"""How much noisier than its judge's usual call an item or a pair is, as far as repeats show it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import Beliefs

ALL_ALIKE = 1e6
"""Degrees of freedom of a factor that is 1 for all."""
_MOST_ITEMS = 16_384
"""Items from about which on a sample tells how far factors differ."""
_PASSES = 4
"""Passes over judges, items and pairs in turn, after which nothing moves any more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Factors:
    """How much noisier items and pairs are than usual."""

    of_pairs: FloatArray
    """f, item factor times pair factor; shape (K, J)."""
    freedom: float = ALL_ALIKE
    """Degrees of freedom of the prior; a pair's repeats add their own."""
    spread: float = 0.0
    """Relative variance of the pair factors."""


def learn_factors(moments: Moments, beliefs: Beliefs) -> Factors:
    r"""Factors :math:`f_{kj} = a_k u_{kj}` of the noise.

    Each is a ratio of sums of squares to degrees of freedom, shrunk to 1 with a strength
    estimated from the data:

    .. math:: a_k = \frac{d_a + \sum_j M_{2,kj}/(\beta_j u_{kj})}{d_a + \sum_j (n_{kj}-1)},\qquad
              u_{kj} = \frac{d_u + M_{2,kj}/(\beta_j a_k)}{d_u + n_{kj} - 1},\qquad
              \beta_j = \frac{\sum_k w_{kj} M_{2,kj}/(n_{kj}-1)}{\sum_k w_{kj} a_k},\qquad
              w_{kj} = \frac{n_{kj}-1}{n_{kj}-1+d}.

    The spread of the item factor shows in the products of different judges' deviations, which do
    not depend on the kurtosis of the noise; the pair's own in what the spread of sample variances
    has beyond that of normal scores. Where judges say yes or no, pairs are not told apart: there
    the variance of few answers is a function of their mean, and to trust the pairs that seem quiet
    would be to trust the extreme ones.
    """
    of_pairs = np.ones(moments.n.shape)
    repeated = np.flatnonzero((moments.n > 1).any(axis=1))
    freedom = np.maximum(moments.n[repeated] - 1.0, 0.0)
    total = float(freedom.sum())
    if beliefs.yes_or_no or total < beliefs.fewest:
        return Factors(of_pairs=of_pairs)
    squares, trust = moments.m2[repeated], beliefs.noise_likeness_repeats
    variance = squares / np.maximum(freedom, 1)
    # Plans repeat quiet pairs most, so a pair's weight is that of a random effect: it has a limit.
    weight = trust * freedom / (trust + freedom)
    prior = trust * max(float(np.average(variance, weights=weight)), beliefs.least_noise)
    judge = (prior + (weight * variance).sum(axis=0)) / (trust + weight.sum(axis=0))
    item, pair = np.ones((repeated.size, 1)), np.ones(squares.shape)
    of_items = freedom.sum(axis=1, keepdims=True)
    some = slice(None, None, max(repeated.size // _MOST_ITEMS, 1))
    for _ in range(_PASSES):
        item_spread, pair_spread = _spreads(variance[some] / judge, freedom[some], weight[some])
        item_trust, pair_trust = prior_freedom(item_spread), prior_freedom(pair_spread)
        item = (item_trust + (squares / (judge * pair)).sum(axis=1, keepdims=True)) / (
            item_trust + of_items
        )
        item /= np.average(item, weights=of_items)
        pair = (pair_trust + squares / (judge * item)) / (pair_trust + freedom)
        judge = (prior + (weight * variance).sum(axis=0)) / (trust + (weight * item).sum(axis=0))
    of_pairs[repeated] = item * pair
    return Factors(of_pairs=of_pairs, freedom=min(item_trust, pair_trust), spread=pair_spread)


def _spreads(ratio: FloatArray, freedom: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Relative variances of item and pair factors, from sample variances over the judge's."""
    seen = freedom > 0
    item_spread = _shared_spread(weight * (ratio - 1), weight)
    total = spread_beyond_chance((ratio[seen] - 1) ** 2, freedom[seen], weight[seen])
    return item_spread, max((1 + total) / (1 + item_spread) - 1, 0.0)


def _shared_spread(deviation: FloatArray, weight: FloatArray) -> float:
    """Mean product of the relative deviations of different judges of an item."""
    products = deviation.sum(axis=1) ** 2 - (deviation**2).sum(axis=1)
    possible = weight.sum(axis=1) ** 2 - (weight**2).sum(axis=1)
    total = float(possible.sum())
    return max(float(products.sum()) / total, 0.0) if total > 0 else 0.0


def spread_beyond_chance(squared: FloatArray, freedom: FloatArray, weight: FloatArray) -> float:
    r"""The mean of :math:`(s^2/\sigma^2 - 1)^2` less that of normal scores, 2/d; freedom d."""
    found, chance = np.average(np.stack([squared, 2 / freedom]), axis=1, weights=weight)
    return max(float(found - chance), 0.0)


def prior_freedom(spread: float) -> float:
    """Degrees of freedom of an inverse-gamma factor of this relative variance."""
    return 4 + 2 / spread if spread > 1e-4 else ALL_ALIKE
