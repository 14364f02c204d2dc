"""Worlds of judges and people whose law is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.labels import Labels
from adjudge.core.panel import Target
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel
from adjudge.simulate import play
from adjudge.worlds import GaussianWorld, Instance

SCALE = (1.0, 5.0)
KINDS = ("common bias", "different slopes", "one judge against people")


@dataclass(frozen=True, kw_only=True, eq=False)
class HumanWorld:
    world: GaussianWorld
    people: FloatArray
    """What people say of each item, on the scale 1 to 5; shape (K,)."""

    @classmethod
    def of(cls, kind: str, items: int, rng: np.random.Generator) -> HumanWorld:
        """Three judges of equal price, on the scale 0 to 1."""
        score = 0.5 + 0.15 * rng.standard_normal(items)
        slope = np.array([0.4, 1.0, 1.5]) if kind == "different slopes" else np.ones(3)
        offset = 0.2 if kind == "common bias" else 0.0
        mean = 0.5 + offset + slope * (score[:, None] - 0.5)
        if kind == "one judge against people":
            mean[:, 2] = 1 - mean[:, 2]
        mean = np.clip(mean + 0.06 * rng.standard_normal(mean.shape), 0, 1)
        people = np.clip(score + 0.08 * rng.standard_normal(items), 0, 1)
        variance = np.full(mean.shape, 0.01)
        instance = Instance.of(mean=mean, variance=variance, price_per_call=[1.0, 1.0, 1.0])
        return cls(world=GaussianWorld(instance=instance), people=1 + 4 * people)

    @property
    def problem(self) -> Problem:
        return self.world.instance.problem(confidence=0.9)

    def labels(self, number: int, rng: np.random.Generator) -> Labels:
        """Of so many random items."""
        items = rng.permutation(self.people.size)[:number]
        return Labels.of(items, self.people[items], items=self.people.size, scale=SCALE)

    def with_labels(self, labels: Labels | None) -> Problem:
        return replace(self.problem, labels=labels)

    def evidence(self, labels: Labels | None, calls: float, rng: np.random.Generator) -> Evidence:
        """What the strategy asks with these labels, at so many calls per item."""
        problem = self.with_labels(labels)
        strategy = Panel(target=Target.REFERENCE)
        return play(strategy, problem, self.world, calls * problem.items, rng=rng).evidence

    def asked_once(self, rng: np.random.Generator) -> Evidence:
        """One call of every pair."""
        problem = self.problem
        batch = Allocation(counts=np.ones((problem.items, problem.judges), np.int64))
        return Evidence.none(problem).plus(batch, self.world.draw(batch, rng))
