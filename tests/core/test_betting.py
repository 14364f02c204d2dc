import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from adjudge.core.betting import betting_interval, hedged_interval_from_moments
from adjudge.core.problem import Moments, Problem
from adjudge.errors import InputError

LEVEL = 0.9


def draws(law: str, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[np.ndarray, float]:
    """Scores in [0, 1] and their mean."""
    if law == "steady":
        return rng.beta(20, 10, shape), 2 / 3
    if law == "skewed":
        return rng.beta(0.5, 2, shape), 0.2
    return (rng.random(shape) < 0.3).astype(float), 0.3


def moments_of(scores: np.ndarray, calls: np.ndarray) -> Moments:
    """Moments of the first so many scores of every pair; scores (K, J, n), calls (K, J)."""
    used = np.arange(scores.shape[2]) < calls[:, :, None]
    mean = (scores * used).sum(axis=2) / np.maximum(calls, 1)
    m2 = ((scores - mean[:, :, None]) ** 2 * used).sum(axis=2)
    return Moments(n=calls, mean=mean, m2=m2)


def binomial_error(runs: int) -> float:
    return math.sqrt(LEVEL * (1 - LEVEL) / runs)


@pytest.mark.parametrize("law", ["steady", "skewed", "yes-no"])
def test_betting_intervals_hold_the_mean_at_all_times_at_once(
    law: str, rng: np.random.Generator
) -> None:
    scores, mean = draws(law, (250, 150), rng)
    # The interval is the intersection over time: one that ever missed misses at the end.
    ends = np.array([betting_interval(row, level=LEVEL) for row in scores])
    held = (ends[:, 0] <= mean) & (mean <= ends[:, 1])
    assert held.mean() >= LEVEL - 4 * binomial_error(250)


def test_stopping_when_a_wrong_mean_is_refuted_does_not_break_the_level(
    rng: np.random.Generator,
) -> None:
    held = []
    for _ in range(100):
        scores, mean = draws("yes-no", (150,), rng)
        for seen in range(10, 151, 20):
            low, high = betting_interval(scores[:seen], level=LEVEL)
            if not low <= mean + 0.1 <= high:
                break
        held.append(low <= mean <= high)
    assert np.mean(held) >= LEVEL - 4 * binomial_error(100)


def test_more_scores_never_widen_a_betting_interval(rng: np.random.Generator) -> None:
    scores, _ = draws("skewed", (600,), rng)
    ends = [betting_interval(scores[:seen], level=LEVEL) for seen in (0, 5, 20, 80, 300, 600)]
    assert ends[0] == (0, 1)
    for (low, high), (next_low, next_high) in pairwise(ends):
        # Ends are found to 1 in 64³, outwards.
        assert next_low >= low - 1e-5
        assert next_high <= high + 1e-5
    assert ends[-1][1] - ends[-1][0] < 0.1


def test_the_ends_are_where_a_gambler_once_had_the_capital_that_refutes(
    rng: np.random.Generator,
) -> None:
    scores, _ = draws("skewed", (60,), rng)
    low, high = betting_interval(scores, level=LEVEL)

    def richest(mean: float, sign: int) -> float:
        capital, most = 1.0, 1.0
        total, squares = 0.5, 0.25
        for number, score in enumerate(scores, start=1):
            stake = math.sqrt(
                2 * math.log(2 / (1 - LEVEL)) / (squares / number * number * math.log(number + 1))
            )
            room = mean if sign > 0 else 1 - mean
            capital *= 1 + sign * min(stake, 0.75 / room) * (score - mean)
            most = max(most, capital)
            total += score
            squares += (score - total / (number + 1)) ** 2
        return most

    refuting = 2 / (1 - LEVEL)
    assert richest(low, 1) >= refuting > richest(low + 1e-5, 1)
    assert richest(high, -1) >= refuting > richest(high - 1e-5, -1)


@given(arrays(float, st.integers(0, 30), elements=st.floats(0, 1)), st.floats(0.5, 0.99))
def test_betting_intervals_stay_in_the_range_in_any_unit(scores: np.ndarray, level: float) -> None:
    low, high = betting_interval(scores, level=level)
    assert 0 <= low <= high <= 1
    wide = betting_interval(1 + 4 * scores, level=level, score_range=(1, 5))
    assert wide == pytest.approx((1 + 4 * low, 1 + 4 * high), abs=1e-4)


def test_scores_that_cannot_be_used_are_refused() -> None:
    for scores in ([0.5, 1.2], [0.5, math.nan], [[0.5, 0.4]]):
        with pytest.raises(InputError, match="scores"):
            betting_interval(scores, level=LEVEL)
    with pytest.raises(InputError, match="level"):
        betting_interval([0.5], level=90)
    with pytest.raises(InputError, match="score_range"):
        betting_interval([0.5], level=LEVEL, score_range=(1, 0))
    with pytest.raises(InputError, match="level"):
        hedged_interval_from_moments(Moments.none(1, 1), Problem.of([1.0], items=1), 1.0)


@pytest.mark.parametrize("law", ["steady", "skewed", "yes-no"])
def test_intervals_from_moments_hold_under_adaptive_choice_at_all_times_at_once(
    law: str, rng: np.random.Generator
) -> None:
    items, most = 500, 200
    scores, mean = draws(law, (items, 2, most), rng)
    problem = Problem.of([1.0, 1.0], items=items, weights=[0.7, 0.3])
    calls = np.ones((items, 2), np.int64)
    held = np.ones(items, dtype=bool)
    while calls.max() < most:
        seen = moments_of(scores, calls)
        held &= hedged_interval_from_moments(seen, problem, LEVEL).covers(np.full(items, mean))
        # The judge that looks better is asked on: its mean alone would be too low.
        calls[np.arange(items), seen.mean.argmax(axis=1)] += 3
    assert held.mean() >= LEVEL - 4 * binomial_error(items)


def test_an_interval_from_moments_worked_by_hand() -> None:
    seen = Moments(n=np.array([[400, 100]]), mean=np.array([[0.5, 0.5]]), m2=np.array([[9.0, 1.0]]))
    problem = Problem.of([1.0, 1.0], items=1, weights=[0.75, 0.25])
    rates = [0.9 / math.sqrt(2) ** step for step in range(12)]

    def half(number: int, m2: float) -> float:
        deviations = m2 + math.log(1 + m2) + 0.35
        return min(
            (math.log(24 * 2 / (1 - LEVEL)) - (math.log(1 - rate) + rate) * deviations)
            / (rate * number)
            for rate in rates
        )

    expected = 0.75 * half(400, 9.0) + 0.25 * half(100, 1.0)
    interval = hedged_interval_from_moments(seen, problem, LEVEL)
    assert interval.low == pytest.approx([0.5 - expected])
    assert interval.high == pytest.approx([0.5 + expected])


@given(arrays(float, st.integers(1, 40), elements=st.floats(0, 1)))
def test_no_order_of_scores_deviates_more_from_predictions_than_is_allowed(
    scores: np.ndarray,
) -> None:
    number = np.arange(1, scores.size)
    predicted = np.concatenate([[0.5], np.cumsum(scores)[:-1] / number])
    m2 = scores.size * scores.var()
    assert ((scores - predicted) ** 2).sum() <= m2 + np.log1p(m2) + 0.35 + 1e-9


def test_the_largest_deviations_from_predictions_are_allowed_for_any_number_of_scores() -> None:
    number = np.arange(1, 100_000)
    harmonic = np.cumsum(1 / number)
    assert (harmonic - 1 <= np.log1p(number - harmonic) + 0.1).all()


def test_intervals_from_moments_shrink_with_calls_within_the_range(
    rng: np.random.Generator,
) -> None:
    scores, _ = draws("yes-no", (20, 2, 2000), rng)
    problem = Problem.of([1.0, 1.0], items=20, score_range=(1, 5))
    widths = []
    for number in (0, 20, 200, 2000):
        seen = moments_of(1 + 4 * scores, np.full((20, 2), number))
        interval = hedged_interval_from_moments(seen, problem, LEVEL)
        assert (interval.low >= 1).all()
        assert (interval.high <= 5).all()
        widths.append(interval.width.mean())
    assert widths[0] == 4
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.1 * widths[0]


def test_a_judge_never_asked_adds_its_whole_range_unless_it_does_not_count() -> None:
    seen = Moments(
        n=np.array([[10**6, 0], [10**6, 0], [10**6, 0]]),
        mean=np.array([[0.5, 0.0]] * 3),
        m2=np.zeros((3, 2)),
    )
    mask = [[True, True], [True, False], [False, True]]
    problem = Problem.of([1.0, 1.0], items=3, weights=[0.75, 0.25], mask=mask)
    interval = hedged_interval_from_moments(seen, problem, LEVEL)
    assert interval.level == LEVEL
    assert interval.width == pytest.approx([0.25, 0, 1], abs=1e-4)
    silent = Problem.of([1.0, 1.0], items=3, weights=[1, 0], mask=mask)
    assert hedged_interval_from_moments(seen, silent).width == pytest.approx([0, 0, 1], abs=1e-4)


def test_the_unit_of_scores_changes_only_the_unit_of_intervals_from_moments() -> None:
    seen = Moments(n=np.array([[40]]), mean=np.array([[0.3]]), m2=np.array([[2.0]]))
    wide = Moments(n=seen.n, mean=1 + 4 * seen.mean, m2=16 * seen.m2)
    one = hedged_interval_from_moments(seen, Problem.of([1.0], items=1), LEVEL)
    other = hedged_interval_from_moments(
        wide, Problem.of([1.0], items=1, score_range=(1, 5)), LEVEL
    )
    assert other.low == pytest.approx(1 + 4 * one.low)
    assert other.high == pytest.approx(1 + 4 * one.high)
