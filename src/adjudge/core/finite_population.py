r"""Inference about all items from the asked ones, for any distribution of scores.

The asked items are treated as a simple random sample of all items, without replacement: strategies
choose at random which item to ask first. But cheap items are preferred if prices differ, and items
whose calls fail are missing. The sample is then random only if price and failure are independent
of the score, which the scores cannot show.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import betaincinv, gammaln

from adjudge.core.arrays import FloatArray, IntArray

_SAME = 1e-9
"""Scores closer than this, on the scale 0 to 1, are equal."""
_STEPS = 18
"""Bisection steps in the search for a bound: accurate to 4e-6 of the scale."""
_LARGEST_STAKE = 0.99
"""Maximum share of its capital that a bet may lose."""
_DEVIATIONS = (0.25, 0.1, 0.04, 0.015)
"""Standard deviations of scores, on the scale 0 to 1, for which the fixed stakes are optimal."""
_ORDERS = 2
"""Number of shuffled orders to average bets over."""


_GOLDEN = 0x9E3779B97F4A7C15
"""2^64 over the golden ratio."""


class Sampling(Protocol):
    """The sampling error of a mean over the asked items."""

    def reach(self, level: float) -> tuple[float, float]:
        """Distances from the mean of the asked items down and up to the interval's ends."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RandomSample:
    """The scores of items drawn at random without replacement from a population."""

    scores: FloatArray
    """Shape (n,), at least one."""
    population: float
    """Number of items including the sample; may be infinite."""
    score_range: tuple[float, float]

    def reach(self, level: float) -> tuple[float, float]:
        """Distances to the ends of the interval for the population mean."""
        # Unbiased scores of noisy items may lie outside the range, so the range is extended.
        low = min(self.score_range[0], float(self.scores.min()))
        high = max(self.score_range[1], float(self.scores.max()))
        unit = (self.scores - low) / (high - low)
        start, end = population_mean_interval(unit, self.population, level)
        mean = float(unit.mean())
        return (high - low) * max(mean - start, 0.0), (high - low) * max(end - mean, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledDifference:
    r"""The difference of two means of independent samples.

    .. math:: L = \hat a - \hat b - \sqrt{(\hat a - l_a)^2 + (u_b - \hat b)^2}

    and U likewise, from both intervals (Zou and Donner 2008), with no further assumption on the
    distribution of scores.
    """

    first: Sampling
    second: Sampling

    def reach(self, level: float) -> tuple[float, float]:
        """Root sum of squares of both means' distances."""
        first_below, first_above = self.first.reach(level)
        second_below, second_above = self.second.reach(level)
        return math.hypot(first_below, second_above), math.hypot(first_above, second_below)


def population_mean_interval(
    scores: FloatArray, population: float, level: float
) -> tuple[float, float]:
    """Interval for a population mean in [0, 1], from a random sample without replacement.

    Scores that are all 0 or 1 get the exact interval of Clopper and Pearson (hypergeometric in a
    finite population), others the betting interval. Both have at least their nominal coverage for
    every distribution. If the whole population was seen, the interval is its mean.
    """
    if scores.size >= population:
        mean = float(scores.mean())
        return mean, mean
    tail = (1 - level) / 2
    if are_yes_or_no(scores, (0.0, 1.0)):
        yes = int(np.count_nonzero(scores > 0.5))
        no = scores.size - yes
        low = _lowest_share(yes, no, population, tail)
        return low, 1 - _lowest_share(no, yes, population, tail)
    stakes = _Bets.of(scores, population, tail)
    mirrored = _Bets.of(1 - scores, population, tail)
    return stakes.lowest_mean(), 1 - mirrored.lowest_mean()


def are_yes_or_no(scores: FloatArray, score_range: tuple[float, float]) -> bool:
    """Whether every score is one of the two ends of the scale."""
    near = _SAME * (score_range[1] - score_range[0])
    from_ends = np.minimum(np.abs(scores - score_range[0]), np.abs(scores - score_range[1]))
    return bool((from_ends < near).all())


def prediction_interval(
    scores: FloatArray, score_range: tuple[float, float], level: float
) -> tuple[float, float]:
    r"""Prediction interval for one more item's score, from the scores seen; shape (n,).

    From the k-th smallest to the k-th largest score, with
    :math:`k = \lfloor (n + 1)(1 - level)/2 \rfloor`: one more item is equally likely to have any
    rank among them, so it lies outside with probability at most :math:`2k/(n + 1)` for any
    distribution. With too few scores, k = 0, it is the whole range.
    """
    low, high = score_range
    rank = math.floor((scores.size + 1) * (1 - level) / 2 + _SAME)
    if rank < 1:
        return low, high
    ordered = np.sort(scores)
    return (
        min(max(float(ordered[rank - 1]), low), high),
        min(max(float(ordered[scores.size - rank]), low), high),
    )


def _lowest_share(yes: int, no: int, population: float, tail: float) -> float:
    """Lower Clopper-Pearson limit for the share of yes."""
    if yes == 0:
        return 0.0
    if math.isinf(population):
        return float(betaincinv(yes, no + 1, tail))
    items = int(population)
    few, many = yes - 1, items - no
    # Upper end of the search: every unseen item is a yes.
    while many - few > 1:
        middle = (few + many) // 2
        if _at_least(yes, yes + no, middle, items) > tail:
            many = middle
        else:
            few = middle
    return many / items


def _at_least(yes: int, drawn: int, all_yes: int, items: int) -> float:
    """Hypergeometric P(at least `yes` among `drawn`) if `all_yes` of `items` are yes."""
    number = np.arange(yes, min(drawn, all_yes) + 1)
    if not number.size:
        return 0.0
    logs = (
        _log_choose(all_yes, number)
        + _log_choose(items - all_yes, drawn - number)
        - _log_choose(items, np.array(drawn))
    )
    return float(np.exp(logs).sum())


def _log_choose(items: int, number: IntArray) -> FloatArray:
    possible = (number >= 0) & (number <= items)
    chosen = np.where(possible, number, 0)
    logs = gammaln(items + 1) - gammaln(chosen + 1) - gammaln(items - chosen + 1)
    return np.where(possible, logs, -math.inf)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bets:
    r"""Capital of bets against the hypothesis that a population has the mean m.

    .. math:: K(m) = \prod_i (1 + \lambda_i (x_i - m_i)),\qquad
              m_i = \frac{Nm - \sum_{h<i} x_h}{N - i + 1}

    where :math:`m_i` is the expectation of the next item if the mean is m (Waudby-Smith and Ramdas
    2020 and 2024, sampling without replacement). Under the hypothesis :math:`E K(m) = 1` for every
    staking rule and for averages of rules, so K exceeds :math:`1/\alpha` with probability at most
    α (Markov). Half of the capital is staked by the variance of the earlier scores, the
    rest by fixed deviations, each optimal for some distribution. Since files may be sorted, the
    capital is averaged over shuffled orders.
    """

    scores: tuple[FloatArray, ...]
    """The scores in several orders; each of shape (n,)."""
    before: tuple[FloatArray, ...]
    """Sums of the preceding scores; each of shape (n,)."""
    stakes: tuple[FloatArray, ...]
    """λ of each staking rule, before clipping; each of shape (rules, n)."""
    log_shares: FloatArray
    """Logarithm of each rule's share of the capital; shape (rules,)."""
    population: float
    threshold: float
    """Logarithm of the capital at which a mean is rejected."""

    @classmethod
    def of(cls, scores: FloatArray, population: float, tail: float) -> _Bets:
        """The bets of all staking rules on these scores."""
        number = scores.size
        threshold = -math.log(tail)
        orders = [scores[_shuffled(number, turn)] for turn in range(_ORDERS)]
        ways = len(_DEVIATIONS)
        return cls(
            scores=tuple(orders),
            before=tuple(np.cumsum(order) - order for order in orders),
            stakes=tuple(_stakes(order, threshold) for order in orders),
            log_shares=np.log(np.array([0.5, *[0.5 / ways] * ways])),
            population=population,
            threshold=threshold,
        )

    def lowest_mean(self) -> float:
        """The lowest mean not rejected, rounded down; capital falls as m grows."""
        low, high = 0.0, 1.0
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self._log_capital(middle) >= self.threshold:
                low = middle
            else:
                high = middle
        return low

    def _log_capital(self, mean: float) -> float:
        found = []
        for scores, before, stakes in zip(self.scores, self.before, self.stakes, strict=True):
            expected = self._expected(mean, before)
            if (expected <= 0).any():
                # The scores seen exceed the total of a population with this mean.
                return math.inf
            stake = np.minimum(stakes, _LARGEST_STAKE / expected)
            capital = np.log1p(stake * (scores - expected)).sum(axis=1)
            found.append(np.logaddexp.reduce(capital + self.log_shares))
        return float(np.logaddexp.reduce(found)) - math.log(len(found))

    def _expected(self, mean: float, before: FloatArray) -> FloatArray:
        """m_i; shape (n,)."""
        if math.isinf(self.population):
            return np.full(before.size, max(mean, _SAME))
        left = self.population - np.arange(before.size)
        return (self.population * mean - before) / left


def _shuffled(number: int, turn: int) -> IntArray:
    """A fixed pseudo-random permutation: indices sorted by their splitmix64 hashes."""
    key = (np.arange(number, dtype=np.uint64) + np.uint64(turn << 40)) * np.uint64(_GOLDEN)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        key = (key ^ (key >> np.uint64(shift))) * np.uint64(factor)
    return np.argsort(key ^ (key >> np.uint64(31)))


def _stakes(scores: FloatArray, threshold: float) -> FloatArray:
    r""":math:`\sqrt{2\log(1/\alpha)/(n\sigma^2)}`, optimal for n scores of variance σ²."""
    number = scores.size
    count = np.arange(1, number + 1)
    mean = (0.5 + np.cumsum(scores)) / (count + 1)
    variance = (0.25 + np.cumsum((scores - mean) ** 2)) / (count + 1)
    learned = np.sqrt(np.concatenate([[0.25], variance[:-1]]))
    fixed = np.broadcast_to(np.array(_DEVIATIONS)[:, None], (len(_DEVIATIONS), number))
    return math.sqrt(2 * threshold / number) / np.vstack([learned, fixed])
