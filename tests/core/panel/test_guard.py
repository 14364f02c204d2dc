"""Judges that do not follow the others are switched off, and only they."""

from dataclasses import replace

import numpy as np
import pytest
from tests.core.panel.answers import EQUAL, drawn

from adjudge.core.panel import learn
from adjudge.core.panel.covariance import learn_covariance
from adjudge.core.panel.guard import Guard
from adjudge.core.panel.noise import FLOOR
from adjudge.core.problem import Moments


def test_a_judge_that_does_not_follow_moves_no_score_and_leaves_errors_finite(
    rng: np.random.Generator,
) -> None:
    noise, n = np.full((80, 4), 0.01), rng.integers(1, 4, (80, 4))
    seen = drawn(rng.normal(0.5, 0.15, (80, 1)) + np.zeros(4), noise, n, rng)
    mean, m2 = seen.mean.copy(), seen.m2.copy()
    mean[:, 3], m2[:, 3] = 0.8, 0.0
    learned = learn(Moments(n=n, mean=mean, m2=m2), EQUAL)
    assert learned.follow.tolist() == [True, True, True, False]
    assert np.abs(learned.mean_error).max() < 1
    assert np.linalg.eigvalsh(learned.mean_error).min() > -1e-12
    posterior = learned.model.posterior(Moments(n=n, mean=mean, m2=m2))
    assert np.abs(posterior.gain[:, 3]).max() < 1e-4
    assert posterior.variance.min() > 0


def test_a_judge_that_does_not_follow_is_switched_off_and_leaves_the_score(
    rng: np.random.Generator,
) -> None:
    score = rng.normal(0.5, 0.2, (300, 1))
    answers = score + 0.05 * rng.standard_normal((300, 4))
    n, noise = np.ones((300, 4), int), np.full((300, 4), 0.01)
    assert learn(drawn(answers, noise, n, rng), EQUAL).follow.all()
    seen = drawn(answers, noise, n, rng)
    constant = Moments(n=n, mean=np.column_stack([seen.mean[:, :3], np.full(300, 0.5)]), m2=seen.m2)
    learned = learn(constant, EQUAL)
    assert learned.follow.tolist() == [True, True, True, False]
    assert learned.model.weights.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])
    answers[:, 3] = rng.uniform(0, 1, 300)
    assert not learn(drawn(answers, noise, n, rng), EQUAL).follow[3]


def test_a_judge_that_is_switched_off_leaves_what_is_learned_of_the_others(
    rng: np.random.Generator,
) -> None:
    """Its own mean is still told; the others are as they would be without it."""
    answers = rng.normal(0.5, 0.2, (60, 1)) + 0.05 * rng.standard_normal((60, 4))
    n, noise = np.ones((60, 4), int), np.full((60, 4), 0.01)
    seen = drawn(answers, noise, n, rng)
    constant = Moments(n=n, mean=np.column_stack([seen.mean[:, :3], np.full(60, 0.8)]), m2=seen.m2)
    learned = learn(constant, EQUAL)
    assert learned.follow.tolist() == [True, True, True, False]
    assert learned.model.mean[3] == pytest.approx(0.8, abs=0.02)
    without = learn(Moments(n=n[:, :3], mean=seen.mean[:, :3], m2=seen.m2[:, :3]), np.ones(3) / 3)
    assert np.allclose(learned.model.mean[:3], without.model.mean, atol=0.002)
    assert np.allclose(learned.model.covariance[:3, :3], without.model.covariance, rtol=0.03)


def test_a_noisy_but_honest_judge_is_not_switched_off(rng: np.random.Generator) -> None:
    score = rng.normal(0.5, 0.2, (60, 1))
    answers = score + np.array([0.05, 0.05, 0.05, 0.35]) * rng.standard_normal((60, 4))
    n, noise = np.ones((60, 4), int), np.full((60, 4), 0.01)
    assert learn(drawn(answers, noise, n, rng), EQUAL).follow.all()


def test_a_judge_seldom_compared_with_most_of_the_panel_is_not_switched_off(
    rng: np.random.Generator,
) -> None:
    """Three judges that go far from the rest were asked of all items, the others of few."""
    noise = np.full(8, FLOOR)
    for run in rng.spawn(40):
        score = run.normal(0.0, 0.15, (1500, 1))
        far = 0.45 * score + 0.3 * run.standard_normal((1500, 3))
        answers = 0.5 + np.hstack([far, score + 0.1 * run.standard_normal((1500, 5))])
        n = np.zeros((1500, 8), int)
        n[40:, :3] = 1
        n[:40] = run.permuted(np.tile([1, 1, 1, 0, 0, 0, 0, 0], (40, 1)), axis=1)
        seen = Moments(n=n, mean=np.where(n > 0, answers, 0), m2=np.zeros(n.shape))
        assert Guard.of(seen, learn_covariance(seen, noise).covariance, noise).follow.all()


def always(answer: float, others: np.ndarray) -> Moments:
    """Three judges' answers, (m, 3), and a fourth's that is always the same."""
    mean = np.column_stack([others, np.full(len(others), answer)])
    return Moments(n=np.ones(mean.shape, int), mean=mean, m2=np.zeros(mean.shape))


def test_equal_answers_switch_a_judge_off_only_where_others_would_not_give_them(
    rng: np.random.Generator,
) -> None:
    ratings = rng.integers(0, 10, (16, 3)) / 9
    assert learn(always(0.5, ratings), EQUAL).follow.tolist() == [True, True, True, False]
    assert learn(always(0.5, ratings[:5]), EQUAL).follow.all()
    mostly_yes = np.ones((12, 3))
    mostly_yes[0], mostly_yes[5, 1] = 0.0, 0.0
    assert learn(always(1.0, mostly_yes), EQUAL).follow.all()


def test_equal_answers_to_items_that_nobody_else_was_shown_speak_against_a_judge_too(
    rng: np.random.Generator,
) -> None:
    yes = (rng.random((210, 1)) < 0.6) ^ (rng.random((210, 3)) < 0.1)
    seen = always(0.5, yes.astype(float))
    n = seen.n.copy()
    n[40:, :3], n[4:, 3] = 0, 0
    assert learn(replace(seen, n=n), EQUAL).follow.all()
    n[40:, 3] = 1
    assert learn(replace(seen, n=n), EQUAL).follow.tolist() == [True, True, True, False]


def test_thirty_equal_answers_are_too_many_even_where_others_only_say_yes_or_no(
    rng: np.random.Generator,
) -> None:
    for half_or_yes in (0.5, 1.0):
        yes = (rng.random((30, 1)) < 0.55) ^ (rng.random((30, 3)) < 0.1)
        learned = learn(always(half_or_yes, yes.astype(float)), EQUAL)
        assert learned.follow.tolist() == [True, True, True, False]


def test_a_judge_of_few_equal_answers_is_in_doubt_until_more_of_them_settle_it(
    rng: np.random.Generator,
) -> None:
    ratings = rng.integers(0, 10, (40, 3)) / 9
    few, more, many = (learn(always(0.5, ratings[:m]), EQUAL).guard for m in (5, 8, 40))
    assert few.to_hear(tight=False).tolist() == [0, 0, 0, 1]
    assert more.to_hear(tight=False).tolist() == [0, 0, 0, 8]
    assert not few.proven[3]
    assert few.follow[3]
    assert not more.follow[3]
    assert few.to_hear(tight=True)[3] == 1
    assert not more.to_hear(tight=True).any()
    assert not many.to_hear(tight=False).any()
    assert not many.follow[3]
    assert many.proven[:3].all()


def test_a_judge_in_doubt_is_heard_until_it_would_be_off_but_no_more_than_it_was_before(
    rng: np.random.Generator,
) -> None:
    yes = (rng.random((40, 1)) < 0.6) ^ (rng.random((40, 3)) < 0.1)
    for m in range(4, 30):
        seen = always(1.0, yes.astype(float))
        seen.n[m:, 3] = 0
        guard = learn(seen, EQUAL).guard
        if not guard.follow[3]:
            break
        more = int(guard.to_hear(tight=True)[3])
        assert 0 < more <= m
        seen.n[m : m + more, 3] = 1
        assert more == m or not learn(seen, EQUAL).follow[3]
    assert 8 < m < 29


def test_an_honest_judge_that_keeps_to_one_answer_is_hardly_ever_switched_off_for_good(
    rng: np.random.Generator,
) -> None:
    """Nearly two thirds of its answers are the same, where others have one in ten."""
    lost = 0
    for run in rng.spawn(300):
        ratings = run.integers(0, 10, (60, 4)) / 9
        ratings[:, 3] = np.where(run.random(60) < 0.63, 0.4, ratings[:, 3])
        alike = int((ratings[:, 3] != ratings[0, 3]).argmax())
        verdicts = [_guarded(ratings[:m]) for m in range(2, alike + 1)]
        lost += any(not guard.follow[3] and not guard.to_hear(tight=False)[3] for guard in verdicts)
    assert lost <= 6


def test_noise_of_the_others_is_learned_without_a_judge_that_is_switched_off(
    rng: np.random.Generator,
) -> None:
    """Its repeats, which never differ, would vouch for judges that were hardly asked twice."""
    answers = rng.normal(0.5, 0.2, (60, 1)) + 0.05 * rng.standard_normal((60, 4))
    n = np.ones((60, 4), int)
    n[:2], n[:40, 3] = 2, 2
    seen = drawn(answers, np.full((60, 4), 0.02), n, rng)
    mean, m2 = seen.mean.copy(), seen.m2.copy()
    mean[:, 3], m2[:, 3] = 0.8, 0.0
    learned = learn(Moments(n=n, mean=mean, m2=m2), EQUAL)
    assert learned.follow.tolist() == [True, True, True, False]
    without = learn(Moments(n=n[:, :3], mean=seen.mean[:, :3], m2=seen.m2[:, :3]), np.ones(3) / 3)
    assert np.allclose(learned.noise.by_judge[:3], without.noise.by_judge, rtol=0.02)


def test_judges_of_yes_and_no_stay_so_beside_one_that_always_says_half(
    rng: np.random.Generator,
) -> None:
    yes = (rng.random((80, 1)) < 0.5) ^ (rng.random((80, 3)) < 0.1)
    learned = learn(always(0.5, yes.astype(float)), EQUAL)
    assert learned.follow.tolist() == [True, True, True, False]
    assert learned.noise.yes_or_no


def _guarded(answers: np.ndarray) -> Guard:
    """What the guard makes of these answers, (m, J), each given once."""
    noise = np.full(answers.shape[1], FLOOR)
    seen = Moments(n=np.ones(answers.shape, int), mean=answers, m2=np.zeros(answers.shape))
    return Guard.of(seen, np.eye(answers.shape[1]) * 0.01 + 0.05, noise)
