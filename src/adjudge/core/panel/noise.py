"""How much single calls vary: by judge, by item, by pair, each believed as far as it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.repeats import Repeats, only_two_answers
from adjudge.core.problem import Moments

FLOOR = 1e-4
"""Smallest variance of a call on the scale 0 to 1: a rating that never changed may yet."""
_GUESS, _GUESS_FREEDOM = 0.01, 2.0
"""Variance of a call before any judge was asked twice, and the repeats that outweigh it."""
_YES_OR_NO_GUESS, _YES_OR_NO_FREEDOM = 0.1, 4.0
"""The same where judges say yes or no: a few equal answers do not show that they always will."""
_JUDGE_FREEDOM, _YES_OR_NO_JUDGE_FREEDOM = 4.0, 24.0
"""Repeats that outweigh the panel's variance in a judge's own, and where judges say yes or no: a
repeat that only tells "the same" or "not" tells less, and noises differ less."""
_ENOUGH = 30
"""Repeats below which items and pairs are not told apart."""
_CERTAIN = 1e6
"""Freedom that stands for "all alike"."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Noise:
    r"""Variances :math:`\sigma_{kj}^2 = \beta_j a_k u_{kj}`: judge, item, and the pair's own."""

    by_judge: FloatArray
    """β, each judge's variance on an average item; shape (J,)."""
    item: FloatArray
    """a, how much noisier than the average item; shape (K, 1)."""
    by_pair: FloatArray
    """σ²; shape (K, J)."""
    guess: float
    """Variance of a judge of which nothing is known."""
    belief: float
    """Repeats of a judge that outweigh it."""
    freedom: float
    """Strength of the prior of a pair's variance, in degrees of freedom."""
    yes_or_no: bool
    """Whether only the two ends of the scale were ever answered."""

    def part(self, items: IntArray | slice) -> Noise:
        """The same of some items."""
        return replace(self, item=self.item[items], by_pair=self.by_pair[items])

    def scaled_to(self, by_judge: FloatArray) -> Noise:
        """The same with other variances by judge; shape (J,)."""
        by_pair = np.maximum(self.by_pair * (by_judge / self.by_judge), FLOOR)
        return replace(self, by_judge=by_judge, by_pair=by_pair)


def learn_noise(moments: Moments, repeats: Repeats) -> Noise:
    r"""Variances from repeated calls, on the scale 0 to 1.

    Each factor is a ratio of sums of squares to degrees of freedom, shrunk to 1 as strongly as the
    data themselves show it to be alike:

    .. math:: a_k = \frac{d_a + \sum_j M_{2,kj}/(\beta_j u_{kj})}{d_a + \sum_j (n_{kj}-1)},\qquad
              u_{kj} = \frac{d_u + M_{2,kj}/(\beta_j a_k)}{d_u + n_{kj} - 1}

    and a judge's variance is a ratio of sums, :math:`\beta_j = \sum_k M_{2,kj} / \sum_k (n_{kj}-1)
    a_k`: a sum of ratios would count every large deviation twice, in the item's factor and against
    the judge, and find too little noise.

    The spread of the item factor shows in the products of different judges' deviations, which no
    shape of the noise can imitate; the pair's own in what the spread of sample variances has left
    beyond a term that falls with the number of repeats. Where only the two ends of the scale were
    ever answered, pairs are not told apart: there the variance of few answers is a function of
    their mean, and to trust the pairs that seem quiet would be to trust the extreme ones.

    `repeats` say how much each counts in a judge's variance; in its item's and pair's own it
    counts once.
    """
    freedom = Repeats.of(moments).freedom
    judge_freedom, judge_squares = repeats.freedom.sum(axis=0), repeats.squares.sum(axis=0)
    total = float(judge_freedom.sum())
    yes_or_no = only_two_answers(moments)
    guess, trust, belief = _GUESS, _GUESS_FREEDOM, _JUDGE_FREEDOM
    if yes_or_no:
        guess, trust, belief = _YES_OR_NO_GUESS, _YES_OR_NO_FREEDOM, _YES_OR_NO_JUDGE_FREEDOM
    panel = (trust * guess + float(judge_squares.sum())) / (trust + total)
    prior = belief * panel
    judge = np.maximum((prior + judge_squares) / (belief + judge_freedom), FLOOR)
    if total < _ENOUGH or yes_or_no:
        alike = np.broadcast_to(judge, moments.n.shape).copy()
        one = np.ones((moments.n.shape[0], 1))
        return Noise(
            by_judge=judge,
            item=one,
            by_pair=alike,
            guess=panel,
            belief=belief,
            freedom=_CERTAIN,
            yes_or_no=yes_or_no,
        )
    item, pair = np.ones((moments.n.shape[0], 1)), np.ones(moments.n.shape)
    for _ in range(4):
        item_freedom, pair_freedom = _strengths(moments.m2 / judge, freedom)
        item = (item_freedom + (moments.m2 / (judge * pair)).sum(axis=1, keepdims=True)) / (
            item_freedom + freedom.sum(axis=1, keepdims=True)
        )
        item /= np.average(item, weights=freedom.sum(axis=1, keepdims=True))
        pair = (pair_freedom + moments.m2 / (judge * item)) / (pair_freedom + freedom)
        weight = belief + (repeats.freedom * item).sum(axis=0)
        judge = np.maximum((prior + judge_squares) / weight, FLOOR)
    return Noise(
        by_judge=judge,
        item=item,
        by_pair=np.maximum(judge * item * pair, FLOOR),
        guess=panel,
        belief=belief,
        freedom=min(item_freedom, pair_freedom),
        yes_or_no=False,
    )


def _strengths(squares: FloatArray, freedom: FloatArray) -> tuple[float, float]:
    """Degrees of freedom of the priors of item and pair factors."""
    seen = freedom > 0
    ratio = np.divide(squares, freedom, out=np.ones(squares.shape), where=seen)
    item_spread = _shared_spread(freedom * (ratio - 1), freedom)
    total_spread = spread_beyond_chance((ratio[seen] - 1) ** 2, freedom[seen])
    pair_spread = max((1 + total_spread) / (1 + item_spread) - 1, 0.0)
    return prior_freedom(item_spread), prior_freedom(pair_spread)


def _shared_spread(deviation: FloatArray, weight: FloatArray) -> float:
    """Mean product of the relative deviations of different judges of an item."""
    products = deviation.sum(axis=1) ** 2 - (deviation**2).sum(axis=1)
    possible = weight.sum(axis=1) ** 2 - (weight**2).sum(axis=1)
    total = float(possible.sum())
    return max(float(products.sum()) / total, 0.0) if total > 0 else 0.0


def spread_beyond_chance(squared: FloatArray, freedom: FloatArray) -> float:
    r"""Intercept of :math:`E(s^2/\sigma^2 - 1)^2 = t + c / d` over degrees of freedom d.

    c is 2 for normal scores and other for other shapes; it is learned where d varies.
    """
    inverse = 1 / freedom
    mean_inverse = float(np.average(inverse, weights=freedom))
    mean_squared = float(np.average(squared, weights=freedom))
    spread = float(np.average((inverse - mean_inverse) ** 2, weights=freedom))
    slope = 2.0
    if spread > 1e-3:
        product = (inverse - mean_inverse) * (squared - mean_squared)
        learned = float(np.average(product, weights=freedom)) / spread
        trust = spread * freedom.size
        slope = min(max((learned * trust + 2 * 0.5) / (trust + 0.5), 0.5), 12.0)
    return max(mean_squared - slope * mean_inverse, 0.0)


def prior_freedom(spread: float) -> float:
    """Degrees of freedom of an inverse-gamma factor of this relative variance."""
    return 4 + 2 / spread if spread > 1e-4 else _CERTAIN
