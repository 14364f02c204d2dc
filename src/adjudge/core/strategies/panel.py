"""The default strategy: learn the panel while scoring with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.panel.course import NEARLY, Course
from adjudge.core.panel.evidence import learn_from
from adjudge.core.panel.foresight import Foresight
from adjudge.core.panel.guard import never_varied
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.panel.means import calls_for_means
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.start import first_comparisons, second_hearing
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.problem import Allocation, Evidence, Moments, Phase, Problem, total_cost
from adjudge.core.strategies.equal import total_budget

_FINISHING = 0.5
"""Share of the budget up to which rounds finish some items rather than begin all."""
_TASTE = 0.5
"""Spread of the random preferences among judges that were not yet compared."""
_FIRST_LEAP = 4
"""Calls that a round may make of any judge, however rarely it was asked before."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    r"""Asks where it helps the panel's score most, and learns the panel on the way.

    A probe shows random items to a few judges each, some of them twice. What it shows sets how
    much of the budget learning may take; the start goes on, doubling, until that is spent. A very
    large budget then tries out every pair. Then come rounds, each ending at a larger share of the
    budget; before each the model is fitted to all that was seen, and the calls are planned that
    lower :math:`\sum_k V_k^{p/2}` most, after those that pay for the judges' means. Where judges
    deviate and items can be shown to some but not to all, some sets of judges only pay together,
    and who seems best is to be compared before it is asked of every item: the first rounds plan
    with all the money, and make all calls of some random items. Judges that do not follow the
    others are switched off; one that always gave the same answer is heard again first, and never
    gets more calls at once than it had.
    """

    target: Target = Target.PANEL
    replans: ClassVar[bool] = True
    """It plans around judges that are slow; see `Strategy`."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The missing part of the probe, of the start, or of the round that was begun."""
        learned = learn_from(problem, evidence, self.target)
        telling = problem.with_judges(learned.guard.proven)
        course = _course(telling, evidence, learned, remaining)
        answers = learned.guard.to_hear(tight=course.tight)
        comparisons = second_hearing(
            problem, evidence, answers, min(course.hearing, remaining), rng
        )
        if not comparisons.any():
            comparisons = _start(telling, evidence, learned, course, rng)
        if comparisons.any():
            return Allocation(counts=comparisons, phase=Phase.PILOT)
        trials = course.trials(evidence, telling.price)
        if trials.any() and total_cost(trials, problem.cost) <= remaining / 2:
            return Allocation(counts=trials)
        counts = _next_round(
            problem, evidence, learned, course, telling.price, remaining=remaining, rng=rng
        )
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """What the panel would say of each item."""
        learned = learn_from(problem, evidence, self.target)
        return panel_estimate(problem, evidence, learned.model, learned)


def _course(problem: Problem, evidence: Evidence, learned: Learned, remaining: float) -> Course:
    """How the budget is spent on these judges, by what is known so far.

    A cheap judge that tells nothing would make a budget look as if it paid for more: before anyone
    was asked, only those that are not cheap count.
    """
    known = problem if evidence.calls.any() else problem.with_judges(_not_cheap(problem))
    course = Course.of(known, total_budget(problem, evidence, remaining))
    if course.picky and learned.deviate and not learned.noise.yes_or_no:
        return course.picking(problem)
    return course


def _not_cheap(problem: Problem) -> BoolArray:
    """The judges whose price is at least the middle one; shape (J,)."""
    price: FloatArray = problem.cost.mean(axis=0)
    return price >= np.median(price) * (1 - DUST)


def _start(
    problem: Problem,
    evidence: Evidence,
    learned: Learned,
    course: Course,
    rng: np.random.Generator,
) -> IntArray:
    """What is missing of the comparisons before scoring, none once it has begun; shape (K, J)."""
    spent = evidence.cost(problem)
    compared = Allocation(counts=evidence.asked[Phase.PILOT]).cost(problem)
    goal = course.budget * course.start(learned, evidence.pooled)
    goal = max(course.probe * course.budget, min(goal, 2 * spent))
    if spent > compared * (1 + DUST) or spent >= NEARLY * goal:
        return np.zeros(problem.cost.shape, np.int64)
    foresight = None
    unasked = np.flatnonzero(~evidence.calls.any(axis=1))
    if course.looks_ahead and unasked.size:
        foresight = Foresight.of(problem, learned, evidence.pooled, unasked, course.budget)
    return first_comparisons(problem, evidence, goal - spent, course, rng, foresight=foresight)


def _next_round(
    problem: Problem,
    evidence: Evidence,
    learned: Learned,
    course: Course,
    price: FloatArray,
    *,
    remaining: float,
    rng: np.random.Generator,
) -> IntArray:
    """The calls of the round that was begun, or of the next that has any; shape (K, J)."""
    budget, spent = course.budget, evidence.cost(problem)
    model = learned.model_to_plan_with(problem.norm)
    taste = _taste(evidence.pooled, rng)
    finishing = course.picky and learned.deviate and spent <= _FINISHING * budget
    for share in course.round_ends(spent / budget):
        left = share * budget - spent
        if left <= DUST * budget:
            continue
        counts = _first_calls(evidence, price, left, share)
        left -= total_cost(counts, problem.cost)
        counts += calls_for_means(
            model,
            learned.mean_error,
            evidence.calls + counts,
            price,
            spent=spent,
            money=left / 2,
            rng=rng,
        )
        cost = total_cost(counts, problem.cost)
        left = share * budget - spent - cost
        counts += _round(
            problem,
            model,
            evidence.calls + counts,
            price,
            left,
            horizon=remaining - cost if finishing else left,
            rng=rng,
            taste=taste,
        )
        if counts.any():
            return _without_leaps(counts, evidence, rng)
    return np.zeros(problem.cost.shape, np.int64)


def _without_leaps(counts: IntArray, evidence: Evidence, rng: np.random.Generator) -> IntArray:
    """The calls, but of judges that gave only one answer at most as many as they had; (K, J).

    Such a judge may know no other answer, and what it was asked so far may be too little to tell.
    What the round then leaves is planned anew when these calls were answered.
    """
    most = np.maximum(evidence.calls.sum(axis=0), _FIRST_LEAP)
    leaps = never_varied(evidence.pooled) & (counts.sum(axis=0) > most)
    for j in np.flatnonzero(leaps):
        order = rng.permutation(len(counts))
        calls = counts[order, j]
        counts[order, j] = np.clip(most[j] - (np.cumsum(calls) - calls), 0, calls)
    return counts


def _round(
    problem: Problem,
    model: PanelModel,
    calls: IntArray,
    price: FloatArray,
    money: float,
    *,
    horizon: float,
    taste: FloatArray,
    rng: np.random.Generator,
) -> IntArray:
    """The calls that a round's money pays; shape (K, J).

    They are the best for it or, with a longer horizon, those of a plan for that much money, all of
    an item's, for as many random items as the round pays.
    """
    # Files are sorted, by system or by topic: of items that look alike, any may be next.
    order = rng.permutation(problem.items)
    planned = best_calls(
        model.part(order), calls[order], price[order], horizon, norm=problem.norm, taste=taste
    )
    if horizon > money:
        spent = np.cumsum((planned * problem.cost[order]).sum(axis=1))
        planned[int(np.searchsorted(spent, money * (1 + DUST), side="right")) :] = 0
    counts = np.empty_like(planned)
    counts[order] = planned
    return counts


def _first_calls(evidence: Evidence, price: FloatArray, left: float, share: float) -> IntArray:
    """In the last round, the cheapest call of items never asked, if half the money pays it.

    A dear item may be worth no call to the panel's error; who listed it still wants a score.
    """
    counts = np.zeros(price.shape, np.int64)
    unasked = np.flatnonzero(evidence.calls.sum(axis=1) == 0)
    cheapest = price[unasked].argmin(axis=1) if unasked.size else unasked
    cost = price[unasked, cheapest]
    if share >= 1 and float(cost.sum()) <= left / 2:
        counts[unasked, cheapest] = 1
    return counts


def _taste(scores: Moments, rng: np.random.Generator) -> FloatArray:
    """Random preferences, weaker the more items judges were compared on; shape (K, J)."""
    spread = _TASTE / math.sqrt(1 + scores.compared.size / scores.n.shape[1])
    tastes: FloatArray = np.exp(spread * rng.standard_normal(scores.n.shape))
    return tastes
