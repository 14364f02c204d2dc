"""What a strategy is."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from adjudge.core.estimate import Estimate
from adjudge.core.problem import Allocation, Evidence, Problem


class Strategy(Protocol):
    """Decides what to ask next, and what the answers mean.

    Both methods are pure: a strategy has no memory, so resuming a run is just the next iteration of
    its loop.

    One with an attribute `replans` that is true is asked for the next calls while a judge many
    times slower than the others is still waited for; that judge's pairs are then masked. For any
    other strategy every call of a batch is waited for.

    A run that may end early shows a large budget in stages: `remaining` grows once a stage is
    spent. One with an attribute `whole_budget` that is true is always shown all of it.
    """

    def next_batch(
        self,
        problem: Problem,
        evidence: Evidence,
        remaining: float,
        rng: np.random.Generator,
    ) -> Allocation:
        """The calls to make now, within what remains of the budget; empty when done."""
        ...

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """Every item's score, from what was seen so far."""
        ...
