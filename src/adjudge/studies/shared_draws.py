"""Scores shared by several strategies, norms and budgets of one run.

Pilots and equal counts do not depend on the norm, and a larger budget extends a smaller one.
Sharing draws leaves the distribution of every single error unchanged; it only correlates errors
of the same run at different norms and budgets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.evidence import Allocation, Evidence, Moments, Phase
from adjudge.core.problem import Problem
from adjudge.core.strategies import Strategy
from adjudge.worlds import Instance, World
from adjudge.worlds.beta import EXACT_CALLS


class SharedPilots:
    """A world that draws one pilot per size, each larger one extending the one before.

    Pilots above `EXACT_CALLS` are drawn afresh, which takes constant time.
    """

    def __init__(self, world: World, rng: np.random.Generator) -> None:
        self._world = world
        self._rng = rng
        self._pilots: dict[int, Moments] = {}

    @property
    def instance(self) -> Instance:
        """The world's instance."""
        return self._world.instance

    def prepare(self, sizes: Sequence[int]) -> None:
        """Draw the pilots of these sizes, each extending the last."""
        for size in sorted(set(sizes)):
            self._pilot(size)

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """The shared pilot if the batch is a pilot of all pairs, else fresh scores."""
        size = int(batch.counts.max())
        every_pair = np.where(self.instance.mask, size, 0)
        if batch.phase is Phase.PILOT and np.array_equal(batch.counts, every_pair):
            return self._pilot(size)
        return self._world.draw(batch, rng)

    def at_prices_of(self, world: World) -> SharedPilots:
        """The same scores in a world that differs only in its prices."""
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
    """The evidence at each of the ascending budgets, each extending the one before.

    Strategies are stateless, so a finished run continues when its budget is raised. Budgets above
    `anew_beyond` start from no evidence.
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
