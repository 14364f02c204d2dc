"""What the start need not ask, because the rounds after it will."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.learning import Learned
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments, Problem

_SAMPLE = 64
"""Items whose plan stands for that of all that were not yet asked."""
_ANYWAY = 0.2
"""How much a judge that the rounds ask of every item is still compared."""
_PERHAPS = 0.1
"""How much the noise matters of a judge that they ask of none."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foresight:
    """Whom the plan would ask of an item, and how well the noise of each judge is known."""

    planned: FloatArray
    """Share of the items of which the plan asks each judge; shape (J,)."""
    noise: FloatArray
    """Each judge's, as known so far; shape (J,)."""
    repeats: FloatArray
    """Calls of each judge that were made twice; shape (J,)."""
    price: FloatArray
    """Of one call; shape (J,)."""

    @classmethod
    def of(
        cls, problem: Problem, learned: Learned, seen: Moments, items: IntArray, budget: float
    ) -> Foresight:
        """By the plan for some of these items, of none of which anything was asked."""
        some = items[:: -(-items.size // _SAMPLE)]
        plan = best_calls(
            learned.model.part(some),
            np.zeros((some.size, problem.judges), np.int64),
            problem.price[some],
            budget * some.size / problem.items,
            norm=problem.norm,
        )
        return cls(
            planned=(plan > 0).mean(axis=0),
            noise=learned.noise.by_judge,
            repeats=Repeats.of(seen).freedom.sum(axis=0),
            price=problem.cost.mean(axis=0),
        )

    @property
    def curiosity(self) -> FloatArray:
        """How much rather each judge is compared in the start: those the rounds leave out; (J,)."""
        return 1 - self.planned + _ANYWAY

    def to_repeat(self, items: int, judges: int) -> BoolArray:
        r"""The judges, so many of each item, that are asked twice; shape (items, J).

        After r repeats the noise of a judge is known to a variance of about
        :math:`2\sigma_j^4/(r + 1)`. The next repeat is of the judge for which that falls most for
        its price, as far as the plan asks it: a noisy judge that happened to repeat itself a few
        times passes for a quiet one, and is asked of every item.
        """
        chosen = np.zeros((items, self.noise.size), dtype=bool)
        known = self.repeats + 1
        matters = (self.planned + _PERHAPS) * self.noise**2 / self.price
        for row in chosen:
            told = matters / (known * (known + 1))
            row[np.argsort(-told, kind="stable")[:judges]] = True
            known = known + row
        return chosen
