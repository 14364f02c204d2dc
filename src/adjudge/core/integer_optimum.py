"""The exact optimum over whole calls, for instances small enough to enumerate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.problem import Problem

_MOST_PAIRS = 32
_MOST_CALLS = 32
_MOST_CANDIDATES = 200_000
"""Limits on the size of an instance, which keep the work within milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Front:
    """Pareto front of plans in cost and loss, ordered by cost."""

    cost: FloatArray
    """Price of each plan; shape (n,)."""
    loss: FloatArray
    """The objective to minimise; shape (n,)."""
    counts: IntArray
    """Calls of each plan; shape (n, ...)."""

    @classmethod
    def of(cls, cost: FloatArray, loss: FloatArray, counts: IntArray, budget: float) -> _Front:
        order = np.lexsort((loss, cost))
        order = order[cost[order] <= budget * (1 + DUST)]
        kept = loss[order]
        better = np.concatenate([[True], kept[1:] < np.minimum.accumulate(kept)[:-1]])
        order = order[better[: order.size]]
        return cls(cost=cost[order], loss=loss[order], counts=counts[order])


def integer_optimum(problem: Problem, variance: FloatArray, budget: float) -> IntArray | None:
    r"""Whole calls that minimise :math:`\sum_k I_k^{-p/2}` exactly; None if the instance is large.

    Items are added one by one, keeping only the Pareto front of cost and loss.
    Judges may be mixed within an item, which can be better when calls are whole.
    """
    price = problem.price
    if price.size > _MOST_PAIRS or budget / float(price.min()) > _MOST_CALLS:
        return None
    with np.errstate(divide="ignore"):
        precision = (float(variance.max()) or 1.0) / variance
    least = price.min(axis=1)
    combine = np.maximum if problem.norm == math.inf else np.add
    plans = _Front(
        cost=np.zeros(1), loss=np.zeros(1), counts=np.zeros((1, 0, problem.judges), np.int64)
    )
    for k in range(problem.items):
        item = _item_front(price[k], precision[k], budget - float(np.delete(least, k).sum()))
        if item is None or plans.cost.size * item.cost.size > _MOST_CANDIDATES:
            return None
        terms = (-1 / item.loss) ** (1.0 if problem.norm == math.inf else problem.norm / 2)
        old, new = (index.ravel() for index in np.indices((plans.cost.size, item.cost.size)))
        plans = _Front.of(
            plans.cost[old] + item.cost[new],
            combine(plans.loss[old], terms[new]),
            np.concatenate([plans.counts[old], item.counts[new][:, None, :]], axis=1),
            budget - float(least[k + 1 :].sum()),
        )
    best: IntArray = plans.counts[-1]
    if problem.norm == math.inf:
        _spend_on_the_worst(best, price, precision, budget - float(plans.cost[-1]))
    return best


def _item_front(price: FloatArray, precision: FloatArray, budget: float) -> _Front | None:
    """Pareto front of the plans for one item; the loss is minus the information."""
    judges = price.size
    front = _Front(cost=np.zeros(1), loss=np.zeros(1), counts=np.zeros((1, judges), np.int64))
    for j in np.flatnonzero(np.isfinite(price)):
        most = math.floor(budget / price[j] * (1 + DUST))
        old, calls = (index.ravel() for index in np.indices((front.cost.size, most + 1)))
        if old.size > _MOST_CANDIDATES:
            return None
        counts = front.counts[old]
        counts[:, j] = calls
        gain = np.multiply(calls, precision[j], out=np.zeros(calls.size), where=calls > 0)
        front = _Front.of(
            front.cost[old] + calls * price[j], front.loss[old] - gain, counts, budget
        )
    return _Front(cost=front.cost[1:], loss=front.loss[1:], counts=front.counts[1:])


def _spend_on_the_worst(
    counts: IntArray, price: FloatArray, precision: FloatArray, left: float
) -> None:
    """Spend the money left on the worst item it can still improve."""
    while (price <= left * (1 + DUST)).any():
        information = np.multiply(
            counts, precision, out=np.zeros(counts.shape), where=counts > 0
        ).sum(axis=1)
        helped = np.where((price <= left * (1 + DUST)).any(axis=1), information, math.inf)
        k = int(helped.argmin())
        if helped[k] == math.inf:
            return
        j = int(np.argmax(np.where(price[k] <= left * (1 + DUST), precision[k] / price[k], -1)))
        counts[k, j] += 1
        left -= float(price[k, j])
