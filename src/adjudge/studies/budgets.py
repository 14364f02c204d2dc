"""Budgets on a log grid, from the smallest that any strategy accepts to well beyond the largest."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from adjudge.core.problem import Problem
from adjudge.core.strategies import EstIvwe
from adjudge.errors import InputError

PER_DECADE = 4
"""Grid points per factor of ten."""
BEYOND = 100.0
"""Ratio of the last budget to the largest pilot's: a curve needs two decades to show its shape."""


def log_grid(low: float, high: float, *, per_decade: int = PER_DECADE) -> tuple[float, ...]:
    """The numbers 10^(i/n) within [low, high], rounded to 3 digits.

    The points do not depend on `low`, so that grids of different instances share budgets.
    """
    rounding = 1e-9
    first = math.ceil(math.log10(low) * per_decade - rounding)
    last = math.floor(math.log10(high) * per_decade + rounding)
    exponents = np.arange(first, last + 1) / per_decade
    return tuple(float(f"{10**exponent:.3g}") for exponent in exponents)


def covering_grid(problems: Iterable[Problem]) -> tuple[float, ...]:
    """Budgets from one call per item to 100 times the pilot of Est-IVWE (Bounded).

    `problems` are the same instance under every norm of the experiment.
    """
    problems = tuple(problems)
    needed = [EstIvwe(raw_units=True).least_budget(problem) for problem in problems]
    one_call_each = problems[0].items * problems[0].average_cost
    return log_grid(one_call_each, BEYOND * max(needed))


def checked_budgets(budgets: Iterable[float]) -> tuple[float, ...]:
    """The distinct budgets in ascending order."""
    ordered = tuple(sorted(set(budgets)))
    if not ordered:
        raise InputError("budgets", "none", "give at least one")
    for budget in ordered:
        if not 0 < budget < math.inf:
            raise InputError("budgets", f"{budget}", "every budget must be positive and finite")
    return ordered
