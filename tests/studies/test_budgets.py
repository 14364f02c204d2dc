from __future__ import annotations

import numpy as np
import pytest

from adjudge.core.problem import Problem
from adjudge.core.strategies import EstIvwe
from adjudge.errors import InputError
from adjudge.studies.budgets import checked_budgets, covering_grid, log_grid


def test_a_grid_is_evenly_spaced_in_logarithm_and_holds_both_ends() -> None:
    assert log_grid(10, 1000, per_decade=2) == (10, 31.6, 100, 316, 1000)
    assert log_grid(11, 999, per_decade=1) == (100,)


def test_the_grid_covers_every_strategy_under_every_norm() -> None:
    problem = Problem.of(np.ones(10), items=1000)
    norms = [problem.with_norm(norm) for norm in (1, 2, np.inf)]
    grid = covering_grid(norms)
    assert grid[0] == 1000
    for own in norms:
        needed = EstIvwe(raw_units=True).least_budget(own)
        assert sum(budget >= needed for budget in grid) >= 8


def test_budgets_of_the_user_are_sorted_and_checked() -> None:
    assert checked_budgets([100.0, 1.0, 100.0]) == (1.0, 100.0)
    with pytest.raises(InputError, match="budgets: -1"):
        checked_budgets([-1.0, 5.0])
    with pytest.raises(InputError, match="none"):
        checked_budgets([])
