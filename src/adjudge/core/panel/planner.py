"""The planner: what a budget would buy, and what a wanted precision would cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.evidence import learn_from
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.summary import PanelEstimate, panel_estimate
from adjudge.core.problem import Allocation, Evidence, Moments, Phase, Problem
from adjudge.errors import InputError

_GUESSED_MEAN = 0.5
"""Mean score on the scale 0 to 1 before anything was seen: no side is preferred."""
_GUESSED_SPREAD = 1 / 16
"""Variance of a judge's long-run answers over items: half of them within a third of the scale."""
_GUESSED_AGREEMENT = 0.7
"""Correlation of two judges' long-run answers, as recorded panels of language models have it."""
_FULL_AGREEMENT = 1 - 1e-9
"""Correlation of judges who measure one score, short of what no matrix can be inverted with."""
_GUESSED_NOISE = 0.01
"""Variance of one call on the scale 0 to 1: a standard deviation of a tenth of it."""

_MOST_ITEMS = 20_000
"""Items from which on a forecast works with a sample of them."""
_MOST_ITEMS_OF_A_SEARCH = 2_000
"""The same for a search, which makes a dozen forecasts; the mean width is known to about 1 %."""
_IRRATIONAL = (math.sqrt(5) - 1) / 2
"""Part of the sample's step that keeps it from beating with the order of the items."""

_MOST_CALLS = 1_000
"""Calls of every pair beyond which no budget is looked for."""
_STRIDE = 4.0
"""Factor by which a search raises a budget that is too small."""
_TOLERANCE = 0.01
"""Relative error of the budget that a search finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a budget is expected to buy."""

    budget: float
    """The whole budget, what was spent included."""
    calls: int
    """Calls that it pays, those already made included."""
    mean_width: float
    """Expected length of an item's interval, averaged over items."""
    norm_error: float
    """Expected error of the scores in the problem's norm."""


def forecast(
    problem: Problem,
    budgets: Iterable[float],
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
) -> list[Forecast]:
    r"""Expected interval width and error for each of these whole budgets.

    The panel that the evidence shows (before the first call: a guess, of judges who agree to 0.7)
    decides where the money that is left would go, and with which variance every score would then
    stand: :math:`V_k(n_k + \text{planned}_k)`. The mean width is that of the intervals
    :math:`2 t \sqrt{V_k}`, cut to the score range; the error is that of `Estimate.norm_error`.
    A budget at or below what was spent gives the present state. New calls are expected to give a
    score as often as the judge's earlier ones did.

    A forecast knows the judges as well as the evidence does. Before the first call the width may
    be off by a factor of 1.5 (4 on a scale of yes and no). On synthetic panels of 200 and 500
    items the width after 15 calls per item was foreseen within 25 % after three calls per item in
    five cases of six, after five in 19 of 20; most of the others took judges that differ for
    judges that agree, or the reverse. How much calls vary shows in repeats alone: without them the
    noise stays the guess.

    Beyond 20,000 items the plan is made for a sample of them with its share of the money: every
    so many-th item, the step being irrational, so that no period in the order of the items counts.
    """
    outlook = _Outlook.of(problem, evidence, target, most_items=_MOST_ITEMS)
    return [outlook.at(_checked(budget), level) for budget in budgets]


def budget_for_width(
    problem: Problem,
    width: float,
    *,
    evidence: Evidence | None = None,
    level: float | None = None,
    target: Target = Target.PANEL,
) -> float:
    """The smallest whole budget whose expected mean interval width is at most `width`.

    The inverse of `forecast`, by bisection in the logarithm of the budget. What was spent already
    is the answer where it suffices.
    """
    if not width > 0:
        raise InputError("width", f"{width}", "a wanted width must be above zero")
    outlook = _Outlook.of(problem, evidence, target, most_items=_MOST_ITEMS_OF_A_SEARCH)

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
    """The present, as far as plans need it; items are a sample where there are many."""

    problem: Problem
    evidence: Evidence
    model: PanelModel
    learned: Learned | None
    price: FloatArray
    """Of a call, infinite where none will be made; shape (sample, J)."""
    answered: FloatArray
    """Expected share of a judge's calls that give a score; shape (J,)."""
    spent: float
    """On all items."""
    calls: int
    """Made on all items."""
    items: int
    """K, of which the sample is a part."""

    @classmethod
    def of(
        cls, problem: Problem, evidence: Evidence | None, target: Target, *, most_items: int
    ) -> _Outlook:
        """What the evidence shows of the panel, or the guess that stands for it."""
        evidence = Evidence.none(problem) if evidence is None else evidence
        scores = evidence.pooled
        learned = None
        model = _guessed_panel(problem, target)
        price = problem.price
        if scores.n.any():
            learned = learn_from(problem, evidence, target)
            model = learned.model
            price = np.where(learned.follow, price, math.inf)
        made = evidence.calls
        rows = _sample(problem.items, most_items)
        part = model.part(rows)
        return cls(
            problem=replace(problem, cost=problem.cost[rows], mask=problem.mask[rows]),
            evidence=_rows_of(evidence, rows),
            model=part,
            learned=None if learned is None else learned.part(rows),
            price=price[rows],
            # One answered call more than were made: a judge never asked is expected to answer.
            answered=(scores.n.sum(axis=0) + 1) / (made.sum(axis=0) + 1),
            spent=evidence.cost(problem),
            calls=int(made.sum()),
            items=problem.items,
        )

    def at(self, budget: float, level: float | None) -> Forecast:
        """What this whole budget is expected to buy."""
        sampled = self.problem.items
        share = sampled / self.items
        planned = best_calls(
            self.model,
            self.evidence.pooled.n,
            self.price,
            max(budget - self.spent, 0.0) * share,
            norm=self.problem.norm,
        )
        estimate = self._estimate_after(planned)
        # Each sampled item stands for those around it.
        nearest = np.arange(self.items) * sampled // self.items
        whole = replace(estimate, variance=estimate.variance[nearest])
        return Forecast(
            budget=budget,
            calls=self.calls + round(int(planned.sum()) / share),
            mean_width=float(estimate.interval(level).width.mean()),
            norm_error=whole.norm_error(),
        )

    def _estimate_after(self, planned: IntArray) -> PanelEstimate:
        """The estimate, if these calls said of the panel and of the items what is expected."""
        low, width = self.problem.score_range[0], self.problem.score_width
        seen = self.evidence.pooled
        n = evenly_thinned(planned, self.answered)
        scores = Moments(
            n=n,
            mean=np.where(seen.n > 0, seen.mean, low + width * self.model.mean),
            m2=width**2 * self.model.noise * n,
        )
        future = self.evidence.plus(Allocation(counts=planned), scores)
        return panel_estimate(self.problem, future, self.model, self.learned)


def believed_panel(
    problem: Problem, evidence: Evidence, target: Target = Target.PANEL
) -> PanelModel:
    """The panel that the evidence shows; before the first score, the guess that stands for it."""
    if not evidence.pooled.n.any():
        return _guessed_panel(problem, target)
    return learn_from(problem, evidence, target).model


def _guessed_panel(problem: Problem, target: Target) -> PanelModel:
    r"""Before the first call: :math:`\Sigma = \tau^2 (\rho 11^\top + (1-\rho) I)`."""
    judges = problem.judges
    agreement = _FULL_AGREEMENT if target is Target.UNBIASED else _GUESSED_AGREEMENT
    return PanelModel(
        mean=np.full(judges, _GUESSED_MEAN),
        covariance=_GUESSED_SPREAD * (agreement + (1 - agreement) * np.eye(judges)),
        noise=np.broadcast_to(_GUESSED_NOISE, problem.cost.shape),
        weights=problem.weights,
        hardness=np.ones(problem.items),
    )


def evenly_thinned(counts: IntArray, share: FloatArray) -> IntArray:
    """The share (J,) of the calls (K, J), whole and spread over the items without chance."""
    whole = np.floor(np.cumsum(counts, axis=0) * share).astype(np.int64)
    thinned: IntArray = np.diff(whole, axis=0, prepend=0)
    return thinned


def _sample(items: int, most: int) -> IntArray:
    """All items, or some evenly spread over them; at most `most`."""
    step = 1.0 if items <= most else items // most + _IRRATIONAL
    return np.arange(0, items, step).astype(np.int64)


def _rows_of(evidence: Evidence, rows: IntArray) -> Evidence:
    """The evidence on these items."""
    return Evidence(
        asked=MappingProxyType({phase: evidence.asked[phase][rows] for phase in Phase}),
        moments=MappingProxyType(
            {
                phase: Moments(n=seen.n[rows], mean=seen.mean[rows], m2=seen.m2[rows])
                for phase, seen in evidence.moments.items()
            }
        ),
    )


def _checked(budget: float) -> float:
    if not 0 <= budget < math.inf:
        raise InputError("budget", f"{budget}", "a budget must be zero or more and finite")
    return float(budget)
