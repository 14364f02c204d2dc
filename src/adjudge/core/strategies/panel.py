"""The default strategy: learn the panel while scoring with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.panel.evidence import learn_from
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.noise import FLOOR
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.repeats import Repeats
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.problem import Allocation, Evidence, Moments, Phase, Problem, total_cost
from adjudge.core.strategies.equal import total_budget

_PROBE, _MOST_PROBE, _MOST_PROBE_WHEN_TIGHT = 0.01, 0.05, 0.02
"""Share of the budget that the first look at the panel takes: at least, and at most."""
_PANELS, _PANELS_WHEN_TIGHT = 2.5, 4.0
"""Calls of every judge that the first look pays, within these shares."""
_MOST_START, _MOST_START_WHEN_TIGHT = 0.16, 0.25
"""Share of the budget that learning may take before scoring begins."""
_SPARE = 0.3
"""Share of what one cheap call per item leaves that learning may take."""
_LOSS, _LOSS_WHEN_TIGHT = 0.15, 0.1
"""How much larger the mean squared error may become by items that learning left unasked."""
_CAREFUL_REPEATS, _CAREFUL_NOISE, _CAREFUL_NOISE_OF_YES_OR_NO = 8.0, 0.1, 0.25
"""Repeats below which the start does not trust what it sees of noise, and the share of the
variance of answers that it takes for noise instead."""
_ENOUGH_REPEATS, _SCARCE = 16, 1.2
"""Repeats of a judge after which the start makes no more, and the calls of every pair that the
budget must pay for it to go on making them."""
_MANY_ITEMS, _GROWTH_OF_REPEATS = 1000, 0.75
"""Items from which on more repeats are enough, and the power of their number by which."""
_NEARLY = 0.98
"""Share of a goal that is as good as reached: the next item may not fit."""
_LONGEST_ROUND = 0.1
"""Share of the budget that is spent before the model is fitted again."""
_FINISHING = 0.5
"""Share of the budget up to which rounds finish some items rather than begin all."""
_FEWEST_CALLS, _MOST_PAIRS = 2.5, 0.8
"""Calls per item from which on they do so, and the share of all pairs that the budget must not
pay."""
_TRIAL, _FEWEST_TRIALS = 0.1, 4
"""Share of a very large budget that tries out every pair, and the calls of each below which it does
not."""
_TASTE = 0.5
"""Spread of the random preferences among judges that were not yet compared."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    r"""Asks where it helps the panel's score most, and learns the panel on the way.

    A probe shows random items to a few judges each, some of them twice. What it shows sets how
    much of the budget learning may take; the start goes on, doubling, until that is spent. A very
    large budget then tries out every pair. Then come rounds, each ending at a larger share of the
    budget; before each the model is fitted to all that was seen, and the calls are planned that
    lower :math:`\sum_k V_k^{p/2}` most. Where judges deviate and items can be shown to some but not
    to all, some sets of judges only pay together, and who seems best is to be compared before it is
    asked of every item: the first rounds plan with all the money, and make all calls of some random
    items. Judges that do not follow the others are switched off.
    """

    target: Target = Target.PANEL

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The missing part of the probe, of the start, or of the round that was begun."""
        budget = total_budget(problem, evidence, remaining)
        spent = evidence.cost(problem)
        course = _Course.of(problem, budget)
        scores = evidence.pooled
        learned = learn_from(problem, evidence, self.target)
        if spent <= Allocation(counts=evidence.asked[Phase.PILOT]).cost(problem) * (1 + DUST):
            goal = budget * course.start(learned, scores)
            goal = max(course.probe * budget, min(goal, 2 * spent))
            if spent < _NEARLY * goal:
                batch = _comparisons(problem, evidence, goal - spent, course, rng)
                if batch.any():
                    return Allocation(counts=batch, phase=Phase.PILOT)
        price = np.where(problem.mask & learned.follow, problem.cost, math.inf)
        trials = course.trials(evidence, price)
        if trials.any() and total_cost(trials, problem.cost) <= remaining / 2:
            return Allocation(counts=trials)
        model = learned.model_to_plan_with(problem.norm)
        taste = _taste(scores, rng)
        for share in course.round_ends(spent / budget):
            left = share * budget - spent
            if left <= DUST * budget:
                continue
            first = _first_calls(evidence, price, left, share)
            left -= total_cost(first, problem.cost)
            finishing = course.picky and learned.deviate and spent <= _FINISHING * budget
            counts = first + _round(
                problem,
                model,
                evidence.calls + first,
                price,
                left,
                horizon=remaining if finishing else left,
                rng=rng,
                taste=taste,
            )
            if counts.any():
                return Allocation(counts=counts)
        return Allocation.nothing(problem)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """What the panel would say of each item."""
        learned = learn_from(problem, evidence, self.target)
        return panel_estimate(problem, evidence, learned.model, learned)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownPanel:
    """The panel strategy that knows its model: what learning is measured against."""

    mean: FloatArray
    """Each judge's mean over items; shape (J,)."""
    covariance: FloatArray
    """Of the judges' long-run answers; shape (J, J)."""
    noise: FloatArray
    """Variance of one call; shape (K, J)."""
    weights: FloatArray
    """How much each judge counts in the score; shape (J,)."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """All calls at once: nothing is to be learned."""
        counts = best_calls(
            self._model(problem), evidence.calls, problem.price, remaining, norm=problem.norm
        )
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """What the known panel would say of each item."""
        return panel_estimate(problem, evidence, self._model(problem), None)

    def _model(self, problem: Problem) -> PanelModel:
        low, width = problem.score_range[0], problem.score_width
        return PanelModel(
            mean=(self.mean - low) / width,
            covariance=self.covariance / width**2,
            noise=np.maximum(self.noise / width**2, FLOOR),
            weights=self.weights,
            hardness=np.ones(problem.items),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """How a budget is spent over the run."""

    tight: bool
    """Whether the budget hardly pays one cheap call per item."""
    probe: float
    spare: float
    calls_per_item: float
    judges_per_item: int
    """Judges that compare an item at the start."""
    repeat_every: int
    """Of so many such items, one is asked twice of each."""
    most_repeats: float
    """Repeats, of all judges, after which none is."""
    picky: bool
    """Whether items are shown to several judges, but not to all."""

    @classmethod
    def of(cls, problem: Problem, budget: float) -> _Course:
        coverage = problem.cost_of_every_item
        tight = budget < 1.3 * coverage
        panel = problem.cost_of_every_pair / problem.items
        calls = budget / (problem.items * problem.average_cost)
        # What a repeat costs falls with the number of items, what it tells serves all of them.
        growth = max(problem.items / _MANY_ITEMS, 1.0) ** _GROWTH_OF_REPEATS
        if tight:
            probe = min(_PANELS_WHEN_TIGHT * panel / budget, _MOST_PROBE_WHEN_TIGHT)
        else:
            probe = max(_PROBE, min(_PANELS * panel / budget, _MOST_PROBE))
        return cls(
            tight=tight,
            probe=probe,
            spare=max(0.0, _SPARE * (1 - coverage / budget)),
            calls_per_item=calls,
            judges_per_item=min(problem.judges, 2 if tight else 3),
            repeat_every=5 if tight else 4,
            most_repeats=(
                _ENOUGH_REPEATS * growth * problem.judges
                if budget < _SCARCE * problem.cost_of_every_pair
                else math.inf
            ),
            picky=(
                calls >= _FEWEST_CALLS
                and budget < _MOST_PAIRS * problem.cost_of_every_pair
                and math.isfinite(problem.norm)
            ),
        )

    def start(self, learned: Learned, probed: Moments) -> float:
        r"""Share of the budget after which scoring begins.

        Every call spent on comparing judges may leave an item unasked. That costs the ratio of the
        variances of an item never asked and asked once, as the start shows them so far; where
        money is left after one cheap call per item, it costs less. Few repeats happen to be equal:
        until there are some, answers are taken to be noisier than they look.
        """
        model = learned.model
        toward = model.covariance @ model.weights
        spread, noise = np.diag(model.covariance), learned.noise.by_judge
        repeats = float(Repeats.of(probed).freedom.sum())
        careful = _CAREFUL_NOISE_OF_YES_OR_NO if learned.noise.yes_or_no else _CAREFUL_NOISE
        presumed = _CAREFUL_REPEATS * careful * (spread + noise) + repeats * noise
        falls = toward**2 / (spread + np.maximum(noise, presumed / (_CAREFUL_REPEATS + repeats)))
        before = model.prior_variance
        ratio = before / max(before - float(falls.max()), 1e-9)
        loss = _LOSS_WHEN_TIGHT if self.tight else _LOSS
        most = _MOST_START_WHEN_TIGHT if self.tight else _MOST_START
        share = loss / max(ratio - 1, 1e-3)
        return min(max(share, self.spare, self.probe), max(most, self.probe))

    def trials(self, evidence: Evidence, price: FloatArray) -> IntArray:
        """What is missing for every pair to have been tried, where the budget is large; (K, J).

        Rounds never come back to a pair that a few unlucky calls of its judge made look noisy.
        """
        wanted = int(_TRIAL * self.calls_per_item / price.shape[1])
        if wanted < _FEWEST_TRIALS:
            return np.zeros(price.shape, np.int64)
        return np.where(np.isfinite(price), np.maximum(wanted - evidence.calls, 0), 0)

    def round_ends(self, start: float) -> list[float]:
        """Shares of the budget at which rounds end: doubling, until a round is a tenth of it."""
        end, ends = min(max(self.probe, _PROBE), 0.5), [1.0]
        while (end := min(2 * end, end + _LONGEST_ROUND)) < _NEARLY:
            ends.append(end)
        return [end for end in sorted(ends) if end > start * (1 + 1e-9)] or [1.0]


def _comparisons(
    problem: Problem,
    evidence: Evidence,
    money: float,
    course: _Course,
    rng: np.random.Generator,
) -> IntArray:
    """Random items not yet asked, each of a few random judges, some of them twice; (K, J).

    Cheap judges are chosen more often, as their price is lower: for the same money more is seen.
    """
    counts = np.zeros(problem.cost.shape, np.int64)
    asked_before = evidence.calls.any(axis=1)
    fresh = rng.permutation(np.flatnonzero(~asked_before))
    each = course.judges_per_item
    fresh = fresh[: math.ceil(money / (each * float(problem.cost.min())))]
    # The first to arrive are the judges to ask; the cheaper, the sooner, and forbidden ones never.
    arrival = rng.exponential(size=(fresh.size, problem.judges)) * problem.cost[fresh]
    arrival[~problem.mask[fresh]] = math.inf
    chosen = np.argsort(np.argsort(arrival, axis=1), axis=1) < each
    place = np.count_nonzero(asked_before) + np.arange(fresh.size)
    twice = place % course.repeat_every == course.repeat_every - 1
    repeats = np.maximum(evidence.calls - 1, 0).sum() + each * np.cumsum(twice)
    twice &= repeats <= course.most_repeats
    asked = (chosen & problem.mask[fresh]) * np.where(twice, 2, 1)[:, None]
    cost = np.cumsum((asked * problem.cost[fresh]).sum(axis=1))
    number = int(np.searchsorted(cost, money * (1 + DUST), side="right"))
    counts[fresh[:number]] = asked[:number]
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
    compared = np.count_nonzero((scores.n > 0).sum(axis=1) > 1)
    spread = _TASTE / math.sqrt(1 + compared / scores.n.shape[1])
    tastes: FloatArray = np.exp(spread * rng.standard_normal(scores.n.shape))
    return tastes
