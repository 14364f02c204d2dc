"""Calls made twice tell of a judge's noise, however the items were picked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.panel.answers import drawn, noise_of

from adjudge.core.panel import learn
from adjudge.core.panel.noise import learn_noise
from adjudge.core.panel.repeats import Repeats, usual_answers
from adjudge.core.problem import Moments

ITEMS = 1000
PICKED = 20


def picked_for_a_surprise(rng: np.random.Generator) -> tuple[Moments, Moments, float]:
    """All that was seen, what the start saw, and the judges' mean noise.

    Two judges saw every item, some of them twice at random; then one of them was asked again where
    both differed most.
    """
    noise = 0.005 * rng.lognormal(-1, np.sqrt(2), (ITEMS, 2))
    answers = rng.multivariate_normal([0.5, 0.5], 0.06 + 0.005 * np.eye(2), ITEMS)
    n = np.ones((ITEMS, 2), int)
    n[:40] = 2
    start = drawn(answers, noise, n, rng)
    surprise = np.abs(start.mean[:, 0] - start.mean[:, 1])
    surprise[:40] = 0
    again = np.zeros((ITEMS, 2), int)
    again[np.argsort(-surprise)[:PICKED], 0] = 1
    return start + drawn(answers, noise, again, rng), start, float(noise.mean())


def test_repeats_of_surprising_items_do_not_make_a_judge_look_noisy(
    rng: np.random.Generator,
) -> None:
    naive, fair = [], []
    for run in rng.spawn(40):
        seen, start, noise = picked_for_a_surprise(run)
        naive.append(noise_of(seen).by_judge[0] / noise)
        fair.append(learn_noise(seen, Repeats.fair(seen, start)).by_judge[0] / noise)
    assert np.mean(naive) > 1.5
    assert 0.75 < np.mean(fair) < 1.25


def test_judges_that_differ_are_not_taken_to_agree_because_surprises_were_repeated(
    rng: np.random.Generator,
) -> None:
    def alike(covariance: np.ndarray) -> bool:
        return bool(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1] < 0.002)

    misled, right = [], []
    for run in rng.spawn(20):
        seen, start, _ = picked_for_a_surprise(run)
        equal = np.full(2, 0.5)
        misled.append(alike(learn(seen, equal).model.covariance))
        fair = learn(seen, equal, repeats=Repeats.fair(seen, start))
        right.append(alike(fair.model.covariance))
    assert np.mean(misled) > np.mean(right) + 0.1
    assert np.mean(right) < 0.2


def repeated(*squares: float) -> Repeats:
    """A judge with one repeat of each of these squares, beside one whose repeats are all alike."""
    found = np.stack([np.array(squares), np.full(len(squares), 0.002)], axis=1)
    return Repeats(freedom=np.ones(found.shape), squares=found)


def noise_seen(repeats: Repeats) -> np.ndarray:
    seen: np.ndarray = repeats.squares.sum(axis=0) / repeats.freedom.sum(axis=0)
    return seen


def test_one_repeat_that_jumps_does_not_make_a_quiet_judge_look_noisy() -> None:
    jumped = repeated(0.3, *[0.002] * 15)
    assert noise_seen(jumped)[0] > 0.02
    quiet, other = noise_seen(jumped.without_jumps())
    assert 0.002 <= quiet < 0.004
    assert other == noise_seen(jumped)[1]


def test_a_judge_that_jumps_often_or_was_seldom_repeated_is_taken_as_it_looks() -> None:
    for seen in (repeated(0.3, 0.3, 0.3, *[0.002] * 13), repeated(0.3, *[0.002] * 6)):
        assert np.array_equal(noise_seen(seen.without_jumps()), noise_seen(seen))


def test_normal_noise_looks_on_average_as_large_without_its_jumps(rng: np.random.Generator) -> None:
    squares = rng.standard_normal((4000, 16)) ** 2
    kept = Repeats(freedom=np.ones((16, 4000)), squares=squares.T).without_jumps()
    # Where one square makes more than half, which with 16 of them is seldom.
    changed = kept.freedom[0] < 1
    assert 0.001 < changed.mean() < 0.1
    assert 0.9 < noise_seen(kept).mean() < 1.02


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_every_repeat_counts_between_nothing_and_once(seed: int, often: float) -> None:
    rng = np.random.default_rng(seed)
    answers, noise = rng.random((30, 3)), np.full((30, 3), 0.01)
    start = drawn(answers, noise, rng.integers(0, 3, (30, 3)), rng)
    later = drawn(answers, noise, (rng.random((30, 3)) < often) * rng.integers(1, 4, (30, 3)), rng)
    seen = start + later
    all_of, first, fair = Repeats.of(seen), Repeats.of(start), Repeats.fair(seen, start)
    assert (fair.freedom >= first.freedom - 1e-12).all()
    assert (fair.freedom <= all_of.freedom + 1e-12).all()
    assert (fair.squares >= first.squares - 1e-12).all()
    assert (fair.squares <= all_of.squares + 1e-12).all()


def test_where_every_item_was_repeated_all_repeats_count(rng: np.random.Generator) -> None:
    answers, noise = rng.random((50, 2)), np.full((50, 2), 0.01)
    start = drawn(answers, noise, np.ones((50, 2), int), rng)
    seen = start + drawn(answers, noise, np.ones((50, 2), int), rng)
    fair, all_of = Repeats.fair(seen, start), Repeats.of(seen)
    assert np.allclose(fair.freedom, all_of.freedom)
    assert np.allclose(fair.squares, all_of.squares)


def test_judges_left_out_have_no_repeats(rng: np.random.Generator) -> None:
    seen = drawn(rng.random((9, 3)), np.full((9, 3), 0.01), np.full((9, 3), 3), rng)
    kept = Repeats.of(seen).only(np.array([True, False, True]))
    assert kept.freedom.sum(axis=0).tolist() == [18, 0, 18]
    assert kept.squares[:, 1].sum() == 0


@pytest.mark.parametrize("yes_or_no", [False, True])
def test_how_many_answers_are_usual_shows_in_pairs_asked_twice(
    rng: np.random.Generator, yes_or_no: bool
) -> None:
    usual = 0.7
    said = rng.integers(0, 2, ITEMS).astype(float)
    if yes_or_no:
        # Of three items in ten the judge is undecided.
        decided = rng.random(ITEMS) < usual
        calls = np.where(decided, said, rng.integers(0, 2, (2, ITEMS)))
    else:
        calls = np.where(rng.random((2, ITEMS)) < usual, said, rng.random((2, ITEMS)))
    twice = np.full((ITEMS, 1), 2)
    m2 = ((calls[0] - calls[1]) ** 2 / 2)[:, None]
    seen = Moments(n=twice, mean=calls.mean(axis=0)[:, None], m2=m2)
    assert usual_answers(seen) == pytest.approx(usual, abs=0.06)


def test_smooth_scores_and_pairs_asked_once_show_no_usual_answer(
    rng: np.random.Generator,
) -> None:
    answers = rng.random((ITEMS, 2))
    once, twice = np.ones((ITEMS, 2), int), np.full((ITEMS, 2), 2)
    assert usual_answers(drawn(answers, np.full((ITEMS, 2), 0.01), twice, rng)) == 0
    assert usual_answers(drawn(answers, np.full((ITEMS, 2), 0.01), once, rng)) == 0
