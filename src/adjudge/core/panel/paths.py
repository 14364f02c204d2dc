"""Each item's best next calls, one after another, as far as they may be worth their money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.model import SMALLEST, PanelModel, in_blocks
from adjudge.core.requests import Requests

_GROWTH = 0.2
"""Calls of one step over the calls a pair has: large counts move in large steps."""
_CROWDED = 0.7
"""A block is compacted when fewer than this share of its items are unfinished."""


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

    @classmethod
    def joined(cls, parts: Sequence[Paths]) -> Paths:
        """The paths of all of these items, in this order."""
        if len(parts) == 1:
            return parts[0]
        steps = max(part.steps for part in parts)

        def column(name: str, **padding: Any) -> np.ndarray:
            return np.concatenate(
                [
                    np.pad(getattr(part, name), ((0, 0), (0, steps - part.steps)), **padding)
                    for part in parts
                ]
            )

        return cls(
            judge=column("judge"),
            calls=column("calls"),
            cost=column("cost", constant_values=math.inf),
            variance=column("variance", mode="edge"),
        )


def build_paths(
    model: PanelModel,
    n: IntArray,
    price: Requests,
    *,
    norm: float,
    limits: Limits,
) -> Paths:
    """The path of every item from the scores it has; n (K, J)."""

    def of_block(rows: slice) -> Paths:
        return _block_paths(model.part(rows), n[rows], price.part(rows), norm=norm, limits=limits)

    return Paths.joined(in_blocks(model.items, of_block))


def _block_paths(
    model: PanelModel,
    n: IntArray,
    price: Requests,
    *,
    norm: float,
    limits: Limits,
) -> Paths:
    r"""The paths of some items.

    A step of m calls of judge j lowers the variance of the score by
    :math:`h (C\pi)_j^2 / (C_{jj} + \sigma_j^2/m)` and moves C by a matrix of rank one. The next
    step is the one whose fall of :math:`V^{p/2}` (of V for p = inf) per price is largest.
    """
    items = len(n)
    power = 1.0 if norm == math.inf else norm / 2
    work = _Work.of(model, n, price)
    together = price.together[:, None]
    shared = bool((together > 1).any())
    variance = work.variance.copy()
    columns: list[tuple[IntArray, IntArray, FloatArray]] = []
    history = [variance.copy()]
    while work.item.size:
        rows = np.arange(work.item.size)
        toward = np.einsum("ijk,jk->ik", work.left, work.weights)
        spread = np.einsum("jjk->jk", work.left)
        calls = np.maximum(1.0, np.floor(_GROWTH * work.have))
        denominator = spread + work.noise / calls
        after = np.maximum(work.variance - work.hardness * toward**2 / denominator, SMALLEST)
        cost = calls * work.again
        if shared:
            before, after_it = work.planned / together, (work.planned + calls) / together
            cost += (np.ceil(after_it) - np.ceil(before)) * work.prompt
        rate = (work.variance - after if power == 1 else work.variance**power - after**power) / cost
        judge = rate.argmax(axis=0)
        step_cost = cost[judge, rows]
        alive = (rate[judge, rows] > limits.rate) & np.isfinite(step_cost)
        alive &= (work.variance > limits.variance) & (work.spent < limits.money)
        if not alive.any():
            break
        item, who = work.item[alive], judge[alive]
        size = calls[judge, rows]
        columns.append(
            (
                _column(items, item, who, np.int64(0)),
                _column(items, item, size[alive].astype(np.int64), np.int64(0)),
                _column(items, item, step_cost[alive], np.inf),
            )
        )
        reached = after[judge, rows]
        variance[item] = reached[alive]
        history.append(variance.copy())
        # Finished items stay in the arrays until compacting pays.
        direction = np.take_along_axis(work.left, judge[None, None, :], axis=1)[:, 0]
        gain = direction / denominator[judge, rows]
        for i in range(len(direction)):
            work.left[i] -= gain[i] * direction
        work.variance = reached
        work.have[judge, rows] += size
        work.planned[judge, rows] += size
        work.spent += np.where(alive, step_cost, math.inf)
        if alive.mean() < _CROWDED:
            work = work.only(alive)
    if not columns:
        empty = np.zeros((items, 0), np.int64)
        return Paths(
            judge=empty, calls=empty, cost=np.zeros((items, 0)), variance=history[0][:, None]
        )
    judges, numbers, costs = zip(*columns, strict=True)
    return Paths(
        judge=np.stack(judges, 1),
        calls=np.stack(numbers, 1),
        cost=np.stack(costs, 1),
        variance=np.stack(history, 1),
    )


@dataclass(slots=True, kw_only=True, eq=False)
class _Work:
    """The items whose paths are being followed; judges first."""

    item: IntArray
    left: FloatArray
    weights: FloatArray
    noise: FloatArray
    prompt: FloatArray
    """What a request costs beyond its calls."""
    again: FloatArray
    planned: FloatArray
    """Calls on the path so far."""
    have: FloatArray
    hardness: FloatArray
    variance: FloatArray
    spent: FloatArray

    @classmethod
    def of(cls, model: PanelModel, n: IntArray, price: Requests) -> _Work:
        answers = model.answers(n, np.zeros(n.shape))
        weights = np.ascontiguousarray(model.weights.T)
        variance = np.einsum("jk,jk->k", weights, answers.toward)
        return cls(
            item=np.arange(len(n)),
            left=answers.left,
            weights=weights,
            noise=np.ascontiguousarray(model.noise.T),
            prompt=_difference(price.first, price.again).T.copy(),
            again=np.ascontiguousarray(price.again.T),
            planned=np.zeros(n.T.shape),
            have=n.T.astype(np.float64),
            hardness=model.hardness,
            variance=model.hardness * np.maximum(variance, 0),
            spent=np.zeros(len(n)),
        )

    def only(self, rows: np.ndarray) -> _Work:
        """Those of these rows."""
        return _Work(**{name: getattr(self, name)[..., rows] for name in self.__slots__})


def _difference(first: FloatArray, again: FloatArray) -> FloatArray:
    """The price of a prompt, 0 where a pair may not be asked; (K, J)."""
    return np.where(np.isfinite(first), first, 0.0) - np.where(np.isfinite(again), again, 0.0)


def _column(items: int, rows: IntArray, values: np.ndarray, otherwise: object) -> np.ndarray:
    column = np.full(items, otherwise, dtype=values.dtype)
    column[rows] = values
    return column


def envelope_rates(paths: Paths, norm: float) -> FloatArray:
    """Fall per price of each step, joined with later steps where those fall faster; shape (K, S).

    The slopes of the upper hull of (price, fall) along each path, so that rates never rise and
    taking steps by rate takes every path from its beginning. Steps that do not exist have -1.
    """
    return np.concatenate(
        in_blocks(
            len(paths.calls),
            lambda rows: _hull_slopes(
                paths.calls[rows], paths.cost[rows], paths.variance[rows], norm
            ),
        )
    )


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
    plain = np.where(exists, np.diff(gain, axis=1) / np.where(exists, prices, 1.0), -1.0)
    rising = ((plain[:, 1:] > plain[:, :-1]) & exists[:, 1:]).any(axis=1)
    if rising.any():
        plain[rising] = _joined_slopes(exists[rising], cost[rising], gain[rising])
    return plain


def _joined_slopes(exists: np.ndarray, cost: FloatArray, gain: FloatArray) -> FloatArray:
    """The slopes of hulls of items whose rates rise somewhere; shape (items, S)."""
    items, steps = exists.shape
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
