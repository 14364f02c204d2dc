from dataclasses import dataclass, replace

import numpy as np
import pytest

from adjudge.core.estimate import Estimate, plain_estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import SingleJudge, Uniform
from adjudge.errors import SimulationError
from adjudge.simulate import play
from adjudge.worlds import FAMILIES


def test_a_run_ends_with_an_estimate_from_what_it_paid_for(rng: np.random.Generator) -> None:
    world = FAMILIES["mult"](50, 4, rng)
    problem = world.instance.problem()
    budget = 12 * 50 * problem.average_cost
    outcome = play(Uniform(), problem, world, budget, rng=rng)
    assert outcome.spent == pytest.approx(outcome.evidence.cost(problem))
    assert outcome.spent <= budget * (1 + 1e-9)
    assert outcome.calls == 600
    own = np.linalg.norm(outcome.estimate.score - world.instance.truth)
    assert outcome.error(world.instance.truth, 2) == pytest.approx(own)
    interval = outcome.estimate.interval(0.9)
    assert outcome.coverage(world.instance.truth) == interval.covers(world.instance.truth).mean()


def test_an_interval_without_width_holds_the_score_that_it_stands_for(
    rng: np.random.Generator,
) -> None:
    world = FAMILIES["mult"](20, 2, rng)
    problem = world.instance.problem()
    outcome = play(Uniform(), problem, world, 2 * problem.cost_of_every_pair, rng=rng)
    certain = replace(outcome.estimate, variance=np.zeros(20))
    outcome = replace(outcome, estimate=certain)
    assert outcome.coverage(certain.score + 1e-15) == 1
    assert outcome.coverage(certain.score + 1e-3) == 0


def test_calls_that_fail_are_paid_but_give_no_score(rng: np.random.Generator) -> None:
    world = FAMILIES["failing-judge"](100, 3, rng)
    problem = world.instance.problem()
    judge = int(world.rate.argmax())  # type: ignore[attr-defined]
    outcome = play(SingleJudge(judge=judge), problem, world, 20.0, rng=rng)
    assert outcome.evidence.pooled.n.sum() < 0.8 * outcome.calls


@dataclass(frozen=True)
class Spendthrift:
    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        return Allocation(counts=np.full((problem.items, problem.judges), 10))

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        return plain_estimate(problem, evidence.pooled)


def test_a_strategy_that_overspends_is_stopped(rng: np.random.Generator) -> None:
    world = FAMILIES["mult"](5, 2, rng)
    with pytest.raises(SimulationError, match=r"Spendthrift asked for .* with 3 left"):
        play(Spendthrift(), world.instance.problem(), world, 3.0, rng=rng)
