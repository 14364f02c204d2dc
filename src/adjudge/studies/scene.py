"""One instance of an experiment, and the strategies, norms and budgets to play on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.core.apportionment import DUST, fits
from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import EstIvwe, Oracle, Robin, RobinHood, Strategy, Uniform
from adjudge.errors import SimulationError
from adjudge.simulate.grid import stream
from adjudge.studies.points import Point
from adjudge.studies.shared_draws import SharedPilots
from adjudge.worlds import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scene:
    """A world, and the strategies, norms and budgets to play on it."""

    study: str
    panel: str
    run: int
    seed: int
    world: World
    pilots: SharedPilots
    """The same world, with pilots shared by norms and budgets."""
    variance: FloatArray
    """Variance of each pair as the oracle knows it; shape (K, J)."""
    strategies: tuple[str, ...]
    norms: tuple[float, ...]
    budgets: tuple[float, ...]
    """Ascending."""
    delta: float
    with_limits: bool = False
    """Whether judges' means differ from the truth, so that the asymptotic error is above zero."""

    def problem(self, norm: float) -> Problem:
        """The problem that strategies face."""
        return self.world.instance.problem(norm=norm, confidence=1 - self.delta)

    def least_budget(self, name: str, norm: float) -> float:
        """The smallest budget at which a strategy can follow its definition."""
        problem = self.problem(norm)
        strategy = self.strategy(name)
        if isinstance(strategy, EstIvwe):
            return strategy.least_budget(problem)
        if isinstance(strategy, Uniform):
            calls = 2 if strategy.by_inverse_variance else 1
            return calls * problem.cost_of_every_pair
        return problem.cost_of_every_item

    def strategy(self, name: str) -> Strategy:
        """The strategy of this name; oracles are given the variances."""
        made: dict[str, Callable[[], Strategy]] = {
            "oracle": lambda: Oracle(variance=self.variance),
            "uniform": Uniform,
            "uniform-ivw": lambda: Uniform(by_inverse_variance=True),
            "est-ivwe-bounded": lambda: EstIvwe(gaussian=False, raw_units=True),
            "est-ivwe-gaussian": lambda: EstIvwe(gaussian=True, raw_units=True),
            "robin": lambda: Robin(judge=0, variance=self.variance),
            "robin-hood": lambda: RobinHood(judge=0),
        }
        return made[name]()

    def accepted(self, name: str, norm: float) -> tuple[float, ...]:
        """The budgets at which a strategy can be played."""
        least = self.least_budget(name, norm)
        return tuple(budget for budget in self.budgets if fits(least, budget))

    def rng(self, *labels: object) -> np.random.Generator:
        """An independent random stream for these labels."""
        return stream(self.seed, self.study, "play", self.run, self.panel, *labels)

    def point(self, name: str, norm: float, budget: float, evidence: Evidence) -> Point:
        """The error of a strategy's estimate from this evidence."""
        problem = self.problem(norm)
        spent = evidence.cost(problem)
        if spent > budget * (1 + DUST):
            raise SimulationError(f"{name} spent {spent:.9g} of a budget of {budget:.9g}")
        estimate = self.strategy(name).estimate(problem, evidence)
        error = np.linalg.norm(estimate.score - self.world.instance.truth, ord=norm)
        return Point(
            panel=self.panel,
            norm=norm,
            strategy=name,
            budget=budget,
            run=self.run,
            error=float(f"{error:.9g}"),
            spent=float(f"{spent:.12g}"),
            calls=int(evidence.calls.sum()),
        )
