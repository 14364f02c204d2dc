"""Forecasts of what a budget buys, on the people's scale if that is the target."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from adjudge.core import forecasts
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Evidence
from adjudge.core.forecasts import Forecast
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.people.calls import PlannedCalls
from adjudge.core.people.column import is_anchored
from adjudge.core.people.estimate import PeopleEstimate, people_estimate
from adjudge.core.problem import Problem
from adjudge.errors import InputError

_MOST_CALLS = 1_000
"""Upper end of the search for a budget, in calls per pair."""
_TOLERANCE = 0.01
"""Relative tolerance of the search for a budget."""


def forecast(
    problem: Problem,
    budgets: Iterable[float],
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
    learned: Learned | None = None,
) -> list[Forecast]:
    """Expected interval width and error for each of these total budgets.

    On the people's scale, widths use the present conformal factor for items without a label and
    are 0 for labelled ones; more calls do not reduce the deviation of people from judges.
    """
    if not is_anchored(problem, target):
        return forecasts.forecast(
            problem,
            budgets,
            evidence=evidence,
            level=level,
            target=of_judges(target),
            learned=learned,
        )
    outlook = _Outlook.of(problem, evidence)
    return [outlook.at(budget, level) for budget in budgets]


def budget_for_width(
    problem: Problem,
    width: float,
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
    learned: Learned | None = None,
) -> float:
    """The smallest total budget whose expected mean interval width is at most `width`."""
    if not is_anchored(problem, target):
        return forecasts.budget_for_width(
            problem,
            width,
            evidence=evidence,
            level=level,
            target=of_judges(target),
            learned=learned,
        )
    if not width > 0:
        raise InputError("width", f"{width}", "a wanted width must be above zero")
    outlook = _Outlook.of(problem, evidence)
    low = max(outlook.spent, float(problem.price.min()))
    high = outlook.spent + _MOST_CALLS * problem.cost_of_every_pair
    if outlook.at(outlook.spent, level).mean_width <= width:
        return outlook.spent
    if (reached := outlook.at(high, level).mean_width) > width:
        raise InputError(
            "width",
            f"{width:.4g} is out of reach",
            f"calls alone leave a mean width of {reached:.4g}; more labels may help",
        )
    while high > low * (1 + _TOLERANCE):
        middle = math.sqrt(low * high)
        if outlook.at(middle, level).mean_width <= width:
            high = middle
        else:
            low = middle
    return high


def of_judges(target: Target) -> Target:
    """The target without labels: the panel in place of people."""
    return Target.PANEL if target is Target.REFERENCE else target


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Outlook:
    """The present state, as needed for forecasts."""

    problem: Problem
    calls: PlannedCalls
    estimate: PeopleEstimate
    made: int
    spent: float

    @classmethod
    def of(cls, problem: Problem, evidence: Evidence | None) -> _Outlook:
        """The present state for this evidence."""
        evidence = Evidence.none(problem) if evidence is None else evidence
        return cls(
            problem=problem,
            calls=PlannedCalls.of(problem, evidence),
            estimate=people_estimate(problem, evidence),
            made=int(evidence.calls.sum()),
            spent=evidence.cost(problem),
        )

    def at(self, budget: float, level: float | None) -> Forecast:
        """The forecast for this total budget."""
        if not 0 <= budget < math.inf:
            raise InputError("budget", f"{budget}", "a budget must be zero or more and finite")
        labels, items = self.estimate.labels, self.problem.items
        left, scores = self.calls.left_open(max(budget - self.spent, 0.0))
        left = left + self.calls.doubt(left, labels.labelled.size)
        # Each sampled item represents its neighbours.
        nearest = np.arange(items) * left.size // items
        variance = np.where(labels.is_labelled, 0.0, labels.width**2 * left[nearest])
        level = self.problem.confidence if level is None else level
        factor = self.estimate.conformal_factor(level)
        width = np.minimum(2 * factor * np.sqrt(variance), labels.width)
        after = Estimate(
            score=self.estimate.score,
            variance=variance,
            weights=self.estimate.weights,
            freedom=self.estimate.freedom,
            score_range=labels.scale,
            norm=self.problem.norm,
            confidence=level,
        )
        return Forecast(
            budget=float(budget),
            calls=self.made + round(scores),
            mean_width=float(width.mean()),
            norm_error=after.norm_error(),
        )
