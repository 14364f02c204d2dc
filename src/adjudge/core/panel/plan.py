"""The calls that lower the panel's error most for the money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.apportionment import DUST, first_that_fit, whole_multiples
from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.paths import Limits, Paths, build_paths, envelope_rates
from adjudge.core.requests import Requests

_SAMPLE = 4096
"""Items that set the price level before all items' paths are built."""


def best_calls(
    model: PanelModel | Sequence[PanelModel],
    n: IntArray,
    price: FloatArray | Requests,
    budget: float,
    *,
    norm: float,
) -> IntArray:
    r"""Whole calls within the budget that make :math:`\sum_k V_k^{p/2}` smallest; shape (K, J).

    All items' steps are merged by fall per price and taken until the money is gone. For p = inf
    the plan is a level: the lowest at which every item's path down to it can be paid. `n` scores
    were seen before; `price` is infinite for pairs that may not be asked. Several models have the
    items in parts, in this order: each part's calls are planned with its own.
    """
    if not isinstance(price, Requests):
        price = Requests.of_one_call(price)
    models = [model] if isinstance(model, PanelModel) else model
    items = len(n)
    counts = np.zeros(n.shape, np.int64)
    cheapest = float(price.first.min())
    if budget < cheapest:
        return counts
    # A plan for a sample bounds the paths; they are extended below if it was too short.
    sampled = [np.arange(part.items)[:: -(-items // _SAMPLE)] for part in models]
    begin = np.cumsum([0] + [part.items for part in models])[:-1]
    rows = np.concatenate([first + chosen for first, chosen in zip(begin, sampled, strict=True)])
    few = [part.part(chosen) for part, chosen in zip(models, sampled, strict=True)]
    limits = _limits(few, n[rows], price.part(rows), budget * rows.size / items, norm=norm)
    for _ in range(6):
        paths = _paths(models, n, price, norm=norm, limits=limits)
        existing = paths.calls > 0
        if float(paths.cost[existing].sum()) >= min(1.05 * budget, budget + cheapest * items):
            break
        if limits.rate == limits.variance == 0:
            break
        limits = replace(limits, rate=limits.rate / 4, variance=limits.variance / 2)
    taken = _taken(paths, budget, norm)
    for step in range(paths.steps):
        rows = np.flatnonzero(taken[:, step])
        counts[rows, paths.judge[rows, step]] += paths.calls[rows, step]
    left = budget - float(paths.cost[taken].sum())
    _spend_within_steps(paths, taken, price.first, counts, left)
    return counts


def _paths(
    models: Sequence[PanelModel],
    n: IntArray,
    price: Requests,
    *,
    norm: float,
    limits: Limits,
) -> Paths:
    """The paths of items that several models have in parts."""
    ends = np.cumsum([part.items for part in models])[:-1]
    return Paths.joined(
        [
            build_paths(part, n[rows], price.part(rows), norm=norm, limits=limits)
            for part, rows in zip(models, np.split(np.arange(len(n)), ends), strict=True)
            if part.items
        ]
    )


def _spend_within_steps(
    paths: Paths, taken: BoolArray, price: FloatArray, counts: IntArray, left: float
) -> None:
    """Give the last money to single calls of steps that are too large to be paid whole."""
    upcoming = taken.sum(axis=1)
    rows = np.flatnonzero(upcoming < (paths.calls > 0).sum(axis=1))
    judge = paths.judge[rows, upcoming[rows]]
    unit = price[rows, judge]
    # The item with the largest variance gains most from a call.
    for place in np.argsort(-paths.variance[rows, upcoming[rows]], kind="stable")[:64]:
        number = whole_multiples(left, float(unit[place])) if left > 0 else 0
        number = min(number, int(paths.calls[rows[place], upcoming[rows[place]]]))
        counts[rows[place], judge[place]] += number
        left -= number * float(unit[place])


def _limits(
    models: Sequence[PanelModel],
    n: IntArray,
    price: Requests,
    budget: float,
    *,
    norm: float,
) -> Limits:
    """Where the paths of all items may end, by the plan of a sample of them."""
    allowed = price.first[np.isfinite(price.first)]
    most = 6 * max(budget / len(n), float(allowed.max()))
    paths = _paths(models, n, price, norm=norm, limits=Limits(money=most))
    taken = _taken(paths, budget, norm)
    limits = Limits(money=50 * max(budget / len(n), float(allowed.min())))
    if not taken.any():
        return limits
    if norm == math.inf:
        reached = paths.variance[np.arange(len(n)), taken.sum(axis=1)]
        return replace(limits, variance=0.5 * float(reached.max()))
    return replace(limits, rate=0.8 * float(envelope_rates(paths, norm)[taken].min()))


def _taken(paths: Paths, budget: float, norm: float) -> BoolArray:
    """The steps that the budget pays; shape (K, S)."""
    return _by_level(paths, budget) if norm == math.inf else _by_rate(paths, budget, norm)


def _by_rate(paths: Paths, budget: float, norm: float) -> BoolArray:
    """Steps taken in the order of their fall per price; shape (K, S)."""
    rates, cost = envelope_rates(paths, norm).ravel(), paths.cost.ravel()
    taken = np.zeros(rates.size, dtype=bool)
    steps, left = np.flatnonzero(rates >= 0), budget * (1 + DUST)
    # Only the last steps that are paid need an order: the others are found by their rate's median.
    while steps.size > _SAMPLE:
        rate = rates[steps]
        best = rate > np.median(rate[:: steps.size // _SAMPLE])
        if not best.any():
            break
        price = float(cost[steps[best]].sum())
        if price > left:
            steps = steps[best]
        else:
            taken[steps[best]] = True
            left -= price
            steps = steps[~best]
    steps = steps[np.argsort(-rates[steps], kind="stable")]
    taken[steps[np.cumsum(cost[steps]) <= left]] = True
    left = budget - float(cost[taken].sum())
    return _with_leftovers(paths, taken.reshape(paths.cost.shape), left, rates)


def _by_level(paths: Paths, budget: float) -> BoolArray:
    """Steps down to the lowest level of variance that every item can be brought to; (K, S)."""
    lowest = np.minimum.accumulate(paths.variance, axis=1)
    exists = paths.calls > 0
    cost = np.cumsum(np.where(exists, paths.cost, 0.0), axis=1)
    cost = np.concatenate([np.zeros((len(cost), 1)), cost], axis=1)
    length = exists.sum(axis=1)
    rows = np.arange(len(cost))

    def steps_to(level: float) -> IntArray:
        reached = lowest <= level
        first = np.where(reached.any(axis=1), reached.argmax(axis=1), paths.steps)
        steps: IntArray = np.minimum(first, length)
        return steps

    low, high = 0.0, float(lowest[:, 0].max())
    for _ in range(60):
        middle = (low + high) / 2
        if float(cost[rows, steps_to(middle)].sum()) <= budget * (1 + DUST):
            high = middle
        else:
            low = middle
    steps = steps_to(high)
    taken = np.arange(paths.steps) < steps[:, None]
    left = budget - float(cost[rows, steps].sum())
    return _with_leftovers(paths, taken, left, np.broadcast_to(paths.variance[:, :-1], taken.shape))


def _with_leftovers(paths: Paths, taken: BoolArray, left: float, order: FloatArray) -> BoolArray:
    """The steps with, for what is left, the next step of the items that come first and fit."""
    order = np.asarray(order).reshape(taken.shape)
    for _ in range(8):
        upcoming = taken.sum(axis=1)
        rows = np.flatnonzero(upcoming < (paths.calls > 0).sum(axis=1))
        cost = paths.cost[rows, upcoming[rows]]
        rows = rows[cost <= left * (1 + DUST)]
        if not rows.size:
            break
        rows = rows[np.argsort(-order[rows, upcoming[rows]], kind="stable")]
        cost = paths.cost[rows, upcoming[rows]]
        bought = rows[first_that_fit(cost, left)]
        taken[bought, upcoming[bought]] = True
        left -= float(paths.cost[bought, upcoming[bought]].sum())
    return taken
