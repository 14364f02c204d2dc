"""Forecasts for any strategy, by simulation on the fitted panel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.forecasts import Forecast, believed_panel
from adjudge.core.panel.learning import Learned, Target
from adjudge.core.people.outlook import budget_for_width, forecast, of_judges
from adjudge.core.problem import Problem
from adjudge.core.strategies.panel import Panel
from adjudge.core.strategies.protocol import Strategy
from adjudge.errors import BudgetError, InputError

_MOST_CALLS = 1_000
"""Calls per pair at which the search for a budget gives up."""
_TOLERANCE = 0.01
"""Relative tolerance of the search for a budget."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Foreseen:
    r"""Forecasts for a run's strategy.

    The default strategy has its own planner, `forecast`. Any other is simulated, round by round, on
    expected answers: every pair's mean is the observed one, or a draw from the panel model,
    :math:`\mu_k \sim N(m, \Sigma)`, and n scores of a pair have the sum of squares
    :math:`(n - 1)\,\sigma_{kj}^2`. Before the first call the model is a prior guess.
    """

    strategy: Strategy
    problem: Problem
    evidence: Evidence
    learned: Learned
    """The panel fitted to the evidence."""
    new_rng: Callable[[], np.random.Generator]
    """Common random numbers: every forecast starts from the same generator."""

    @classmethod
    def of(
        cls,
        strategy: Strategy,
        problem: Problem,
        evidence: Evidence,
        new_rng: Callable[[], np.random.Generator],
    ) -> Foreseen:
        """Forecasts from this evidence; the panel is fitted once for all of them."""
        target = of_judges(strategy.target) if isinstance(strategy, Panel) else Target.PANEL
        return cls(
            strategy=strategy,
            problem=problem,
            evidence=evidence,
            learned=believed_panel(problem, evidence, target),
            new_rng=new_rng,
        )

    def at(self, budget: float) -> Forecast:
        """The forecast for this total budget; BudgetError if the strategy refuses it."""
        if isinstance(self.strategy, Panel):
            (found,) = forecast(
                self.problem,
                [budget],
                evidence=self.evidence,
                target=self.strategy.target,
                learned=self.learned,
            )
            return found
        return self._carried_out(budget, self._answers())

    def budget_for(self, width: float) -> float | None:
        """The smallest total budget for this mean interval width; None if out of reach."""
        if isinstance(self.strategy, Panel):
            try:
                return budget_for_width(
                    self.problem,
                    width,
                    evidence=self.evidence,
                    target=self.strategy.target,
                    learned=self.learned,
                )
            except InputError:
                return None
        answers = self._answers()
        return self._searched(lambda budget: self._width(budget, answers) <= width)

    def _searched(self, suffices: Callable[[float], bool]) -> float | None:
        """The smallest sufficient budget, by bisection in its logarithm."""
        spent = self.evidence.cost(self.problem)
        if spent and suffices(spent):
            return spent
        low = max(spent, float(self.problem.price.min()))
        high = spent + _MOST_CALLS * self.problem.cost_of_every_pair
        if not suffices(high):
            return None
        while high > low * (1 + _TOLERANCE):
            middle = math.sqrt(low * high)
            low, high = (low, middle) if suffices(middle) else (middle, high)
        return high

    def _width(self, budget: float, answers: _Answers) -> float:
        try:
            return self._carried_out(budget, answers).mean_width
        except BudgetError:
            return math.inf

    def _carried_out(self, budget: float, answers: _Answers) -> Forecast:
        rng = self.new_rng()
        evidence = self.evidence
        while batch := self.strategy.next_batch(
            self.problem, evidence, max(budget - evidence.cost(self.problem), 0.0), rng
        ):
            evidence = evidence.plus(batch, answers.to(batch, evidence))
        estimate = self.strategy.estimate(self.problem, evidence)
        return Forecast(
            budget=budget,
            calls=int(evidence.calls.sum()),
            mean_width=float(estimate.interval().width.mean()),
            norm_error=estimate.norm_error(),
        )

    def _answers(self) -> _Answers:
        model = self.learned.model
        seen = self.evidence.pooled
        low, width = self.problem.score_range[0], self.problem.score_width
        free = self.new_rng().multivariate_normal(
            np.zeros(self.problem.judges),
            model.covariance,
            size=self.problem.items,
            method="eigh",
        )
        draws = model.mean[model.group] + free
        return _Answers(
            mean=np.where(seen.n > 0, seen.mean, low + width * np.clip(draws, 0, 1)),
            noise=width**2 * model.noise,
            answer_rate=self.evidence.answer_rate,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Answers:
    """Expected answers of the judges."""

    mean: FloatArray
    """Mean of each pair; shape (K, J)."""
    noise: FloatArray
    """Variance of one call; shape (K, J)."""
    answer_rate: FloatArray
    """Expected share of a judge's calls that give a score; shape (J,)."""

    def to(self, batch: Allocation, evidence: Evidence) -> Moments:
        """Scores of the batch; n scores of a pair, earlier ones included, have n - 1 squares."""
        n = _evenly_thinned(batch.counts, self.answer_rate)
        before = evidence.moments[batch.phase].n
        squares = np.maximum(before + n - 1, 0) - np.maximum(before - 1, 0)
        return Moments(n=n, mean=np.where(n > 0, self.mean, 0.0), m2=self.noise * squares)


def _evenly_thinned(counts: IntArray, share: FloatArray) -> IntArray:
    """Counts (K, J) reduced to each judge's share (J,), evenly over the items."""
    whole = np.floor(np.cumsum(counts, axis=0) * share).astype(np.int64)
    thinned: IntArray = np.diff(whole, axis=0, prepend=0)
    return thinned
