"""The strategies that simulations compare, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.norms import power_norm
from adjudge.core.problem import Problem
from adjudge.core.strategies import (
    Cyclic,
    EstIvwe,
    KnownPanel,
    Oracle,
    Panel,
    Robin,
    RobinHood,
    SingleJudge,
    Strategy,
    Uniform,
    cheapest_judge,
)
from adjudge.worlds import Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Settings that some of the strategies read."""

    reduced_pilot: bool = False
    """Reduce Est-IVWE's pilot to what the budget allows instead of refusing."""
    raw_units: bool = False
    """Let Est-IVWE's pilot depend on the units of money and scores, as the paper's does."""


Contender = Callable[[Problem, Instance, float, Options], Strategy]
"""Makes a strategy for a problem and budget; only oracles and hindsight read the instance."""


def best_single_judge(problem: Problem, instance: Instance, budget: float) -> int:
    """The judge with the smallest expected error if asked alone with this budget, in hindsight.

    The expected squared error of an item is the squared bias plus the variance divided by the
    number of calls that the budget pays for.
    """
    calls = np.maximum(budget / problem.price_per_call.sum(axis=0), 1)
    bias = instance.mean - instance.truth[:, None]
    squared = np.where(problem.mask, bias**2 + instance.variance / calls, problem.score_width**2)
    errors = [power_norm(np.sqrt(squared[:, j]), problem.norm) for j in range(problem.judges)]
    return int(np.argmin(errors))


def known_panel(instance: Instance, *, noise: FloatArray) -> KnownPanel:
    r"""The panel strategy with known offsets, deviations and spread of item scores.

    Its model has independent deviations: :math:`\Sigma = \tau^2 11^\top + \mathrm{diag}(\omega^2)`
    with :math:`\tau^2` the mean covariance of two judges' long-run answers.
    """
    complete = instance.mask.all(axis=1)
    answers = instance.mean[complete] if complete.any() else instance.mean
    judges = answers.shape[1]
    covariance = np.atleast_2d(np.cov(answers.T, bias=True))
    spread = float(np.trace(covariance)) / judges
    if judges > 1:
        spread = max(mean_between(covariance), 1e-9)
    deviation = np.maximum(np.diag(covariance) - spread, 1e-9)
    # An oracle knows that a constant judge is not part of the score.
    speaks = (np.ptp(answers, axis=0) > 0) | instance.variance.any(axis=0)
    weights = np.where(speaks, instance.weights, 0.0)
    return KnownPanel(
        mean=answers.mean(axis=0),
        covariance=spread + np.diag(deviation),
        noise=noise,
        weights=weights / weights.sum(),
    )


def _mean_noise(instance: Instance) -> FloatArray:
    """Each judge's mean variance, the same for all its items; shape (K, J)."""
    mean = np.mean(instance.variance, axis=0, where=instance.mask)
    return np.broadcast_to(np.maximum(mean, 1e-4), instance.variance.shape)


CONTENDERS: Mapping[str, Contender] = MappingProxyType(
    {
        "oracle": lambda problem, instance, budget, options: Oracle(variance=instance.variance),
        "uniform": lambda problem, instance, budget, options: Uniform(),
        "uniform-ivw": lambda problem, instance, budget, options: Uniform(by_inverse_variance=True),
        "cyclic": lambda problem, instance, budget, options: Cyclic(),
        "cheapest": lambda problem, instance, budget, options: SingleJudge(
            judge=cheapest_judge(problem)
        ),
        "best-single": lambda problem, instance, budget, options: SingleJudge(
            judge=best_single_judge(problem, instance, budget)
        ),
        "est-ivwe-bounded": lambda problem, instance, budget, options: EstIvwe(
            gaussian=False, reduced_pilot=options.reduced_pilot, raw_units=options.raw_units
        ),
        "est-ivwe-gaussian": lambda problem, instance, budget, options: EstIvwe(
            gaussian=True, reduced_pilot=options.reduced_pilot, raw_units=options.raw_units
        ),
        "panel": lambda problem, instance, budget, options: Panel(),
        "panel-oracle": lambda problem, instance, budget, options: known_panel(
            instance, noise=instance.variance
        ),
        "judge-oracle": lambda problem, instance, budget, options: known_panel(
            instance, noise=_mean_noise(instance)
        ),
        "robin": lambda problem, instance, budget, options: Robin(
            judge=best_single_judge(problem, instance, budget), variance=instance.variance
        ),
        "robin-hood": lambda problem, instance, budget, options: RobinHood(
            judge=best_single_judge(problem, instance, budget)
        ),
    }
)
"""Every strategy that can be simulated. ROBIN and ROBIN-HOOD ask one judge: the best single one."""


def mean_between(covariance: FloatArray) -> float:
    """The mean covariance of two different judges; 0 if there is only one."""
    judges = len(covariance)
    return float(covariance.sum() - np.trace(covariance)) / max(judges * (judges - 1), 1)
