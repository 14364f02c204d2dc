"""A forecast is about the strategy that will be run."""

import numpy as np
import pytest

from adjudge.core.evidence import Evidence, Moments
from adjudge.core.problem import Problem
from adjudge.core.strategies import (
    Cyclic,
    EstIvwe,
    Foreseen,
    Panel,
    RobinHood,
    SingleJudge,
    Strategy,
    Uniform,
)
from adjudge.errors import BudgetError

PROBLEM = Problem.of([1.0, 4.0], items=40)


def foreseen(strategy: Strategy, evidence: Evidence | None = None) -> Foreseen:
    return Foreseen.of(
        strategy=strategy,
        problem=PROBLEM,
        evidence=evidence or Evidence.none(PROBLEM),
        new_rng=lambda: np.random.default_rng(1),
    )


def carried_out(strategy: Strategy, evidence: Evidence, budget: float, seed: int = 5) -> Evidence:
    """What the strategy's rounds see of judges who differ by 0.07 and vary by 0.1."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(0.2, 0.8, size=(40, 1)) + rng.normal(0, 0.05, size=(40, 2))
    while batch := strategy.next_batch(PROBLEM, evidence, budget - evidence.cost(PROBLEM), rng):
        n = batch.counts
        noise = rng.standard_normal((int(n.max()), *n.shape)) * 0.1
        used = np.arange(n.max())[:, None, None] < n
        mean = truth + np.sum(noise, axis=0, where=used) / np.maximum(n, 1)
        m2 = np.sum((truth + noise - mean) ** 2, axis=0, where=used)
        evidence = evidence.plus(batch, Moments(n=n, mean=np.where(n > 0, mean, 0), m2=m2))
    return evidence


@pytest.mark.parametrize(
    ("strategy", "price"), [(Uniform(), 2.5), (SingleJudge(judge=1), 4), (SingleJudge(judge=0), 1)]
)
def test_a_forecast_has_the_calls_of_the_strategy(strategy: Strategy, price: float) -> None:
    assert foreseen(strategy).at(2000).calls == 2000 / price


@pytest.mark.parametrize(
    "strategy", [Uniform(), Cyclic(), SingleJudge(judge=0), RobinHood(judge=1)]
)
def test_the_forecast_width_is_that_of_a_run_on_such_judges(strategy: Strategy) -> None:
    """The guess of the planner, carried out with chance: noise 0.1 of the scale."""
    evidence = carried_out(strategy, Evidence.none(PROBLEM), 3000)
    found = strategy.estimate(PROBLEM, evidence).interval().width.mean()
    expected = foreseen(strategy).at(3000)
    assert expected.calls == pytest.approx(evidence.calls.sum(), rel=0.01)
    assert expected.mean_width == pytest.approx(found, rel=0.1)


def test_the_forecast_of_the_panel_is_on_average_what_its_rounds_reach() -> None:
    """Rounds learn on the way, the forecast plans at once: after some calls they agree."""
    widths, calls = [], []
    for seed in range(5, 9):
        begun = carried_out(Panel(), Evidence.none(PROBLEM), 300, seed)
        expected = foreseen(Panel(), begun).at(900)
        ended = carried_out(Panel(), begun, 900, seed)
        found = Panel().estimate(PROBLEM, ended).interval().width.mean()
        widths.append(expected.mean_width / found)
        calls.append(expected.calls / ended.calls.sum())
    assert np.mean(widths) == pytest.approx(1, abs=0.15)
    assert np.mean(calls) == pytest.approx(1, abs=0.3)


def test_a_budget_that_the_strategy_refuses_has_no_forecast() -> None:
    with pytest.raises(BudgetError):
        foreseen(EstIvwe()).at(100)


@pytest.mark.parametrize("strategy", [Panel(), Uniform(), Cyclic(), SingleJudge(judge=0)])
def test_a_width_has_the_price_at_which_the_strategy_reaches_it(strategy: Strategy) -> None:
    budget = foreseen(strategy).budget_for(0.1)
    assert budget is not None
    assert foreseen(strategy).at(1.02 * budget).mean_width <= 0.1
    assert foreseen(strategy).at(0.8 * budget).mean_width > 0.1
    assert foreseen(strategy).budget_for(1e-9) is None


def test_what_was_seen_is_part_of_the_forecast() -> None:
    noisy = Moments(
        n=np.full((40, 2), 5), mean=np.full((40, 2), 0.5), m2=np.full((40, 2), 4 * 0.2**2)
    )
    batch = Uniform().next_batch(PROBLEM, Evidence.none(PROBLEM), 1000, np.random.default_rng(0))
    seen = Evidence.none(PROBLEM).plus(batch, noisy)
    before, after = foreseen(Uniform()).at(4000), foreseen(Uniform(), seen).at(4000)
    assert after.calls == before.calls
    assert after.mean_width > 1.5 * before.mean_width
