r"""Rounding real-valued ideal counts to whole calls: a divisor method with prices.

Up to a factor per item, the gain of one more call depends only on the item's calls n. So all
items share *signposts* :math:`\theta_n \in [n, n+1]`, such that at scale t an item of ideal count
x has N(t) calls, where

.. math:: N(t) = 1 + \#\{n \ge 1 : \theta_n \le t x\},\qquad
          \theta_n = \Big(\frac{a}{n^{-a} - (n+1)^{-a}}\Big)^{1/(a+1)},\quad a = p/2 .

The largest affordable t buys every call whose gain per price is above one level: optimal up to the
last call that does not fit. With equal prices p = 2 is Huntington and Hill's method,
:math:`\theta_n = \sqrt{n(n+1)}`, and p = inf is Adams's, :math:`\theta_n = n`.
"""

from __future__ import annotations

import heapq
import itertools
import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

DUST = 1e-12
"""Relative tolerance for rounding in sums of prices: 0.1 + 0.1 + 0.1 must not exceed 0.3."""

_TABLE = 4096
"""Number of tabulated signposts; above, n + 1/2 is exact to 1e-4 of a call."""
_BLOCK = 32_768
"""Items per block, so that temporaries fit in the processor's cache."""
_SINGLY = 256
"""Maximum number of calls bought one by one; more are bought by raising a level."""


def fits(cost: float, budget: float) -> bool:
    """Whether the cost is within the budget, up to the rounding of sums."""
    return cost <= budget * (1 + DUST)


def whole_multiples(budget: float, unit: float) -> int:
    """How many units the budget pays for, up to the rounding of sums."""
    return math.floor(budget / unit * (1 + DUST))


def first_that_fit(price: FloatArray, left: float) -> IntArray:
    """Indices bought greedily in this order, skipping what does not fit."""
    bought = []
    waiting = np.arange(price.size)
    while (waiting := waiting[price[waiting] <= left * (1 + DUST)]).size:
        spent = np.cumsum(price[waiting])
        taken = int(np.searchsorted(spent, left * (1 + DUST), side="right"))
        bought.append(waiting[:taken])
        left -= float(spent[taken - 1])
        waiting = waiting[taken:]
    return np.concatenate(bought) if bought else np.zeros(0, np.int64)


def apportion(
    ideal: FloatArray, price: FloatArray, budget: float, norm: float, *, start: IntArray
) -> IntArray:
    """Whole counts of at least `start` that follow the ideal counts within the budget.

    `ideal` matters only up to a common factor. `budget` includes the cost of `start`. All arrays of
    shape (K,). Items with an ideal of zero keep their start.
    """
    counts = start.astype(np.int64, copy=True)
    left = budget - float(price @ counts)
    fractions = signpost_fractions(norm)
    useful = ideal > 0
    while True:
        useful &= price <= left * (1 + DUST)
        if not useful.any():
            return counts
        own: slice | IntArray = slice(None) if useful.all() else np.flatnonzero(useful)
        items = _Items(ideal=ideal[own], price=price[own], fractions=fractions)
        if left / float(items.price.min()) <= _SINGLY:
            counts[own], left = _buy_one_by_one(items, counts[own], left)
        else:
            counts[own], left = _raise_level(items, counts[own], left)


def signpost_fractions(norm: float) -> FloatArray:
    """θ_n - n for every tabulated n, from 0."""
    if norm == math.inf:
        return np.zeros(_TABLE)
    n = np.arange(1, _TABLE, dtype=np.float64)
    a = norm / 2
    # n^-a - (n+1)^-a without cancellation, and its root without overflow for large a.
    relative_fall = -np.expm1(-a * np.log1p(1 / n))
    ratio = np.exp((math.log(a) - np.log(relative_fall) - np.log(n)) / (a + 1))
    return np.concatenate([[0.0], np.clip(n * ratio - n, 0, 1)])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Items:
    ideal: FloatArray
    price: FloatArray
    fractions: FloatArray
    """θ_n - n."""

    def signpost(self, n: FloatArray | IntArray) -> FloatArray:
        """θ_n."""
        theta: FloatArray = n + self.fractions.take(n.astype(np.int64), mode="clip")
        return theta

    def at_level(self, have: IntArray, t: float) -> FloatArray:
        """N(t) of every item, at least what it has."""
        counts = np.empty(have.size)
        for begin in range(0, have.size, _BLOCK):
            own = slice(begin, begin + _BLOCK)
            scaled = t * self.ideal[own]
            whole = np.floor(scaled)
            whole += scaled >= self.signpost(whole)
            np.maximum(whole, have[own], out=counts[own])
        return counts


def _raise_level(items: _Items, have: IntArray, left: float) -> tuple[IntArray, float]:
    """Counts raised to one level t, and the money left.

    Stops before the first call, in order of t, that does not fit.
    """
    held = float(items.price @ have)
    per_scale = float(items.price @ items.ideal)
    one_each = float(items.price.sum())
    # N(t) > t x - 1, so at the upper end the cost is above the budget.
    t_low, t_high = 0.0, (held + left + one_each) / per_scale * (1 + DUST)
    low, cost_low = have.astype(np.float64), 0.0
    high, cost_high = None, left + one_each
    few, margin = 64 + have.size // 32, one_each / 128
    guess = (held + left) / per_scale
    for evaluation in itertools.count():
        if not t_low < guess < t_high or evaluation % 4 == 3:
            guess = (t_low + t_high) / 2
        if guess in (t_low, t_high):
            break
        counts = items.at_level(have, guess)
        cost = float(items.price @ counts) - held
        if fits(cost, left):
            t_low, low, cost_low = guess, counts, cost
        else:
            t_high, high, cost_high = guess, counts, cost
        if high is not None:
            between = float((high - low).sum())
            if between <= few or (evaluation >= 8 and between <= 4 * have.size):
                break
        # Aim slightly beyond the crossing, alternating sides, so that both ends converge.
        aim = left + margin if guess == t_low else left - margin
        guess = t_low + (aim - cost_low) * (t_high - t_low) / (cost_high - cost_low)
    if high is None:
        high = items.at_level(have, t_high)
    bought, cost = _buy_in_order(items, low, high, left - cost_low)
    return bought.astype(np.int64), left - cost_low - cost


def _buy_in_order(
    items: _Items, low: FloatArray, high: FloatArray, left: float
) -> tuple[FloatArray, float]:
    """Counts after buying from the lower level up until a call does not fit, and their cost."""
    gap = (high - low).astype(np.int64)
    item = np.repeat(np.arange(gap.size), gap)
    step = np.arange(item.size) - np.repeat(np.cumsum(gap) - gap, gap)
    order = np.argsort(items.signpost(low[item] + step) / items.ideal[item], kind="stable")
    item = item[order]
    spent = np.cumsum(items.price[item])
    taken = int(np.searchsorted(spent, left * (1 + DUST), side="right"))
    counts = low + np.bincount(item[:taken], minlength=low.size)
    return counts, float(spent[taken - 1]) if taken else 0.0


def _buy_one_by_one(items: _Items, have: IntArray, left: float) -> tuple[IntArray, float]:
    """Counts after buying, call by call, the best gain per price that fits; and the money left.

    Considers only the best items, more than the calls that can fit, and stops when the next best
    call may belong to another item.
    """
    counts = have.copy()
    entry = items.signpost(counts) / items.ideal
    row = max(64, whole_multiples(left, float(items.price.min())))
    front, behind = np.arange(counts.size), math.inf
    if counts.size > row:
        front = np.argpartition(entry, row)[: row + 1]
        behind = float(entry[front[row]])
    queue = [(float(entry[k]), int(k)) for k in front]
    heapq.heapify(queue)
    while queue and queue[0][0] <= behind:
        _, k = heapq.heappop(queue)
        if items.price[k] <= left * (1 + DUST):
            counts[k] += 1
            left -= float(items.price[k])
            following = items.signpost(counts[k : k + 1])[0] / items.ideal[k]
            heapq.heappush(queue, (float(following), k))
    return counts, left
