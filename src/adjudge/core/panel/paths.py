"""Each item's best next calls, one after another, as far as they may be worth their money."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.model import PanelModel

_GROWTH = 0.2
"""Calls of one step over the calls a pair has: large counts move in large steps."""
_SMALLEST = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Paths:
    """Steps of items, in the order of each item's path; S steps at most, unused ones cost inf."""

    judge: IntArray
    """Whom to ask; shape (K, S)."""
    calls: IntArray
    """How often; 0 where the path has ended; shape (K, S)."""
    cost: FloatArray
    """Price of the step; shape (K, S)."""
    variance: FloatArray
    """Variance of the item's score before the path and after each step; shape (K, S + 1)."""

    @property
    def steps(self) -> int:
        """S."""
        return int(self.cost.shape[1])


def build_paths(
    model: PanelModel,
    n: FloatArray,
    price: FloatArray,
    *,
    norm: float,
    taste: FloatArray | None = None,
    least_rate: float = 0.0,
    least_variance: float = 0.0,
    most_money: float = math.inf,
) -> Paths:
    r"""The path of every item from the calls it has; n and price (K, J).

    A step of m calls of judge j lowers the variance of the score by
    :math:`(C\pi)_j^2 / (C_{jj} + \sigma_j^2/m)` and moves C by a matrix of rank one. The next step
    is the one whose fall of :math:`V^{p/2}` (of V for p = inf) per price is largest, `taste` times.
    A path ends where that falls below `least_rate`, V below `least_variance`, or its price exceeds
    `most_money`.
    """
    items = len(n)
    power = 1.0 if norm == math.inf else norm / 2
    covariance = model.conditional_covariance(n / model.noise)
    have = n.astype(np.float64, copy=True)
    variance = np.maximum(np.einsum("i,kij,j->k", model.weights, covariance, model.weights), 0)
    spent = np.zeros(items)
    columns: list[tuple[IntArray, IntArray, FloatArray, FloatArray]] = []
    history = [variance.copy()]
    active = np.arange(items)
    while active.size:
        rows = np.arange(active.size)
        own = covariance[active]
        toward = own @ model.weights
        spread = np.einsum("kii->ki", own)
        calls = np.maximum(1.0, np.floor(_GROWTH * have[active]))
        denominator = spread + model.noise[active] / calls
        before = variance[active]
        after = np.maximum(before[:, None] - toward**2 / denominator, _SMALLEST)
        cost = calls * price[active]
        rate = (before[:, None] ** power - after**power) / cost
        judge = (rate if taste is None else rate * taste[active]).argmax(axis=1)
        best = rate[rows, judge]
        step_cost = cost[rows, judge]
        alive = (best > least_rate) & np.isfinite(step_cost) & (before > least_variance)
        alive &= spent[active] < most_money
        active, judge, rows = active[alive], judge[alive], rows[alive]
        if not active.size:
            break
        direction = own[rows, :, judge]
        scale = denominator[rows, judge]
        covariance[active] -= direction[:, :, None] * (direction / scale[:, None])[:, None, :]
        variance[active] = after[rows, judge]
        have[active, judge] += calls[rows, judge]
        spent[active] += step_cost[rows]
        columns.append(
            (
                _column(items, active, judge, np.int64(0)),
                _column(items, active, calls[rows, judge].astype(np.int64), np.int64(0)),
                _column(items, active, step_cost[rows], np.inf),
                variance.copy(),
            )
        )
        history.append(columns[-1][3])
    if not columns:
        empty = np.zeros((items, 0), np.int64)
        return Paths(
            judge=empty, calls=empty, cost=np.zeros((items, 0)), variance=history[0][:, None]
        )
    judges, numbers, costs, _ = zip(*columns, strict=True)
    return Paths(
        judge=np.stack(judges, 1),
        calls=np.stack(numbers, 1),
        cost=np.stack(costs, 1),
        variance=np.stack(history, 1),
    )


def _column(items: int, rows: IntArray, values: np.ndarray, otherwise: object) -> np.ndarray:
    column = np.full(items, otherwise, dtype=values.dtype)
    column[rows] = values
    return column


def envelope_rates(paths: Paths, norm: float) -> FloatArray:
    """Fall per price of each step, joined with later steps where those fall faster; shape (K, S).

    The slopes of the upper hull of (price, fall) along each path, so that rates never rise and
    taking steps by rate takes every path from its beginning. Steps that do not exist have -1.
    """
    power = 1.0 if norm == math.inf else norm / 2
    exists = paths.calls > 0
    cost = np.cumsum(np.where(exists, paths.cost, 0.0), axis=1)
    cost = np.concatenate([np.zeros((len(cost), 1)), cost], axis=1)
    gain = paths.variance[:, :1] ** power - paths.variance**power
    length = exists.sum(axis=1)
    rates = np.full(exists.shape, -1.0)
    place = np.arange(paths.steps + 1)
    position = np.zeros(len(cost), np.int64)
    while (rising := np.flatnonzero(position < length)).size:
        here = position[rising]
        run = cost[rising] - cost[rising, here][:, None]
        rise = gain[rising] - gain[rising, here][:, None]
        ahead = (place > here[:, None]) & (place <= length[rising][:, None])
        slope = np.divide(rise, run, out=np.full(run.shape, -1.0), where=ahead)
        end = slope.argmax(axis=1)
        inside = (place[:-1] >= here[:, None]) & (place[:-1] < end[:, None])
        steepest = slope[np.arange(rising.size), end]
        rates[rising] = np.where(inside, steepest[:, None], rates[rising])
        position[rising] = end
    return rates
