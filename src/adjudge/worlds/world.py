"""A world: what judges would answer, and the truth behind their answers."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from adjudge.core.problem import Allocation, Moments
from adjudge.worlds.instance import Instance


class World(Protocol):
    """Answers any allocation with the moments of the scores it would have bought."""

    @property
    def instance(self) -> Instance:
        """What is true of its pairs, and what a call of each costs."""
        ...

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch; `n` is below the counts where calls fail."""
        ...
