"""The planner: what a budget buys, and what a given precision costs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel.law import Law
from adjudge.core.panel.learning import Learned, Target, beliefs_for, learn
from adjudge.core.panel.model import SMALLEST
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.summary import PanelEstimate, panel_estimate
from adjudge.core.problem import Problem
from adjudge.core.requests import Requests
from adjudge.errors import InputError

_MOST_ITEMS = 20_000
"""Above this many items a forecast uses a sample of them."""
_MOST_ITEMS_OF_A_SEARCH = 2_000
"""The same for a search, which makes a dozen forecasts; the mean width is accurate to about 1 %."""
_IRRATIONAL = (math.sqrt(5) - 1) / 2
"""Irrational sampling step, to avoid aliasing with periodic item orders."""

_MOST_CALLS = 1_000
"""Calls per pair at which the search for a budget gives up."""
_STRIDE = 4.0
"""Factor by which the search raises a budget that is too small."""
_TOLERANCE = 0.01
"""Relative tolerance of the search for a budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a budget is expected to buy."""

    budget: float
    """The total budget, including money already spent."""
    calls: int
    """Calls it pays for, including those already made."""
    mean_width: float
    """Expected width of an item's interval, averaged over items."""
    norm_error: float
    """Expected error of the scores in the problem's norm."""


def forecast(
    problem: Problem,
    budgets: Iterable[float],
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
    learned: Learned | None = None,
) -> list[Forecast]:
    r"""Expected interval width and error for each of these total budgets.

    The fitted panel (before the first call a prior guess, of judges that correlate at 0.7) decides
    where the remaining money would go, and the variance each score would then have:
    :math:`V_k(n_k + \text{planned}_k)`. The mean width is that of the intervals
    :math:`2 t \sqrt{V_k}`, clipped to the score range; the error is that of `Estimate.norm_error`.
    A budget at or below what was spent gives the present state. Answer rates are taken from the
    judges' earlier calls. `learned` is the fitted panel, if already known.

    A forecast is only as good as the fit: before the first call it rests on the priors alone, and
    noise is learned mainly from repeated calls.

    Above 20,000 items the plan is made for an evenly spaced sample with its share of the money; the
    step is irrational, so that a periodic order of the items does no harm.
    """
    outlook = _Outlook.of(problem, evidence, target, learned, most_items=_MOST_ITEMS)
    return [outlook.at(_checked(budget), level) for budget in budgets]


def budget_for_width(
    problem: Problem,
    width: float,
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
    learned: Learned | None = None,
) -> float:
    """The smallest total budget whose expected mean interval width is at most `width`.

    The inverse of `forecast`, by bisection in the logarithm of the budget. If the money already
    spent suffices, it is the answer.
    """
    if not width > 0:
        raise InputError("width", f"{width}", "a width must be above zero")
    most_items = _MOST_ITEMS_OF_A_SEARCH
    outlook = _Outlook.of(problem, evidence, target, learned, most_items=most_items)

    def expected_width(budget: float) -> float:
        return outlook.at(budget, level).mean_width

    if expected_width(outlook.spent) <= width:
        return outlook.spent
    most = outlook.spent + _MOST_CALLS * problem.cost_of_every_pair
    low = max(outlook.spent, float(problem.price.min()))
    high = outlook.spent + problem.cost_of_every_item
    while (reached := expected_width(high)) > width:
        if high >= most:
            raise InputError(
                "width",
                f"{width:.4g} is out of reach",
                f"a budget of {most:.4g} would leave a mean width of {reached:.4g}",
            )
        low, high = high, min(_STRIDE * high, most)
    while high > low * (1 + _TOLERANCE):
        middle = math.sqrt(low * high)
        if expected_width(middle) <= width:
            high = middle
        else:
            low = middle
    return high


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Outlook:
    """The present state, as needed for plans; with many items, of a sample."""

    problem: Problem
    evidence: Evidence
    learned: Learned
    price_per_score: Requests
    """Prices of the sample; infinite where no call will be made."""
    answer_rate: FloatArray
    """Expected share of a judge's calls that give a score; shape (J,)."""
    spent: float
    """Money spent on all items."""
    calls: int
    """Calls made on all items."""
    items: int
    """Number of all items K."""

    @classmethod
    def of(
        cls,
        problem: Problem,
        evidence: Evidence | None,
        target: Target,
        learned: Learned | None,
        *,
        most_items: int,
    ) -> _Outlook:
        """The present state for this evidence."""
        evidence = Evidence.none(problem) if evidence is None else evidence
        made = evidence.calls
        if learned is None:
            learned = believed_panel(problem, evidence, target)
        price = problem.with_judges(learned.follow).price_per_score(evidence.answer_rate)
        rows = _sample(problem.items, most_items)
        return cls(
            problem=problem.part(rows),
            evidence=evidence.part(rows),
            learned=learned.part(rows),
            price_per_score=price.part(rows),
            answer_rate=evidence.answer_rate,
            spent=evidence.cost(problem),
            calls=int(made.sum()),
            items=problem.items,
        )

    def at(self, budget: float, level: float | None) -> Forecast:
        """The forecast for this total budget."""
        sampled = self.problem.items
        share = sampled / self.items
        planned = best_calls(
            self.learned.model,
            self.evidence.pooled.n,
            self.price_per_score,
            max(budget - self.spent, 0.0) * share,
            norm=self.problem.norm,
        )
        estimate = self._estimate_after(planned)
        # Each sampled item represents its neighbours.
        nearest = np.arange(self.items) * sampled // self.items
        whole = replace(estimate, variance=estimate.variance[nearest])
        return Forecast(
            budget=budget,
            calls=self.calls + round(float((planned / self.answer_rate).sum()) / share),
            mean_width=float(estimate.interval(level).width.mean()),
            norm_error=whole.norm_error(),
        )

    def _estimate_after(self, planned: IntArray) -> PanelEstimate:
        r"""The expected estimate after these scores.

        The doubt about a judge's mean falls as its own scores grow in number. What it adds to the
        doubt about the panel is :math:`\pi_j^2 \operatorname{Var}\theta_j`.
        """
        low, width = self.problem.score_range[0], self.problem.score_width
        model = self.learned.model
        seen = self.evidence.pooled
        scores = Moments(
            n=planned,
            mean=np.where(seen.n > 0, seen.mean, low + width * model.mean[model.group]),
            m2=width**2 * model.noise * planned,
        )
        future = self.evidence.plus(Allocation(counts=planned), scores)
        before = seen.n.sum(axis=0) + 1
        doubt = np.var([law.group_mean for law in self.learned.laws], axis=0).mean(axis=0)
        left = np.average(
            before / (before + planned.sum(axis=0)),
            weights=self.problem.weights**2 * doubt + SMALLEST,
        )
        return panel_estimate(self.problem, future, self.learned, foreseen=float(left))


def believed_panel(problem: Problem, evidence: Evidence, target: Target = Target.PANEL) -> Learned:
    """The panel fitted to the evidence, or the prior guess before the first score."""
    if evidence.pooled.n.any():
        return learn(problem, evidence, target=target)
    beliefs = beliefs_for(problem, target)
    if target is Target.UNBIASED:
        beliefs = beliefs.that_judges_measure_one_score()
    law = Law.believed(problem.judges, 1, beliefs)
    if problem.noiseless is not None and target is Target.PANEL:
        law = replace(law, noise=np.where(problem.noiseless, beliefs.least_noise, law.noise))
    noise = np.broadcast_to(law.noise, problem.price_per_call.shape)
    return replace(Learned.known(problem, law, noise, problem.weights), target=target)


def _sample(items: int, most: int) -> IntArray:
    """At most `most` items, spread evenly over all."""
    step = 1.0 if items <= most else items // most + _IRRATIONAL
    return np.arange(0, items, step).astype(np.int64)


def _checked(budget: float) -> float:
    if not 0 <= budget < math.inf:
        raise InputError("budget", f"{budget}", "a budget must be zero or more and finite")
    return float(budget)
