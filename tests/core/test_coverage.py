"""Intervals hold where not every item was asked; `benchmarks/coverage.py` has the whole table."""

from types import MappingProxyType

import numpy as np
import pytest
from benchmarks.coverage import BY_PLAN, BY_STRATEGY, Cell, measure

from adjudge.core.evidence import Allocation, Evidence, Moments, Phase
from adjudge.core.groups import difference, group_mean
from adjudge.core.panel import PanelEstimate
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel


@pytest.mark.parametrize(
    ("law", "judges", "asked"),
    [
        *((law, 1, 5) for law in ("60 % pass", "97 % pass", "uniform", "skewed")),
        *((law, 1, 20) for law in ("97 % pass", "uniform")),
        *((law, 3, 20) for law in ("60 % pass", "skewed")),
    ],
)
def test_intervals_of_a_part_of_the_items_hold_at_their_level(
    law: str, judges: int, asked: int
) -> None:
    """Means, differences of two groups, and items never asked: no more than 4 errors below."""
    rows = measure(Cell(law=law, judges=judges, asked=asked, chosen=BY_PLAN, runs=25))
    assert len(rows) == 6
    for row in rows:
        assert row.coverage >= row.level - 4 * row.error, row


def test_intervals_hold_for_the_items_that_the_strategy_chooses() -> None:
    for row in measure(Cell(law="97 % pass", judges=1, asked=20, chosen=BY_STRATEGY, runs=25)):
        assert row.coverage >= row.level - 4 * row.error, row


def evidence_of(problem: Problem, scores: np.ndarray, counts: np.ndarray) -> Evidence:
    moments = Moments(n=counts, mean=np.where(counts > 0, scores, 0.0), m2=np.zeros(scores.shape))
    return Evidence.none(problem).plus(Allocation(counts=counts), moments)


def test_six_equal_answers_say_nothing_of_the_other_items() -> None:
    problem = Problem.of([1.0], items=40, score_range=(1, 5))
    counts = np.zeros((40, 1), np.int64)
    counts[:6] = 1
    estimate = Panel().estimate(problem, evidence_of(problem, np.ones((40, 1)), counts))
    interval = estimate.interval()
    assert (interval.low[6:] == 1).all()
    assert (interval.high[6:] == 5).all()
    assert group_mean(estimate, np.arange(40)).interval()[1] > 2
    assert group_mean(estimate, np.arange(40), population=True).interval()[1] > 2


def test_where_all_items_were_asked_only_measurement_counts(rng: np.random.Generator) -> None:
    """The interval is mean ± t se, as long as before a random sample was thought of."""
    problem = Problem.of([1.0, 2.0], items=60)
    scores = rng.random((60, 1)) + 0.05 * rng.standard_normal((60, 2))
    estimate = Panel().estimate(
        problem, evidence_of(problem, scores.clip(0, 1), np.ones((60, 2), np.int64))
    )
    assert isinstance(estimate, PanelEstimate)
    halves = np.arange(30), np.arange(30, 60)
    for found in (group_mean(estimate, np.arange(60)), difference(estimate, *halves)):
        assert found.error_if_all_asked == pytest.approx(found.standard_error)
        assert found.sampling.reach(0.9) == (0, 0)


def test_a_judge_that_gave_no_score_is_no_vote(rng: np.random.Generator) -> None:
    problem = Problem.of([1.0, 1.0, 50.0], items=60)
    counts = np.ones((60, 3), np.int64)
    counts[:, 2] = 0
    scores = rng.random((60, 3))
    estimate = Panel().estimate(problem, evidence_of(problem, scores, counts))
    assert isinstance(estimate, PanelEstimate)
    assert estimate.independent_votes <= 2
    nothing = Evidence(
        asked=MappingProxyType(dict.fromkeys(Phase, counts)),
        moments=MappingProxyType({phase: Moments.none(60, 3) for phase in Phase}),
    )
    unheard = Panel().estimate(problem, nothing)
    assert isinstance(unheard, PanelEstimate)
    assert unheard.independent_votes == 0
