"""Scores that several strategies, norms and budgets of one run have in common.

Neither a pilot nor equal counts depend on the norm, and a larger budget begins as a smaller one
does. Drawing them once leaves the law of every single error as it is; only errors of the same run
at different norms and budgets then depend on each other more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.problem import Allocation, Evidence, Moments, Phase, Problem
from adjudge.core.strategies import Strategy
from adjudge.worlds import Instance, World
from adjudge.worlds.beta import EXACT_CALLS


class SharedPilots:
    """A world whose pilots are drawn once for each size, the larger ones from the smaller.

    Pilots beyond `EXACT_CALLS` are drawn anew: their price no longer grows with their size.
    """

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self._world = world
        self._rng = rng
        self._pilots: dict[int, Moments] = {}

    @property
    def instance(self) -> Instance:
        """The world's own."""
        return self._world.instance

    def prepare(self, sizes: Sequence[int]) -> None:
        """Draw the pilots of these sizes; in ascending order, so that each extends the last."""
        for size in sorted(set(sizes)):
            self._pilot(size)

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """The shared pilot for a pilot of all pairs, fresh scores for any other batch."""
        size = int(batch.counts.max())
        every_pair = np.where(self.instance.mask, size, 0)
        if batch.phase is Phase.PILOT and np.array_equal(batch.counts, every_pair):
            return self._pilot(size)
        return self._world.draw(batch, rng)

    def at_prices_of(self, world: World) -> SharedPilots:
        """The same scores in a world that differs in its prices alone."""
        other = SharedPilots(world, self._rng)
        other._pilots = self._pilots
        return other

    def _pilot(self, size: int) -> Moments:
        if size not in self._pilots:
            smaller = max((held for held in self._pilots if held < size), default=0)
            if smaller and size <= EXACT_CALLS:
                more = self._draw_every_pair(size - smaller)
                self._pilots[size] = self._pilots[smaller] + more
            else:
                self._pilots[size] = self._draw_every_pair(size)
        return self._pilots[size]

    def _draw_every_pair(self, times: int) -> Moments:
        counts: IntArray = np.where(self.instance.mask, np.int64(times), 0)
        return self._world.draw(Allocation(counts=counts, phase=Phase.PILOT), self._rng)


def grown(
    strategy: Strategy,
    problem: Problem,
    world: World,
    budgets: Sequence[float],
    *,
    rng: np.random.Generator,
    anew_beyond: float,
) -> Iterator[tuple[float, Evidence]]:
    """The evidence at each of the ascending budgets, each bought on top of the one before.

    A strategy has no memory: raising the budget of a finished run is the next turn of its loop.
    Budgets above `anew_beyond` begin with nothing.
    """
    for_strategy, for_world = rng.spawn(2)
    evidence = Evidence.none(problem)
    for budget in budgets:
        if budget > anew_beyond:
            evidence = Evidence.none(problem)
        while batch := strategy.next_batch(
            problem, evidence, budget - evidence.cost(problem), for_strategy
        ):
            evidence = evidence.plus(batch, world.draw(batch, for_world))
        yield budget, evidence
