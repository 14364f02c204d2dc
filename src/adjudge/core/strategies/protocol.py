"""The protocol of strategies."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem


class Strategy(Protocol):
    """Decides which calls to make next, and estimates scores from the answers.

    Both methods are pure: a strategy has no state, so resuming a run is just the next iteration.

    With a true attribute `replans`, the run asks for the next batch while calls of a judge many
    times slower than the others are still pending; that judge's pairs are then masked. Otherwise
    the run waits for every call of a batch.

    A run that may end early reveals a large budget in stages: `remaining` grows once a stage is
    spent. With a true attribute `whole_budget`, it is always the whole.
    """

    def next_batch(
        self,
        problem: Problem,
        evidence: Evidence,
        remaining: float,
        rng: np.random.Generator,
    ) -> Allocation:
        """The calls to make now, within the remaining budget; empty when done."""
        ...

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """Every item's score, from the evidence so far."""
        ...
