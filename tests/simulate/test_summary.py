import math

import numpy as np
import pytest

from adjudge.simulate import Budget, FamilySource, Grid, Result, Row, summarise
from adjudge.simulate.summary import paired_ratio

BUDGET = Budget(money=1.0)
GRID = Grid(
    source=FamilySource(family="mult", items=2, judges=2),
    strategies=("oracle", "uniform", "cyclic"),
    budgets=(BUDGET,),
    runs=3,
)


def result(strategy: str, run: int, error: float) -> Result:
    row = Row(
        strategy=strategy, budget=1, norm=2, run=run, error=error, spent=1, calls=10, coverage=error
    )
    return Result(budget=BUDGET, row=row, strategy=strategy, norm=2.0)


def test_ratios_use_only_the_runs_that_both_strategies_have() -> None:
    results = [result("oracle", 0, 1.0), result("oracle", 1, 3.0), result("uniform", 1, 6.0)]
    oracle, uniform, cyclic = summarise(GRID, results)
    assert (oracle.error, oracle.ratio, oracle.runs) == (2.0, 1.0, 2)
    assert (uniform.error, uniform.ratio, uniform.runs) == (6.0, 2.0, 1)
    assert (oracle.coverage, uniform.coverage) == (2.0, 6.0)
    assert math.isnan(cyclic.coverage)
    assert math.isnan(cyclic.error)
    assert cyclic.runs == 0


def test_a_refusal_is_kept_in_the_summary() -> None:
    refused = Result(budget=BUDGET, row=None, strategy="uniform", norm=2.0, refusal="too small")
    assert summarise(GRID, [refused])[1].refusal == "too small"


def test_the_standard_error_of_a_ratio_is_that_of_repeated_experiments(
    rng: np.random.Generator,
) -> None:
    difficulty = rng.lognormal(0, 0.5, (2000, 40))
    first = difficulty * rng.lognormal(0, 0.1, difficulty.shape)
    second = 1.5 * difficulty * rng.lognormal(0, 0.1, difficulty.shape)
    pairs = [paired_ratio(e, r) for e, r in zip(second, first, strict=True)]
    ratios, errors = np.array(pairs).T
    assert ratios.mean() == pytest.approx(1.5, rel=0.01)
    assert errors.mean() == pytest.approx(ratios.std(), rel=0.1)
