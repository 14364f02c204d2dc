"""Reference values of curves: lower bounds and asymptotic errors."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import numpy as np

from adjudge.core.allocation import best_judges
from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.bounds import (
    bounded_expectation_lower,
    gaussian_expectation_lower,
    threshold_budget,
)
from adjudge.core.estimate import inverse_variance_weights, plain_weights
from adjudge.core.evidence import Moments
from adjudge.core.problem import Problem
from adjudge.studies.points import Limit, LowerBound
from adjudge.worlds import Instance

_ENOUGH = sys.float_info.max / 1e6
"""A budget so large that the conditions still unmet are those no budget can meet."""


def lower_bounds(
    problem: Problem, variance: FloatArray, truth: FloatArray, *, panel: str, run: int
) -> tuple[LowerBound, ...]:
    """Both bounds on the expected error, for bounded and for Gaussian scores."""
    bounded = bounded_expectation_lower(problem, variance, 1.0, truth=truth)
    unmet = bounded_expectation_lower(problem, variance, _ENOUGH, truth=truth).unmet
    # Proposition C.1 needs four times the printed threshold.
    threshold = 4 * threshold_budget(problem, variance, truth)
    return (
        LowerBound(
            panel=panel,
            norm=problem.norm,
            kind="bounded",
            run=run,
            scale=bounded.value,
            holds_from=math.inf if unmet else threshold,
            unmet="; ".join(unmet),
        ),
        LowerBound(
            panel=panel,
            norm=problem.norm,
            kind="gaussian",
            run=run,
            scale=gaussian_expectation_lower(problem, variance, 1.0).value,
            holds_from=0.0,
            unmet="",
        ),
    )


def limits(
    problem: Problem, instance: Instance, variance: FloatArray, *, panel: str, run: int
) -> Iterator[Limit]:
    """The asymptotic error of each strategy, with every mean and variance known.

    `variance` is the oracle's. Est-IVWE has no entry: among judges of zero variance its choice
    is random.
    """
    one_each = Moments(
        n=problem.mask.astype(np.int64), mean=instance.mean, m2=np.zeros(instance.mean.shape)
    )
    weights = {
        "oracle": _weights_of_one_judge(problem, variance),
        "uniform": plain_weights(problem, one_each),
        "uniform-ivw": inverse_variance_weights(one_each, instance.variance),
    }
    for strategy, share in weights.items():
        deviation = (share * np.where(problem.mask, instance.mean, 0)).sum(axis=1) - instance.truth
        error = float(np.linalg.norm(deviation, ord=problem.norm))
        yield Limit(panel=panel, norm=problem.norm, strategy=strategy, run=run, error=error)


def _weights_of_one_judge(problem: Problem, variance: FloatArray) -> FloatArray:
    judge, _ = best_judges(problem, variance)
    chosen: BoolArray = judge[:, None] == np.arange(problem.judges)
    return chosen.astype(np.float64)
