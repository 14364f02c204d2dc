import math
from dataclasses import replace

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.simulate import CONTENDERS, Budget, FamilySource, Grid, Options, Row, simulate
from adjudge.simulate.contenders import best_single_judge
from adjudge.worlds import BetaWorld, Instance

GRID = Grid(
    source=FamilySource(family="mult", items=30, judges=3),
    strategies=("oracle", "uniform", "robin-hood"),
    budgets=(Budget(calls_per_item=20), Budget(money=900.0)),
    norms=(1.0, 2.0, math.inf),
    runs=3,
    seed=7,
)


def rows(grid: Grid, jobs: int = 1) -> dict[tuple[str, float, float, int], Row]:
    found = [result.row for result in simulate(grid, jobs=jobs) if result.row is not None]
    return {(row.strategy, row.budget, row.norm, row.run): row for row in found}


def test_every_cell_of_the_grid_has_its_row() -> None:
    found = rows(GRID)
    assert len(found) == GRID.size == 54
    assert all(row.spent <= row.budget and row.error > 0 for row in found.values())


def test_the_same_seed_gives_the_same_rows_on_any_number_of_processes() -> None:
    assert rows(GRID) == rows(GRID, jobs=2)


def test_another_seed_gives_other_rows() -> None:
    other = rows(replace(GRID, seed=8))
    assert {row.error for row in rows(GRID).values()}.isdisjoint(
        row.error for row in other.values()
    )


def test_adding_strategies_budgets_norms_and_runs_moves_no_row() -> None:
    small = replace(
        GRID, strategies=("uniform",), budgets=(Budget(money=900.0),), norms=(2.0,), runs=2
    )
    full = rows(GRID)
    assert all(full[key] == row for key, row in rows(small).items())


def test_all_strategies_of_a_run_see_the_same_instance() -> None:
    """Money per calls differs between random instances, so equal budgets show the same one."""
    found = [result.row for result in simulate(replace(GRID, budgets=GRID.budgets[:1]))]
    for run in range(GRID.runs):
        assert len({row.budget for row in found if row is not None and row.run == run}) == 1


@pytest.mark.parametrize("name", CONTENDERS)
def test_every_named_strategy_can_be_simulated(name: str) -> None:
    once = replace(GRID, strategies=(name,), runs=1, budgets=GRID.budgets[:1])
    assert len(rows(replace(once, options=Options(reduced_pilot=True)))) == 3


def test_a_refused_budget_is_a_result_that_says_why() -> None:
    grid = replace(GRID, strategies=("est-ivwe-bounded",), runs=1)
    results = list(simulate(grid))
    assert all(result.row is None for result in results)
    assert all("too small for the theorem's pilot" in result.refusal for result in results)


def test_the_oracle_beats_uniform_on_average() -> None:
    found = rows(replace(GRID, runs=12, norms=(2.0,)))
    mean = {
        name: np.mean([row.error for row in found.values() if row.strategy == name])
        for name in ("oracle", "uniform")
    }
    assert mean["oracle"] < mean["uniform"]


def test_the_best_single_judge_weighs_bias_noise_and_price() -> None:
    instance = Instance.of(
        mean=np.array([[0.5, 0.7, 0.5]] * 4),
        variance=np.array([[0.2, 0.001, 0.02]] * 4),
        price_per_call=[1.0, 1.0, 20.0],
        truth=np.full(4, 0.5),
    )
    problem = instance.problem()
    assert best_single_judge(problem, instance, budget=80.0) == 0
    dear = Instance.of(
        mean=instance.mean,
        variance=instance.variance,
        price_per_call=[1.0, 1.0, 2.0],
        truth=instance.truth,
    )
    assert best_single_judge(dear.problem(), dear, budget=80.0) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strategies": ("best",)}, "strategy: best; choose among oracle, uniform"),
        ({"runs": 0}, "runs: 0; give at least 1"),
        ({"seed": -1}, "seed: -1; give 0 or more"),
        ({"norms": (0.5,)}, "norm: 0.5; give numbers from 1 to inf"),
        ({"budgets": ()}, "grid: empty"),
    ],
)
def test_a_grid_that_cannot_be_run_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        replace(GRID, **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [{}, {"money": 1.0, "calls_per_item": 2.0}, {"money": -1.0}])
def test_a_budget_is_one_positive_amount(values: dict[str, float]) -> None:
    with pytest.raises(InputError, match="budget"):
        Budget(**values)


def test_an_unknown_family_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="family: papers; choose one of paper, "):
        FamilySource(family="papers", items=3, judges=2)
    with pytest.raises(InputError, match="items: 0; give at least 1"):
        FamilySource(family="paper", items=0, judges=2)


@pytest.mark.parametrize("family", ["missing-pairs", "no-shared-items", "two-systems"])
def test_families_with_missing_pairs_or_groups_can_be_simulated(family: str) -> None:
    grid = Grid(
        source=FamilySource(family=family, items=24, judges=3),
        strategies=("oracle", "uniform", "cyclic", "panel", "judge-oracle"),
        budgets=(Budget(calls_per_item=3),),
        runs=1,
    )
    found = [result.row for result in simulate(grid)]
    for row in found:
        assert row is not None
        assert 0 < row.spent <= row.budget
        assert 0 <= row.coverage <= 1


def test_calls_per_item_are_of_the_average_price_of_the_pairs_that_exist() -> None:
    instance = Instance.of(
        mean=np.full((2, 2), 0.5),
        variance=np.zeros((2, 2)),
        price_per_call=[1.0, 9.0],
        mask=[[True, False], [True, False]],
    )
    assert Budget(calls_per_item=3).amount(BetaWorld.of(instance)) == 6
