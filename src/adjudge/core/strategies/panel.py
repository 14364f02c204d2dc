"""The default strategy: learn the panel while scoring, and ask where it helps most."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence, Phase
from adjudge.core.panel.guard import Guarding
from adjudge.core.panel.learning import Learned, Target, beliefs_for, learn
from adjudge.core.panel.model import SMALLEST
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.schedule import Schedule
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.people.column import is_anchored, people_column, with_people
from adjudge.core.people.estimate import people_estimate
from adjudge.core.problem import Problem
from adjudge.core.requests import Requests
from adjudge.core.strategies.equal import total_budget

_DRAWS = 8
"""Posterior draws of the panel that share a round's items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    r"""Spends where the panel's scores gain most, and learns the panel on the way.

    First, random items are scored by a few judges each. Then come rounds, each up to a larger share
    of the budget; before each, the model is fitted to all scores, and the calls that lower
    :math:`\sum_k V_k^{p/2}` most are planned. Each item is planned for one of several panels drawn
    from the posterior (Thompson sampling, 1933), so that a little-known judge is asked in
    proportion to its probability of being the best. Towards the end, more items are planned for the
    most likely panel.
    """

    target: Target = Target.PANEL
    guard: Guarding = Guarding.ASK
    replans: ClassVar[bool] = True
    """It plans around slow judges; see `Strategy`."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The rest of the start, or of the current round."""
        if is_anchored(problem, self.target):
            learned = people_column(problem, evidence, draws=_DRAWS, rng=rng)
            batch = self._next_batch(*with_people(problem, evidence), remaining, rng, learned)
            return Allocation(counts=batch.counts[:, :-1], phase=batch.phase)
        return self._next_batch(problem, evidence, remaining, rng)

    def _next_batch(
        self,
        problem: Problem,
        evidence: Evidence,
        remaining: float,
        rng: np.random.Generator,
        learned: Learned | None = None,
    ) -> Allocation:
        spent = evidence.cost(problem)
        budget = total_budget(problem, evidence, remaining)
        answer_rate = evidence.answer_rate
        price = problem.price_per_score(answer_rate).first
        schedule = Schedule.of(problem, budget, price, beliefs_for(problem, self.target))
        if not evidence.asked[Phase.MAIN].any():
            first = schedule.comparisons(problem, evidence, spent, rng)
            if first.any():
                return Allocation(counts=first, phase=Phase.PILOT)
        if learned is None:
            learned = learn(
                problem, evidence, target=self._target, guarding=self.guard, draws=_DRAWS, rng=rng
            )
        heeded = problem.with_judges(learned.follow)
        price_per_score = heeded.price_per_score(answer_rate)
        calls_per_pair = budget / (problem.average_cost * problem.mask.sum())
        for share in schedule.round_ends(spent / budget):
            money = share * budget - spent
            if money > DUST * budget:
                counts = _round(
                    problem,
                    learned,
                    price_per_score,
                    money=money,
                    calls_per_pair=share * calls_per_pair,
                    curious=schedule.curiosity * (1 - share),
                    every_judge_first=schedule.pays_every_pair and not learned.noise_known,
                    rng=rng,
                )
                if counts.any():
                    heard = _hearings(problem, evidence, learned, remaining - money, rng)
                    return Allocation(counts=counts + heard)
        return Allocation.nothing(problem)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The panel's estimate of each item, or people's if that is the target."""
        if is_anchored(problem, self.target):
            return people_estimate(problem, evidence, guarding=self.guard)
        learned = learn(problem, evidence, target=self._target, guarding=self.guard)
        return panel_estimate(problem, evidence, learned)

    @property
    def _target(self) -> Target:
        """The target without labels: the panel in place of people."""
        return Target.PANEL if self.target is Target.REFERENCE else self.target


def _hearings(
    problem: Problem,
    evidence: Evidence,
    learned: Learned,
    spare: float,
    rng: np.random.Generator,
) -> IntArray:
    """One call of every judge left out, unless this is the last round; shape (K, J).

    It may show that the judge should count after all. The item must have answers of others.
    """
    counts = np.zeros(problem.price_per_call.shape, np.int64)
    for j in np.flatnonzero(learned.guard.off):
        items = np.flatnonzero(problem.mask[:, j] & evidence.calls.any(axis=1))
        if items.size:
            item = rng.choice(items)
            if problem.price_per_call[item, j] <= spare:
                counts[item, j] = 1
                spare -= float(problem.price_per_call[item, j])
    return counts


def _round(
    problem: Problem,
    learned: Learned,
    price_per_score: Requests,
    *,
    money: float,
    calls_per_pair: float,
    curious: float,
    every_judge_first: bool,
    rng: np.random.Generator,
) -> IntArray:
    r"""The calls that a round's money pays for; shape (K, J).

    A share of the items is planned for drawn panels, the rest for the most likely one, or, if
    `every_judge_first`, for one without noise, where repeats are worth nothing.

    Which pair of an item is the quietest shows only in repeats, and a drawn panel seldom bets on a
    pair that was never asked. So where pairs differ in noise by the relative variance s, each is
    asked :math:`\sqrt{st}` times once the money spent would pay t calls of every pair (forced
    exploration, Garivier and Kaufmann 2016). Its share of the budget vanishes; of a round's money
    it has the share of the items that are planned for drawn panels, at most.
    """
    least = math.floor(math.sqrt(learned.factors.spread * calls_per_pair))
    tried, paid = _trials(least, learned.scores.n, price_per_score.first, curious * money, rng)
    likely = learned.model
    if every_judge_first:
        likely = replace(likely, noise=np.full_like(likely.noise, SMALLEST))
    # Break ties between items at random, since files may be sorted.
    order = rng.permutation(problem.items)
    some, rest = np.split(order, [round(curious * problem.items)])
    parts = [*np.array_split(some, len(learned.laws)), rest]
    models = [*learned.possible(rng), likely]
    planned = best_calls(
        [model.part(rows) for model, rows in zip(models, parts, strict=True)],
        (learned.scores.n + tried)[order],
        price_per_score.part(order),
        money - paid,
        norm=problem.norm,
    )
    counts = np.empty_like(planned)
    counts[order] = planned
    return counts + tried


def _trials(
    least: int, n: IntArray, price: FloatArray, money: float, rng: np.random.Generator
) -> tuple[IntArray, float]:
    """What pairs lack of so many calls, for as many random items as this pays; and its price."""
    due = np.where(np.isfinite(price), np.maximum(least - n, 0), 0)
    if not due.any():
        return due, 0.0
    cost = (due * np.where(due > 0, price, 0.0)).sum(axis=1)
    order = rng.permutation(len(due))
    unpaid = order[np.cumsum(cost[order]) > money]
    due[unpaid] = cost[unpaid] = 0
    return due, float(cost.sum())
