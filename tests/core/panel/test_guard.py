"""Judges that tell nothing are named, and left out only where that is plain or agreed to."""

from dataclasses import replace

import numpy as np
import pytest
from tests.core.panel.answers import drawn, evidence_of, some_of

from adjudge.core.evidence import Moments
from adjudge.core.panel import Guarding, Learned, learn
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.guard import never_varied, same_by_chance
from adjudge.core.problem import Problem


def guarded(seen: Moments, guarding: Guarding = Guarding.ASK) -> Learned:
    problem = Problem.of(np.ones(seen.n.shape[1]), items=len(seen.n))
    return learn(problem, evidence_of(problem, seen), guarding=guarding, draws=4)


def always(answer: float, others: np.ndarray) -> Moments:
    """Some judges' answers, (m, J), and those of one more that are always the same."""
    mean = np.column_stack([others, np.full(len(others), answer)])
    return Moments(n=np.ones(mean.shape, np.int64), mean=mean, m2=np.zeros(mean.shape))


def honest(items: int, rng: np.random.Generator, *, own: float = 0.05) -> np.ndarray:
    answers: np.ndarray = rng.normal(0.5, 0.2, (items, 1)) + own * rng.standard_normal((items, 4))
    return answers


@pytest.mark.parametrize("guarding", Guarding)
def test_a_judge_that_never_varied_is_left_out_unless_the_guard_is_off(
    guarding: Guarding, rng: np.random.Generator
) -> None:
    found = guarded(always(0.5, rng.integers(0, 10, (40, 3)) / 9), guarding)
    off = guarding is not Guarding.OFF
    assert found.follow.tolist() == [True, True, True, not off]
    assert found.guard.constant.tolist() == [False, False, False, off]
    weights = [1 / 3, 1 / 3, 1 / 3, 0] if off else [0.25] * 4
    assert np.allclose(found.model.weights, weights)


@pytest.mark.parametrize("guarding", Guarding)
def test_a_judge_that_does_not_follow_is_named_and_left_out_only_where_that_was_agreed(
    guarding: Guarding, rng: np.random.Generator
) -> None:
    answers = honest(1500, rng)
    answers[:, 3] = rng.uniform(0, 1, 1500)
    found = guarded(drawn(answers, 0.002, some_of(1500, 4, 4, rng), rng), guarding)
    assert found.guard.astray.tolist() == [False] * 3 + [guarding is not Guarding.OFF]
    assert found.follow.tolist() == [True] * 3 + [guarding is not Guarding.ON]
    assert not found.guard.constant.any()


def test_one_other_answer_brings_a_constant_judge_back(rng: np.random.Generator) -> None:
    seen = always(0.5, rng.integers(0, 10, (40, 3)) / 9)
    assert not guarded(seen).follow[3]
    seen.mean[7, 3] = 0.6
    assert guarded(seen).follow.all()
    repeats = always(0.5, rng.integers(0, 10, (40, 3)) / 9)
    repeats.n[7, 3], repeats.m2[7, 3] = 2, 0.01
    assert guarded(repeats).follow.all()


def test_a_judge_that_follows_once_more_is_seen_is_brought_back(rng: np.random.Generator) -> None:
    """Its first answers were random ones."""
    answers = honest(9000, rng)
    answers[:1500, 3] = rng.uniform(0, 1, 1500)
    n = some_of(9000, 4, 4, rng)
    first = drawn(answers[:1500], 0.002, n[:1500], rng)
    assert not guarded(first, Guarding.ON).follow[3]
    whole = drawn(answers, 0.002, n, rng)
    assert guarded(whole, Guarding.ON).follow.all()


def test_honest_judges_are_not_named_however_noisy(rng: np.random.Generator) -> None:
    named = 0
    for run in rng.spawn(20):
        score = run.normal(0.5, 0.2, (60, 1))
        answers = score + np.array([0.05, 0.05, 0.05, 0.3]) * run.standard_normal((60, 4))
        found = guarded(drawn(answers, 0.01, some_of(60, 4, 3, run), run), Guarding.ON)
        named += np.count_nonzero(found.guard.astray)
    assert named <= 1


def test_of_two_judges_none_is_left_out_and_two_always_stay(rng: np.random.Generator) -> None:
    ratings = rng.integers(0, 10, (40, 3)) / 9
    assert guarded(always(0.5, ratings[:, :1])).follow.all()
    mostly = always(0.5, ratings)
    mostly.mean[:, 1:] = 0.5
    assert np.count_nonzero(guarded(mostly).follow) >= 2


def test_a_judge_that_is_left_out_changes_nothing_of_what_is_learned_of_the_others(
    rng: np.random.Generator,
) -> None:
    n = some_of(60, 4, 4, rng)
    seen = drawn(honest(60, rng), 0.01, n, rng)
    seen.mean[:, 3], seen.m2[:, 3] = 0.8, 0.0
    found = guarded(seen)
    assert found.follow.tolist() == [True, True, True, False]
    assert not found.scores.n[:, 3].any()
    posterior = found.model.posterior(found.scores)
    assert (posterior.gain[:, 3] == 0).all()
    without = replace(seen, n=n * [1, 1, 1, 0], mean=seen.mean * [1, 1, 1, 0])
    again = guarded(without)
    assert np.allclose(found.law.mean[:3], again.law.mean[:3], atol=0.05)
    assert np.isfinite(found.law.covariance).all()


def test_equal_answers_are_the_less_surprising_the_more_the_others_give_them(
    rng: np.random.Generator,
) -> None:
    beliefs, others = Beliefs(), np.array([True, True, True, False])
    varied = always(1.0, rng.integers(0, 10, (60, 3)) / 9)
    mostly_yes = always(1.0, (rng.random((60, 3)) < 0.95).astype(float))
    chances = {
        name: [same_by_chance(seen, others, m, beliefs) for m in (2, 8, 16, 60)]
        for name, seen in (("varied", varied), ("mostly yes", mostly_yes))
    }
    for found in chances.values():
        assert found[0] == 1
        assert found == sorted(found, reverse=True)
    assert chances["varied"][1] < chances["mostly yes"][1]
    assert guarded(always(1.0, mostly_yes.mean[:12, :3])).follow.all()


def test_who_never_varied_is_told_by_answers_and_by_repeats() -> None:
    seen = always(0.5, np.array([[0.1, 0.3], [0.1, 0.3], [0.2, 0.3]]))
    assert never_varied(seen).tolist() == [False, True, True]
    seen.n[0, 1], seen.m2[0, 1] = 2, 0.02
    assert never_varied(seen).tolist() == [False, False, True]
