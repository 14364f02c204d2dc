"""Each item's best next calls, one after another, as far as they may be worth their money."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
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
class Steps:
    """The steps of many paths: item by item, each item's in the order of its path; shapes (T,)."""

    item: IntArray
    judge: IntArray
    calls: IntArray
    cost: FloatArray
    """Price of the step."""
    before: FloatArray
    """Variance of the item's score before the step."""
    after: FloatArray
    """Variance after it."""

    @classmethod
    def none(cls) -> Steps:
        """No step."""
        whole, real = np.zeros(0, np.int64), np.zeros(0)
        return cls(item=whole, judge=whole, calls=whole, cost=real, before=real, after=real)

    @classmethod
    def joined(cls, parts: Sequence[Steps]) -> Steps:
        """All of these, in this order."""
        return cls(
            **{
                name: np.concatenate([getattr(one, name) for one in parts])
                for name in cls.__slots__
            }
        )

    def part(self, chosen: IntArray | BoolArray) -> Steps:
        """Some of them."""
        return Steps(**{name: getattr(self, name)[chosen] for name in self.__slots__})

    @property
    def first(self) -> BoolArray:
        """Which steps begin a path; shape (T,)."""
        first: BoolArray = np.diff(self.item, prepend=-1) != 0
        return first

    def upcoming(self, taken: BoolArray) -> IntArray:
        """The first step of each path that is not taken, where there is one."""
        return np.flatnonzero(~taken & (self.first | np.roll(taken, 1)))

    def counts(self, taken: BoolArray, shape: tuple[int, int]) -> IntArray:
        """The calls of the steps that are taken; shape (K, J)."""
        place = self.item[taken] * shape[1] + self.judge[taken]
        return np.bincount(place, self.calls[taken], math.prod(shape)).astype(int).reshape(shape)


def build_paths(
    models: Sequence[PanelModel], n: IntArray, price: Requests, *, norm: float, limits: Limits
) -> Steps:
    """The path of every item from the scores it has, n (K, J); the models have items in turn."""
    found, begin = [Steps.none()], 0
    for model in models:
        own = slice(begin, begin + model.items)
        block = partial(_block_paths, model, n[own], price.part(own), norm=norm, limits=limits)
        found += (replace(one, item=one.item + begin) for one in in_blocks(model.items, block))
        begin += model.items
    return Steps.joined(found)


def _block_paths(
    model: PanelModel, n: IntArray, price: Requests, rows: slice, *, norm: float, limits: Limits
) -> Steps:
    r"""The paths of a block of items.

    A step of m calls of judge j lowers the variance of the score by
    :math:`h (C\pi)_j^2 / (C_{jj} + \sigma_j^2/m)` and moves C by a matrix of rank one. The next
    step is the one whose fall of :math:`V^{p/2}` (of V for p = inf) per price is largest.
    """
    power = 1.0 if norm == math.inf else norm / 2
    together = price.together[:, None]
    shared = bool((together > 1).any())
    work = _Work.of(model.part(rows), n[rows], price.part(rows))
    taken = [Steps.none()]
    while work.item.size:
        place = np.arange(work.item.size)
        calls = np.maximum(1.0, np.floor(_GROWTH * work.have))
        denominator = np.einsum("jjk->jk", work.left) + work.noise / calls
        after = np.maximum(work.variance - work.hardness * work.toward**2 / denominator, SMALLEST)
        cost = calls * work.again
        if shared:
            before, after_it = work.planned / together, (work.planned + calls) / together
            cost += (np.ceil(after_it) - np.ceil(before)) * work.prompt
        rate = (work.variance - after if power == 1 else work.variance**power - after**power) / cost
        judge = rate.argmax(axis=0)
        size, price_of_step, reached = (each[judge, place] for each in (calls, cost, after))
        alive = (rate[judge, place] > limits.rate) & np.isfinite(price_of_step)
        alive &= (work.variance > limits.variance) & (work.spent < limits.money)
        if not alive.any():
            break
        step = Steps(
            item=work.item,
            judge=judge,
            calls=size.astype(np.int64),
            cost=price_of_step,
            before=work.variance,
            after=reached,
        )
        taken.append(step.part(alive))
        # Finished items stay in the arrays until compacting pays.
        direction = np.take_along_axis(work.left, judge[None, None, :], axis=1)[:, 0]
        gain = direction / denominator[judge, place]
        for i in range(len(direction)):
            work.left[i] -= gain[i] * direction
        work.toward -= gain * work.toward[judge, place]
        work.variance = reached
        work.have[judge, place] += size
        work.planned[judge, place] += size
        work.spent += np.where(alive, price_of_step, math.inf)
        if alive.mean() < _CROWDED:
            work = work.only(alive)
    steps = Steps.joined(taken)
    # A block has few items, and small integers are sorted in linear time.
    steps = steps.part(np.argsort(steps.item.astype(np.int16), kind="stable"))
    return replace(steps, item=steps.item + rows.start)


@dataclass(slots=True, kw_only=True, eq=False)
class _Work:
    """The items whose paths are being followed; judges first."""

    item: IntArray
    left: FloatArray
    """C."""
    toward: FloatArray
    """C π."""
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
        toward = answers.toward
        variance = np.einsum("kj,jk->k", model.weights, toward)
        return cls(
            item=np.arange(len(n)),
            left=answers.left,
            toward=toward,
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


def merging_order(steps: Steps, norm: float) -> FloatArray:
    r"""The value by which steps are merged, highest first; shape (T,).

    For p = inf it is the variance before the step, so that all items come down to one level.
    Otherwise it is the fall of :math:`V^{p/2}` per price; a step whose next one falls faster is
    joined with it (pool-adjacent-violators, the upper hull of price and fall), so that values never
    rise along a path and steps taken in their order take every path from its beginning.
    """
    if norm == math.inf:
        return steps.before
    fall, cost = steps.before ** (norm / 2) - steps.after ** (norm / 2), steps.cost
    first, place = steps.first, np.arange(steps.item.size)
    while True:
        rate = fall / cost
        begins = first | (rate <= np.roll(rate, 1))
        if begins.all():
            return rate[place]
        begin = np.flatnonzero(begins)
        fall, cost, first = np.add.reduceat(fall, begin), np.add.reduceat(cost, begin), first[begin]
        place = (np.cumsum(begins) - 1)[place]
