"""The protocol of worlds, which simulate judges' answers."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from adjudge.core.evidence import Allocation, Moments
from adjudge.worlds.instance import Instance


class World(Protocol):
    """Simulates the scores that an allocation would buy."""

    @property
    def instance(self) -> Instance:
        """The true values and prices of its pairs."""
        ...

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch; `n` is below the counts where calls fail."""
        ...
