"""Share of the variance of people's labels that a judge's calls explain, per dollar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.evidence import Evidence
from adjudge.core.people.column import learn_people
from adjudge.core.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWorth:
    """A judge's value for predicting people's labels, under the fitted law."""

    correlation: float
    """Correlation of its long-run answer with people's labels."""
    explained: float
    """Share of the variance of people's labels that one call explains."""
    explained_per_money: float
    """`explained` divided by the price of a score."""
    share: float
    """Its weight in the prediction."""


def worth_of_judges(problem: Problem, evidence: Evidence) -> tuple[JudgeWorth, ...]:
    r"""The worth of every judge; `problem.labels` must hold labels.

    One call of judge j lowers the variance of an item's label by
    :math:`\Sigma_{jh}^2 / (\Sigma_{jj} + \sigma_j^2)`.
    """
    anchored = learn_people(problem, evidence)
    law, found = anchored.learned.law, anchored.calibration
    toward = law.covariance @ found.slopes
    spread = np.diag(law.covariance)
    total = float(found.slopes @ toward) + found.residual
    explained = anchored.learned.follow * toward**2 / (spread + law.noise) / total
    price = np.mean(problem.price_per_call, axis=0, where=problem.mask) / evidence.answer_rate
    whole = max(float(found.slopes.sum()), math.ulp(0.0))
    return tuple(
        JudgeWorth(
            correlation=float(toward[j] / math.sqrt(max(float(spread[j]) * total, 1e-300))),
            explained=float(explained[j]),
            explained_per_money=float(explained[j] / price[j]),
            share=float(found.slopes[j]) / whole,
        )
        for j in range(problem.judges)
    )
