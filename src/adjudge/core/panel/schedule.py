"""How a budget is spent over a run: on comparing judges first, then round by round."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Evidence
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.problem import Problem

_NEARLY = 0.98
"""A goal counts as reached from this share on, since the next item may not fit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """Shares of a whole budget, by how many calls it pays."""

    budget: float
    """The whole of it."""
    start: float
    """Share that compares judges before scoring begins."""
    curiosity: float
    """Share of the items that are planned for drawn panels, at the beginning."""
    pays_every_pair: bool
    """Whether the budget is within a round of the price of every pair: repeats cost pairs then."""
    judges: float
    """Judges that compare an item at the start, on average."""
    repeats: bool
    """Whether the start has repeats, without which noise and deviations look alike."""
    longest_round: float
    """Share that is spent before the model is fitted again."""

    @classmethod
    def of(cls, problem: Problem, budget: float, price: FloatArray, beliefs: Beliefs) -> Schedule:
        r"""The schedule that suits the budget, at these prices per score; (K, J).

        Comparing n items tells :math:`J^2/2` covariances, which costs :math:`J^2/n` of the error,
        and calls of judges that would not have been picked cost :math:`n/K`; both are least for n
        in proportion to :math:`J\sqrt K`, that is for a share of :math:`J/\sqrt{\text{calls}}`.
        """
        calls = budget / problem.average_cost
        coverage = budget / problem.cost_of_every_item
        share = beliefs.learning * problem.judges / math.sqrt(max(calls, 1.0))
        # A budget that just pays every pair once has nothing left for repeats that only teach.
        spare = abs(1 - float(np.sum(price, where=problem.mask)) / budget)
        # What is spent on learning leaves items unasked, unless there is money for more.
        most = beliefs.most_learning + beliefs.spare_learning * max(1 - 1 / coverage, 0.0)
        return cls(
            budget=budget,
            start=min(share, most),
            curiosity=min(beliefs.curiosity, spare),
            pays_every_pair=spare < beliefs.longest_round,
            repeats=spare >= beliefs.longest_round and not beliefs.yes_or_no,
            judges=min(2 + min(max(coverage - 1, 0.0), 1.0), problem.judges),
            longest_round=beliefs.longest_round,
        )

    def round_ends(self, spent: float) -> list[float]:
        """Shares of the budget at which rounds yet to come end: doubling, then of equal length."""
        end, ends = min(self.start, 0.5), [1.0]
        while (end := min(2 * end, end + self.longest_round)) < _NEARLY:
            ends.append(end)
        return [end for end in sorted(ends) if end > spent * (1 + 1e-9)] or [1.0]

    def comparisons(
        self, problem: Problem, evidence: Evidence, spent: float, rng: np.random.Generator
    ) -> IntArray:
        """What is missing of the start: random items, each of a few random judges; shape (K, J).

        Cheap judges are chosen more often, as their price is lower: for the same money more is
        seen. Of every second item the judge that came first is asked twice.
        """
        counts = np.zeros(problem.price_per_call.shape, np.int64)
        goal = self.start * self.budget
        money = goal - spent
        asked_before = evidence.calls.any(axis=1)
        if money <= (1 - _NEARLY) * goal:
            return counts
        fresh = rng.permutation(np.flatnonzero(~asked_before))
        fresh = fresh[: math.ceil(money / float(problem.price_per_call.min()))]
        # An exponential race: judges are sampled in proportion to one over their price.
        arrival = rng.exponential(size=(fresh.size, problem.judges)) * problem.price_per_call[fresh]
        arrival[~problem.mask[fresh]] = math.inf
        place = np.count_nonzero(asked_before) + np.arange(fresh.size)
        number = np.floor((place + 1) * self.judges) - np.floor(place * self.judges)
        chosen = np.argsort(np.argsort(arrival, axis=1), axis=1) < number[:, None]
        asked = (chosen & problem.mask[fresh]).astype(np.int64)
        if self.repeats:
            again = np.flatnonzero(place % 2 == 0)
            first = arrival[again].argmin(axis=1)
            noisy = True if problem.noiseless is None else ~problem.noiseless[first]
            asked[again, first] *= np.where(noisy, 2, 1)
        cost = np.cumsum((asked * problem.price_per_call[fresh]).sum(axis=1))
        paid = int(np.searchsorted(cost, money * (1 + DUST), side="right"))
        counts[fresh[:paid]] = asked[:paid]
        return counts
