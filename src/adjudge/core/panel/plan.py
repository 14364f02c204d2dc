"""The calls that lower the panel's error most for the money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.apportionment import DUST, first_that_fit, whole_multiples
from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.paths import Limits, Steps, build_paths, merging_order
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
    cheapest = float(price.first.min())
    if budget < cheapest:
        return np.zeros(n.shape, np.int64)
    # A plan for a sample bounds the paths; they are extended below if it was too short.
    sampled = [np.arange(part.items)[:: -(-items // _SAMPLE)] for part in models]
    begin = np.cumsum([0] + [part.items for part in models])[:-1]
    rows = np.concatenate([first + chosen for first, chosen in zip(begin, sampled, strict=True)])
    few = [part.part(chosen) for part, chosen in zip(models, sampled, strict=True)]
    limits = _limits(few, n[rows], price.part(rows), budget * rows.size / items, norm=norm)
    for _ in range(6):
        steps = build_paths(models, n, price, norm=norm, limits=limits)
        if float(steps.cost.sum()) >= min(1.05 * budget, budget + cheapest * items):
            break
        if limits.rate == limits.variance == 0:
            break
        limits = replace(limits, rate=limits.rate / 4, variance=limits.variance / 2)
    taken = _taken(steps, merging_order(steps, norm), budget)
    counts = steps.counts(taken, n.shape)
    _spend_within_steps(steps, taken, price.first, counts, budget - float(steps.cost[taken].sum()))
    return counts


def _spend_within_steps(
    steps: Steps, taken: BoolArray, price: FloatArray, counts: IntArray, left: float
) -> None:
    """Give the last money to single calls of steps that are too large to be paid whole."""
    upcoming = steps.upcoming(taken)
    # The item with the largest variance gains most from a call.
    for step in upcoming[np.argsort(-steps.before[upcoming], kind="stable")[:64]]:
        pair = steps.item[step], steps.judge[step]
        number = whole_multiples(left, float(price[pair])) if left > 0 else 0
        number = min(number, int(steps.calls[step]))
        counts[pair] += number
        left -= number * float(price[pair])


def _limits(
    models: Sequence[PanelModel], n: IntArray, price: Requests, budget: float, *, norm: float
) -> Limits:
    """Where the paths of all items may end, by the plan of a sample of them."""
    allowed = price.first[np.isfinite(price.first)]
    most = 6 * max(budget / len(n), float(allowed.max()))
    steps = build_paths(models, n, price, norm=norm, limits=Limits(money=most))
    order = merging_order(steps, norm)
    taken = _taken(steps, order, budget)
    limits = Limits(money=50 * max(budget / len(n), float(allowed.min())))
    if norm == math.inf:
        return replace(limits, variance=0.5 * float(order[~taken].max(initial=0.0)))
    return replace(limits, rate=0.8 * float(order[taken].min())) if taken.any() else limits


def _taken(steps: Steps, order: FloatArray, budget: float) -> BoolArray:
    """The steps that the budget pays, taken in this order; shape (T,)."""
    taken = np.zeros(order.size, dtype=bool)
    some, left = np.arange(order.size), budget * (1 + DUST)
    # Only the last steps that are paid need an order: the others are found by their median.
    while some.size > _SAMPLE:
        value = order[some]
        best = value > np.median(value[:: some.size // _SAMPLE])
        if not best.any():
            break
        price = float(steps.cost[some[best]].sum())
        if price > left:
            some = some[best]
        else:
            taken[some[best]] = True
            left -= price
            some = some[~best]
    some = some[np.argsort(-order[some], kind="stable")]
    taken[some[np.cumsum(steps.cost[some]) <= left]] = True
    left = budget - float(steps.cost[taken].sum())
    # For what is left, the next steps that come first and fit.
    for _ in range(8):
        upcoming = steps.upcoming(taken)
        upcoming = upcoming[steps.cost[upcoming] <= left * (1 + DUST)]
        if not upcoming.size:
            break
        upcoming = upcoming[np.argsort(-order[upcoming], kind="stable")]
        bought = upcoming[first_that_fit(steps.cost[upcoming], left)]
        taken[bought] = True
        left -= float(steps.cost[bought].sum())
    return taken
