"""Means over runs, and ratios to the first strategy in paired runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.simulate.grid import Budget, Grid, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One strategy at one budget and norm."""

    strategy: str
    budget: Budget
    norm: float
    runs: int
    error: float
    """Mean error; nan without a run."""
    error_se: float
    ratio: float
    """Mean error divided by the first strategy's in the same runs; nan if they share none."""
    ratio_se: float
    calls: float
    """Mean number of calls."""
    coverage: float
    """Mean share of the items whose interval holds the true score; nan without a run."""
    refusal: str
    """The strategy's refusal of the budget, if runs are missing for that reason."""


def summarise(grid: Grid, results: Iterable[Result]) -> list[Summary]:
    """A summary per budget, norm and strategy, in the order of the grid."""
    errors: dict[tuple[Budget, float, str], dict[int, float]] = {}
    calls: dict[tuple[Budget, float, str], list[int]] = {}
    coverage: dict[tuple[Budget, float, str], list[float]] = {}
    refusals: dict[tuple[Budget, float, str], str] = {}
    for result in results:
        cell = (result.budget, result.norm, result.strategy)
        if result.row is None:
            refusals[cell] = result.refusal
            continue
        errors.setdefault(cell, {})[result.row.run] = result.row.error
        calls.setdefault(cell, []).append(result.row.calls)
        coverage.setdefault(cell, []).append(result.row.coverage)
    summaries = []
    for budget in grid.budgets:
        for norm in grid.norms:
            first = errors.get((budget, norm, grid.strategies[0]), {})
            for strategy in grid.strategies:
                cell = (budget, norm, strategy)
                own = errors.get(cell, {})
                shared = sorted(own.keys() & first.keys())
                ratio, ratio_se = paired_ratio(
                    np.array([own[run] for run in shared]), np.array([first[run] for run in shared])
                )
                values = np.array(list(own.values()))
                summaries.append(
                    Summary(
                        strategy=strategy,
                        budget=budget,
                        norm=norm,
                        runs=values.size,
                        error=float(values.mean()) if values.size else math.nan,
                        error_se=_standard_error(values),
                        ratio=ratio,
                        ratio_se=ratio_se,
                        calls=float(np.mean(calls[cell])) if own else math.nan,
                        coverage=float(np.mean(coverage[cell])) if own else math.nan,
                        refusal=refusals.get(cell, ""),
                    )
                )
    return summaries


def paired_ratio(errors: FloatArray, reference: FloatArray) -> tuple[float, float]:
    r"""Ratio of mean errors in the same runs, and its standard error by the delta method.

    .. math:: r = \bar e / \bar e_0,\qquad \mathrm{se} = \mathrm{sd}(e - r e_0) / (\bar e_0\sqrt n)
    """
    if errors.size == 0 or not reference.mean() > 0:
        return math.nan, math.nan
    ratio = float(errors.mean() / reference.mean())
    return ratio, _standard_error(errors - ratio * reference) / float(reference.mean())


def _standard_error(values: FloatArray) -> float:
    return float(values.std(ddof=1) / math.sqrt(values.size)) if values.size > 1 else math.nan
