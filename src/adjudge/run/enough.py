"""When a run may end before its money is spent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.people import forecast
from adjudge.core.strategies import Panel, Strategy
from adjudge.run.askable import askable_part
from adjudge.run.result import Result

NARROW = 0.02
"""Width of every interval, as a share of the scale, at which a run ends."""
GAIN = 0.05
"""A run ends if doubling the spend would narrow the mean interval by less than this share of the
scale."""
SPEND_ALL = "`spend: all` goes on"
"""Last words of every reason: how to spend the rest."""
ENOUGH_SCORES = 5
"""Scores that every item needs before a forecast is used."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interim:
    """What is known between two rounds."""

    result: Result
    look: int
    """Number of this look; the first is 1."""
    may_ask: BoolArray
    """The pairs that can still be asked; shape (K, J)."""
    strategy: Strategy

    @property
    def askable(self) -> BoolArray:
        """The items that can still be asked; shape (K,)."""
        askable: BoolArray = np.any(self.may_ask, axis=1)
        return askable


Enough: TypeAlias = Callable[[Interim], str | None]
"""Returns why the run may end now, in a few words; None if it goes on."""


def narrow_enough(interim: Interim) -> str | None:
    """The reason to end once every askable item's interval is at most `NARROW` of the scale."""
    width = interim.result.estimate.interval().width[interim.askable]
    if not width.size or width.max() > NARROW:
        return None
    return f"every interval is at most {NARROW:.0%} of the scale wide ({SPEND_ALL})"


def worth_no_more(interim: Interim) -> str | None:
    """The reason to end once more calls would hardly change the results.

    Either every interval is narrow. Or every item that can be asked has `ENOUGH_SCORES` scores, and
    doubling the spend would narrow the intervals by less than `GAIN` of the scale on average.
    """
    narrow = narrow_enough(interim)
    if narrow is None and _gain_of_doubling(interim) < GAIN:
        less = f"less than {GAIN:.0%} of the scale"
        return f"twice the money would narrow the intervals by {less} ({SPEND_ALL})"
    return narrow


def _gain_of_doubling(interim: Interim) -> float:
    r"""Mean reduction of the interval width, as a share of the scale; infinite with too few scores.

    For the panel strategy, the planner's forecast of the pairs that can still be asked. For any
    other, the width is assumed to fall by :math:`1 - 1/\sqrt 2`, like that of a mean of independent
    scores; no strategy gains much more.
    """
    result, strategy = interim.result, interim.strategy
    scores = result.scored.sum(axis=1)[interim.askable]
    if not scores.size or scores.min() < ENOUGH_SCORES:
        return math.inf
    if not isinstance(strategy, Panel):
        width = result.estimate.interval().width[interim.askable]
        return float(width.mean()) * (1 - math.sqrt(0.5))
    problem = askable_part(result.problem, interim.may_ask)
    evidence = result.evidence.part(interim.askable)
    spent, more = evidence.cost(problem), result.evidence.cost(result.problem)
    now, twice = forecast(problem, [spent, spent + more], evidence=evidence, target=strategy.target)
    return (now.mean_width - twice.mean_width) / problem.score_width
