"""Each item's best next calls, one after another, as far as they may be worth their money."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.pruning import pruned_order

_GROWTH = 0.2
"""Calls of one step over the calls a pair has: large counts move in large steps."""
_SMALLEST = 1e-12
_BLOCK = 16_384
"""Items worked on at once, so that their matrices stay in the processor's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a path ends."""

    rate: float = 0.0
    """Fall per price below which no step is worth while."""
    variance: float = 0.0
    """Variance that is small enough."""
    money: float = math.inf
    """Most that an item may cost."""


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
    limits: Limits,
    pruned: bool = False,
) -> Paths:
    """The path of every item from the calls it has; n and price (K, J).

    Call by call from the first on, or, `pruned`, judges not yet asked in the order of how much
    they would be missed, and call by call from there.
    """
    parts = []
    for begin in range(0, len(n), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        own = model.part(rows)
        wishes = None if taste is None else taste[rows]
        build = _pruned_block_paths if pruned else _block_paths
        parts.append(build(own, n[rows], price[rows], norm, wishes, limits=limits))
    steps = max(part.steps for part in parts)
    return Paths(
        judge=np.concatenate([_padded(part.judge, steps, 0) for part in parts]),
        calls=np.concatenate([_padded(part.calls, steps, 0) for part in parts]),
        cost=np.concatenate([_padded(part.cost, steps, math.inf) for part in parts]),
        variance=np.concatenate([_padded(part.variance, steps + 1, None) for part in parts]),
    )


def _block_paths(
    model: PanelModel,
    n: FloatArray,
    price: FloatArray,
    norm: float,
    taste: FloatArray | None,
    *,
    limits: Limits,
) -> Paths:
    r"""The paths of some items.

    A step of m calls of judge j lowers the variance of the score by
    :math:`h (C\pi)_j^2 / (C_{jj} + \sigma_j^2/m)` and moves C by a matrix of rank one. The next
    step is the one whose fall of :math:`V^{p/2}` (of V for p = inf) per price is largest, `taste`
    times. Where a step leaves less than it takes away, what it leaves matters, and taste fades with
    it.
    """
    items = len(n)
    power = 1.0 if norm == math.inf else norm / 2
    covariance = model.conditional_covariance(n / model.noise)
    have = n.astype(np.float64, copy=True)
    hardness = model.hardness
    variance = np.einsum("i,kij,j->k", model.weights, covariance, model.weights)
    variance = hardness * np.maximum(variance, 0)
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
        falls = hardness[active, None] * toward**2 / denominator
        after = np.maximum(before[:, None] - falls, _SMALLEST)
        cost = calls * price[active]
        rate = (before[:, None] ** power - after**power) / cost
        wanted = rate
        if taste is not None:
            left = after / np.maximum(before[:, None] - after, _SMALLEST)
            wanted = rate * taste[active] ** np.minimum(left, 1.0)
        judge = wanted.argmax(axis=1)
        best = rate[rows, judge]
        step_cost = cost[rows, judge]
        alive = (best > limits.rate) & np.isfinite(step_cost) & (before > limits.variance)
        alive &= spent[active] < limits.money
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


def _pruned_block_paths(
    model: PanelModel,
    n: FloatArray,
    price: FloatArray,
    norm: float,
    taste: FloatArray | None,
    *,
    limits: Limits,
) -> Paths:
    """The paths of some items, through the whole panel."""
    order, exists, variance = pruned_order(model, n, price, norm)
    cost = np.where(exists, np.take_along_axis(price, order, axis=1), math.inf)
    whole = n + ((n == 0) & np.isfinite(price))
    beyond = _block_paths(model, whole, price, norm, taste, limits=limits)
    # Steps must be contiguous: items with fewer judges to ask move on to what lies beyond at once.
    joined = Paths(
        judge=np.concatenate([order, beyond.judge], axis=1),
        calls=np.concatenate([exists.astype(np.int64), beyond.calls], axis=1),
        cost=np.concatenate([cost, beyond.cost], axis=1),
        variance=np.concatenate([variance, beyond.variance[:, 1:]], axis=1),
    )
    place = np.argsort(joined.calls == 0, axis=1, kind="stable")
    after = np.take_along_axis(joined.variance[:, 1:], place, axis=1)
    return Paths(
        judge=np.take_along_axis(joined.judge, place, axis=1),
        calls=np.take_along_axis(joined.calls, place, axis=1),
        cost=np.take_along_axis(joined.cost, place, axis=1),
        variance=np.concatenate([joined.variance[:, :1], after], axis=1),
    )


def _padded(array: np.ndarray, width: int, filler: float | None) -> np.ndarray:
    """The array with more columns: the filler's, or copies of its last one."""
    missing = width - array.shape[1]
    if missing == 0:
        return array
    if filler is None:
        return np.concatenate([array, np.repeat(array[:, -1:], missing, axis=1)], axis=1)
    more = np.full((len(array), missing), filler, dtype=array.dtype)
    return np.concatenate([array, more], axis=1)


def _column(items: int, rows: IntArray, values: np.ndarray, otherwise: object) -> np.ndarray:
    column = np.full(items, otherwise, dtype=values.dtype)
    column[rows] = values
    return column


def envelope_rates(paths: Paths, norm: float) -> FloatArray:
    """Fall per price of each step, joined with later steps where those fall faster; shape (K, S).

    The slopes of the upper hull of (price, fall) along each path, so that rates never rise and
    taking steps by rate takes every path from its beginning. Steps that do not exist have -1.
    """
    rates = np.empty(paths.calls.shape)
    for begin in range(0, len(rates), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        rates[rows] = _hull_slopes(paths.calls[rows], paths.cost[rows], paths.variance[rows], norm)
    return rates


def _hull_slopes(
    calls: IntArray, prices: FloatArray, variance: FloatArray, norm: float
) -> FloatArray:
    """The slopes of some items' hulls, built step by step: a corner that the next cuts off goes.

    Every step is put in once and taken out at most once, so that long paths cost no more per step
    than short ones.
    """
    power = 1.0 if norm == math.inf else norm / 2
    exists = calls > 0
    items, steps = calls.shape
    cost = np.zeros((items, steps + 1))
    np.cumsum(np.where(exists, prices, 0.0), axis=1, out=cost[:, 1:])
    gain = variance[:, :1] ** power - variance**power
    corner = np.zeros((items, steps + 1), np.int64)
    slope = np.full((items, steps + 1), math.inf)
    last = np.zeros(items, np.int64)
    for step in range(steps):
        rows = np.flatnonzero(exists[:, step])
        while rows.size:
            begin = corner[rows, last[rows]]
            rise = gain[rows, step + 1] - gain[rows, begin]
            found = rise / (cost[rows, step + 1] - cost[rows, begin])
            cut = found > slope[rows, last[rows]]
            done = rows[~cut]
            last[done] += 1
            corner[done, last[done]] = step + 1
            slope[done, last[done]] = found[~cut]
            rows = rows[cut]
            last[rows] -= 1
    rows, edges = np.nonzero(np.arange(steps + 1) <= last[:, None])
    corners = np.zeros((items, steps + 1), np.int64)
    corners[rows, corner[rows, edges]] = 1
    # A step belongs to the edge after the last corner at or before its beginning.
    edge = np.minimum(np.cumsum(corners[:, :-1], axis=1), steps)
    return np.where(exists, np.take_along_axis(slope, edge, axis=1), -1.0)
