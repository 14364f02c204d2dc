"""Calls that tell the judges' means, where what all scores share is worth more than one of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.model import PanelModel

_SAMPLE = 4096
"""Items that tell what an average one is like."""
_MOST_STEPS = 64
"""Turns that judges take; each at most doubles what is known along its way."""


def calls_for_means(
    model: PanelModel,
    mean_error: FloatArray,
    n: IntArray,
    price: FloatArray,
    *,
    spent: float,
    money: float,
    rng: np.random.Generator,
) -> IntArray:
    """The calls that are worth more for the judges' means than for their items; shape (K, J).

    They go to random items that were asked before, in turn, those first that asked the judge least.
    `price` (K, J) is infinite for pairs that may not be asked.
    """
    counts = np.zeros(n.shape, np.int64)
    asked = n.any(axis=1)
    if not asked.any():
        return counts
    allowed = np.isfinite(price)
    number = np.maximum(np.count_nonzero(allowed, axis=0), 1)
    usual = np.where(allowed, price, 0.0).sum(axis=0) / number
    usual[~allowed.any(axis=0)] = math.inf
    wanted = _worthwhile(_AverageItem.of(model, n), mean_error, usual, spent=spent, money=money)
    for judge in np.flatnonzero(wanted):
        items = rng.permutation(np.flatnonzero(allowed[:, judge] & asked))
        items = items[np.argsort(n[items, judge], kind="stable")]
        turns = np.resize(items, wanted[judge] if items.size else 0)
        cost = np.cumsum(price[turns, judge])
        paid = int(np.searchsorted(cost, money * (1 + DUST), side="right"))
        counts[:, judge] = np.bincount(turns[:paid], minlength=len(n))
        money -= float(cost[paid - 1]) if paid else 0.0
    return counts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _AverageItem:
    """What an item is like on average, given the calls made."""

    variance: float
    """V."""
    lever: FloatArray
    """L; shape (J, J)."""
    told: FloatArray
    """u of each judge, a column each; shape (J, J)."""
    doubt: FloatArray
    """v, the variance of an answer given the item's others; shape (J,)."""

    @classmethod
    def of(cls, model: PanelModel, n: IntArray) -> _AverageItem:
        sample = np.arange(len(n))[:: -(-len(n) // _SAMPLE)]
        part = model.part(sample)
        precision = n[sample] / part.noise
        covariance = model.conditional_covariance(precision)
        toward = covariance @ model.weights
        lever = model.weights - precision * toward
        known = (precision[:, :, None] * covariance).mean(axis=0)
        spread = np.diagonal(covariance, axis1=1, axis2=2)
        return cls(
            variance=float((part.hardness * (toward @ model.weights)).mean()),
            lever=lever.T @ lever / sample.size,
            told=np.eye(model.mean.size) - known,
            doubt=(spread + part.noise).mean(axis=0),
        )


def _worthwhile(
    item: _AverageItem, mean_error: FloatArray, price: FloatArray, *, spent: float, money: float
) -> IntArray:
    r"""How often to ask each judge, of any items, for the sake of the means; shape (J,).

    Every score has the error :math:`\ell_k^\top E \ell_k` of the means, with
    :math:`\ell_k = \pi - g_k`. An answer of judge j tells :math:`u^\top m`,
    :math:`u = e_j - P_k C_k e_j`, to a variance :math:`v = C_{jj} + \sigma_j^2`, so that r of them
    lower the mean square of all scores by

    .. math:: \frac{r\,u^\top E L E u}{v + r\,u^\top E u},\qquad L = \overline{\ell_k\ell_k^\top}

    while the same money would lower :math:`\bar V` by about its part in what was `spent`. The judge
    that tells most for its `price` (J,) is asked until that is as much, or the `money` is gone.
    """
    counts = np.zeros(price.size, np.int64)
    rate = item.variance / spent
    for _ in range(_MOST_STEPS):
        toward = mean_error @ item.told
        falls = ((item.lever @ toward) * toward).sum(axis=0) / item.doubt
        rates = np.where(price <= money, falls / price, 0.0)
        judge = int(rates.argmax())
        if rates[judge] <= rate:
            break
        along, doubt = toward[:, judge], float(item.doubt[judge])
        unknown = float(item.told[:, judge] @ along)
        # Once its doubt is halved, another judge may tell more.
        wanted = min(math.sqrt(rates[judge] / rate) - 1, 1.0) * doubt / unknown
        calls = min(max(math.ceil(wanted), 1), int(money / price[judge]))
        counts[judge] += calls
        money -= calls * float(price[judge])
        mean_error = mean_error - np.outer(along, along) / (doubt / calls + unknown)
    return counts
