"""What a judge is worth for agreeing with people, at its price."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.problem import Evidence, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeWorth:
    """What one judge tells of what people say."""

    correlation: float
    """Of its long-run answer with people, as the fitted law has it."""
    explained: float
    """Share of the variance of what people say that one call explains."""
    explained_per_money: float
    share: float
    """Its weight in the prediction."""


def worth_of_judges(problem: Problem, evidence: Evidence) -> tuple[JudgeWorth, ...]:
    """Of every judge; `problem.labels` must hold labels."""
    raise NotImplementedError
