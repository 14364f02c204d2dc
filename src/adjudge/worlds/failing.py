"""Judges whose calls sometimes give no score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, check_shape, float_array
from adjudge.core.evidence import Allocation, Moments
from adjudge.errors import InputError
from adjudge.worlds.asked import AskedPairs
from adjudge.worlds.instance import Instance
from adjudge.worlds.world import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FailingWorld:
    """Another world, where a call of judge j is billed but fails with probability `rate[j]`."""

    instance: Instance
    world: World
    """The source of the scores of successful calls."""
    rate: FloatArray
    """Probability that a call gives no score, below 1; shape (J,)."""

    @classmethod
    def of(cls, world: World, rate: npt.ArrayLike) -> FailingWorld:
        """The world with a failure rate per judge."""
        return cls(instance=world.instance, world=world, rate=float_array("rate", rate))

    def __post_init__(self) -> None:
        check_shape("rate", self.rate, (len(self.instance.judge_names),))
        wrong = ~((self.rate >= 0) & (self.rate < 1))
        if wrong.any():
            judge = int(np.argmax(wrong))
            raise InputError(
                "rate",
                f"{self.rate[judge]} of {self.instance.judge_names[judge]}",
                "a failure rate must be 0 or more and below 1",
            )

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch; failed calls give no score."""
        asked = AskedPairs.of(batch, self.instance)
        answered = np.zeros(asked.shape, np.int64)
        answered[asked.item, asked.judge] = rng.binomial(asked.calls, 1 - self.rate[asked.judge])
        return self.world.draw(replace(batch, counts=answered), rng)
