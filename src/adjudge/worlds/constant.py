"""A judge that always gives the same answer, added to any world."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import check_positive
from adjudge.core.evidence import Allocation, Moments
from adjudge.worlds.instance import Instance
from adjudge.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ConstantJudgeWorld:
    """Another world with one more judge, which always answers the middle of the scale.

    The truth is the score of the panel without this judge. Strategies do not know that: in their
    problem the judge has the same weight as the others.
    """

    instance: Instance
    world: World
    """The source of the other judges' scores."""

    @classmethod
    def of(cls, world: World, cost: float) -> ConstantJudgeWorld:
        """The world with a constant judge of this price added last."""
        check_positive("cost", np.array([cost]))
        plain = world.instance
        items, judges = plain.mean.shape
        middle = np.full((items, 1), sum(plain.score_range) / 2)
        instance = Instance.of(
            mean=np.hstack([plain.mean, middle]),
            variance=np.hstack([plain.variance, np.zeros((items, 1))]),
            price_per_call=np.hstack([plain.price_per_call, np.full((items, 1), cost)]),
            mask=np.hstack([plain.mask, np.ones((items, 1), dtype=bool)]),
            score_range=plain.score_range,
            truth=plain.truth,
            weights=np.append(plain.weights, 1 / judges),
            judge_names=(*plain.judge_names, "constant"),
            groups=plain.groups,
            prompts=plain.prompts,
        )
        return cls(instance=instance, world=world)

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """The other judges' scores, and the middle for every call of the constant one."""
        others = Allocation(counts=batch.counts[:, :-1], phase=batch.phase)
        drawn = self.world.draw(others, rng)
        calls = batch.counts[:, -1:]
        middle = sum(self.instance.score_range) / 2
        return Moments(
            n=np.hstack([drawn.n, calls]),
            mean=np.hstack([drawn.mean, np.where(calls > 0, middle, 0.0)]),
            m2=np.hstack([drawn.m2, np.zeros(calls.shape)]),
        )
