import numpy as np
import pytest

from adjudge.core.evidence import Moments
from adjudge.core.problem import Problem
from adjudge.core.variance import (
    judge_variance,
    largest_variance,
    optimistic_variance,
    pooled_variance,
    sample_variance,
    variance_margin,
)
from adjudge.errors import InputError

PROBLEM = Problem.of([1.0, 1.0, 1.0], items=2, score_range=(1, 5))
SEEN = Moments(
    n=np.array([[3, 1, 0], [2, 1, 0]]),
    mean=np.array([[2.0, 3.0, 0.0], [4.0, 1.0, 0.0]]),
    m2=np.array([[0.6, 0.0, 0.0], [0.0, 0.0, 0.0]]),
)


def test_a_judge_never_asked_twice_gets_the_variance_of_the_panel() -> None:
    assert judge_variance(PROBLEM, SEEN).tolist() == pytest.approx([0.2, 0.2, 0.2])


def test_without_a_repeat_the_largest_possible_variance_is_assumed() -> None:
    assert judge_variance(PROBLEM, Moments.none(2, 3)).tolist() == [4, 4, 4]
    assert largest_variance(PROBLEM) == 4


def test_pairs_with_two_scores_keep_their_own_variance() -> None:
    own = sample_variance(PROBLEM, SEEN)
    assert own[0, 0] == pytest.approx(0.3)
    assert own[1, 0] == 0
    assert own[0, 1] == pytest.approx(0.2)


def test_two_equal_scores_do_not_make_a_pooled_variance_of_zero() -> None:
    pooled = pooled_variance(PROBLEM, SEEN)
    assert pooled[1, 0] == pytest.approx(0.1)
    assert pooled[0, 0] == pytest.approx((0.6 + 0.2) / 3)
    assert pooled[0, 2] == pytest.approx(0.2)


def test_the_optimistic_variance_adds_the_margin_to_the_deviation() -> None:
    optimistic = optimistic_variance(PROBLEM, SEEN, 0.5)
    assert optimistic[0, 0] == pytest.approx((np.sqrt(0.3) + 0.5) ** 2)
    assert optimistic[0, 1] == pytest.approx((2 + 0.5) ** 2)


def test_a_pilot_of_one_call_has_no_margin() -> None:
    with pytest.raises(InputError, match="a variance needs at least 2 calls per pair"):
        variance_margin(PROBLEM, pilot=1)
