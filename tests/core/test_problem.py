import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.evidence import Allocation, Evidence, Moments, Phase
from adjudge.core.problem import Problem
from adjudge.errors import InputError

scores = st.lists(st.floats(0, 1), max_size=8)


def moments(samples: list[float]) -> Moments:
    values = np.array(samples)
    return Moments(
        n=np.array([[values.size]]),
        mean=np.array([[values.mean() if values.size else 0.0]]),
        m2=np.array([[values.var() * values.size if values.size else 0.0]]),
    )


@given(scores, scores, scores)
def test_pooled_moments_are_those_of_all_scores_together(
    first: list[float], second: list[float], third: list[float]
) -> None:
    pooled = moments(first) + moments(second) + moments(third)
    together = moments(first + second + third)
    assert pooled.n == together.n
    assert np.allclose(pooled.mean, together.mean, atol=1e-12)
    assert np.allclose(pooled.m2, together.m2, atol=1e-12)


@given(scores, scores)
def test_pooling_does_not_depend_on_the_order(first: list[float], second: list[float]) -> None:
    forward = moments(first) + moments(second)
    backward = moments(second) + moments(first)
    assert np.allclose(forward.mean, backward.mean, atol=1e-12)
    assert np.allclose(forward.m2, backward.m2, atol=1e-12)


def test_the_variance_of_fewer_than_two_scores_is_unknown_not_zero() -> None:
    assert np.isnan(moments([]).variance).all()
    assert np.isnan(moments([0.4]).variance).all()
    assert moments([0.4, 0.4]).variance == 0
    assert moments([0.0, 1.0]).variance == pytest.approx(0.5)


def test_cost_per_judge_and_per_pair_are_the_same_problem() -> None:
    by_judge = Problem.of([1.0, 2.0], items=3)
    by_pair = Problem.of([[1.0, 2.0]] * 3)
    counts = Allocation(counts=np.array([[1, 0], [2, 3], [0, 1]]))
    assert counts.cost(by_judge) == counts.cost(by_pair) == 3 * 1.0 + 4 * 2.0
    assert by_judge.cost_of_every_pair == by_pair.cost_of_every_pair == 9
    assert by_judge.cost_of_every_item == by_pair.cost_of_every_item == 3
    assert by_judge.average_cost == by_pair.average_cost == 1.5


def test_cost_per_judge_takes_no_memory_per_item() -> None:
    assert Problem.of([1.0, 2.0], items=10**12).items == 10**12


def test_masked_pairs_count_for_nothing() -> None:
    problem = Problem.of([1.0, 2.0], items=2, mask=[[True, True], [False, True]])
    assert problem.pairs == 3
    assert problem.cost_of_every_pair == 5
    assert problem.cost_of_every_item == 3
    assert problem.price[1, 0] == math.inf


def test_an_allocation_without_calls_is_false() -> None:
    problem = Problem.of([1.0], items=2)
    assert not Allocation.nothing(problem)
    assert Allocation(counts=np.array([[0], [1]]))


def test_evidence_keeps_phases_apart_and_counts_calls_that_gave_no_score() -> None:
    problem = Problem.of([1.0, 3.0], items=1)
    pilot = Allocation(counts=np.array([[2, 1]]), phase=Phase.PILOT)
    one = Moments(n=np.array([[1, 1]]), mean=np.array([[0.2, 0.6]]), m2=np.zeros((1, 2)))
    evidence = Evidence.none(problem).plus(pilot, one)
    assert evidence.calls.tolist() == [[2, 1]]
    assert evidence.cost(problem) == 5
    assert evidence.moments[Phase.MAIN].n.sum() == 0
    assert evidence.pooled.mean.tolist() == [[0.2, 0.6]]
    with pytest.raises(InputError, match="more scores than calls"):
        evidence.plus(Allocation.nothing(problem), one)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"price_per_call": [1.0, 0.0]},
            r"price_per_call: 0\.0 at \[0, 1\]; every value must be positive and finite",
        ),
        ({"price_per_call": [-1.0]}, r"price_per_call: -1\.0 at \[0, 0\]"),
        ({"price_per_call": [math.nan, 1.0]}, r"price_per_call: nan at \[0, 0\]"),
        ({"price_per_call": [math.inf]}, r"price_per_call: inf at"),
        (
            {"price_per_call": [[1.0, -2.0], [3.0, -4.0]]},
            r"price_per_call: -2\.0 at \[0, 1\] and 1 more",
        ),
        (
            {"price_per_call": [[1.0], [1.0]], "items": 3},
            r"price_per_call: 2 rows; there are 3 items",
        ),
        (
            {"price_per_call": [1.0], "items": None},
            r"price_per_call: shape \(1,\) is one value per judge; say how many",
        ),
        ({"price_per_call": 1.0}, r"price_per_call: shape \(\); give one value per judge"),
        (
            {"price_per_call": [], "items": 2},
            r"price_per_call: shape \(2, 0\); give at least one item and one judge",
        ),
        ({"price_per_call": ["a"]}, r"price_per_call: not numbers"),
        ({"norm": 0.5}, r"norm: p = 0\.5; p must be a number from 1 to infinity"),
        ({"norm": math.nan}, r"norm: p = nan"),
        ({"score_range": (1, 1)}, r"score_range: 1\.0 to 1\.0; low must be below high"),
        ({"score_range": (0, math.inf)}, r"score_range: 0\.0 to inf"),
        ({"confidence": 1.0}, r"confidence: 1\.0; it must lie between 0 and 1"),
        ({"weights": [1.0, 2.0]}, r"weights: shape \(2,\); the shape must be \(1,\)"),
        ({"weights": [0.0]}, r"weights: all zero; at least one judge must count"),
        ({"weights": [-1.0]}, r"weights: -1\.0 at \[0\]"),
        ({"mask": [[True]]}, r"mask: shape \(1, 1\); the shape must be \(2, 1\)"),
        ({"mask": [[True], [False]]}, r"mask: no judge may be asked about item 1"),
    ],
)
def test_bad_input_is_refused_with_field_value_and_remedy(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Problem.of(**({"price_per_call": [1.0], "items": 2} | arguments))  # type: ignore[arg-type]


def test_a_problem_with_some_judges_still_asks_items_that_only_others_may_be_asked() -> None:
    mask = np.array([[True, True], [False, True], [True, False]])
    problem = Problem.of(price_per_call=np.ones((3, 2)), mask=mask)
    assert problem.with_judges(np.array([True, True])) is problem
    kept = problem.with_judges(np.array([True, False]))
    assert kept.mask.tolist() == [[True, False], [False, True], [True, False]]
