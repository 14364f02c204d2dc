"""What is learned of a panel comes near what is true of it."""

import numpy as np
import pytest
from tests.core.panel.answers import EQUAL, drawn, noise_of, own_variance

from adjudge.core.panel import learn
from adjudge.core.panel.agreement import Disagreement, disagreement
from adjudge.core.panel.common_score import common_score_means
from adjudge.core.panel.covariance import learn_covariance
from adjudge.core.panel.deviations import learn_deviations
from adjudge.core.panel.noise import FLOOR
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments


def test_means_and_covariance_are_found_although_few_judges_saw_an_item(
    rng: np.random.Generator,
) -> None:
    mean = np.array([0.3, 0.5, 0.45, 0.6])
    loading = np.array([0.25, 0.2, 0.15, 0.22])
    covariance = np.outer(loading, loading) + np.diag([0.01, 0.02, 0.005, 0.03])
    answers = rng.multivariate_normal(mean, covariance, 20_000)
    n = (rng.random(answers.shape) < 0.4).astype(int)
    noise = np.full(answers.shape, 0.01)
    found = learn_covariance(drawn(answers, noise, n, rng), np.full(4, 0.01))
    assert np.allclose(found.mean, mean, atol=0.01)
    assert np.allclose(found.covariance, covariance, atol=0.004)


def test_the_error_of_the_judges_means_is_as_large_as_it_says(rng: np.random.Generator) -> None:
    """Judges who agree are compared by the items they share, not by all that each saw."""
    covariance = 0.05 + 0.004 * np.eye(3)
    surprises = []
    for run in rng.spawn(200):
        mean = 0.5 + 0.1 * run.standard_normal(3)
        answers = run.multivariate_normal(mean, covariance, 150)
        n = (run.random(answers.shape) < [0.9, 0.5, 0.2]).astype(int)
        seen = drawn(answers, np.full(answers.shape, 0.01), n, run)
        found = learn_covariance(seen, np.full(3, 0.01))
        contrast = np.array([0.5, 0.5, -1.0])
        variance = contrast @ found.mean_error @ contrast
        surprises.append((contrast @ (found.mean - mean)) ** 2 / variance)
    assert np.mean(surprises) == pytest.approx(1, abs=4 * np.sqrt(2 / 200))


def test_which_items_were_asked_may_depend_on_the_answers(rng: np.random.Generator) -> None:
    """A second judge only where the first said little: plain averages would be far off."""
    mean, covariance = np.array([0.5, 0.6]), np.array([[0.05, 0.04], [0.04, 0.05]])
    answers = rng.multivariate_normal(mean, covariance, 20_000)
    n = np.ones(answers.shape, int)
    noise = np.full(answers.shape, 0.002)
    seen = drawn(answers, noise, n, rng)
    n[seen.mean[:, 0] > 0.5, 1] = 0
    kept = Moments(n=n, mean=seen.mean * (n > 0), m2=seen.m2 * (n > 0))
    naive = kept.mean[:, 1].sum() / n[:, 1].sum()
    found = learn_covariance(kept, np.full(2, 0.002))
    assert abs(naive - 0.6) > 0.1
    assert found.mean[1] == pytest.approx(0.6, abs=0.015)


def test_noise_is_found_by_judge_item_and_pair(rng: np.random.Generator) -> None:
    judge, item = np.array([0.01, 0.04]), rng.lognormal(0, 0.8, (2000, 1))
    noise = judge * item / item.mean()
    found = noise_of(drawn(np.full(noise.shape, 0.5), noise, np.full(noise.shape, 6), rng))
    assert np.allclose(found.by_pair.mean(axis=0), judge, rtol=0.15)
    assert np.corrcoef(np.log(found.by_pair[:, 0]), np.log(noise[:, 0]))[0, 1] > 0.75
    alike = noise_of(
        drawn(
            np.full(noise.shape, 0.5),
            np.broadcast_to(judge, noise.shape),
            np.full(noise.shape, 6),
            rng,
        )
    )
    assert np.ptp(alike.by_pair[:, 0]) < 0.5 * np.ptp(found.by_pair[:, 0])


def test_items_of_different_difficulty_do_not_make_judges_look_quiet(
    rng: np.random.Generator,
) -> None:
    """Few repeats and heavy tails: the noise is found in total, not only in the usual item."""
    found = []
    for run in rng.spawn(40):
        noise = 0.01 * run.lognormal(-0.5, 1.0, (400, 1)) * np.ones((400, 3))
        n = np.where(run.random((400, 1)) < 0.4, 2, 1) * np.ones((400, 3), int)
        seen = drawn(np.full(noise.shape, 0.5), noise, n, run)
        found.append(noise_of(seen).by_judge.mean() / noise.mean())
    error = np.std(found, ddof=1) / np.sqrt(len(found))
    assert np.mean(found) == pytest.approx(1, abs=0.05 + 4 * error)


def test_judges_seldom_compared_are_taken_to_agree_like_the_others(
    rng: np.random.Generator,
) -> None:
    """Twelve items for each two of five judges have covariances that are half off by chance."""
    misses = []
    for run in rng.spawn(20):
        n = run.permuted(np.tile([1, 1, 0, 0, 0], (120, 1)), axis=1)
        answers = 0.5 + run.normal(0, 0.2, (120, 1)) + run.normal(0, 0.12, (120, 5))
        seen = drawn(answers, np.full((120, 5), 0.01), n, run)
        covariance = learn_covariance(seen, np.full(5, 0.01)).covariance
        misses.append(np.std(covariance[~np.eye(5, dtype=bool)]) / 0.04)
    assert np.mean(misses) < 0.09


def test_judges_that_use_the_whole_scale_lend_the_others_no_spread(
    rng: np.random.Generator,
) -> None:
    """Lent spread looks like deviations, and steady judges are passed over."""
    wide, narrow = [], []
    truth = 0.02 + np.diag([0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.01, 0.01])
    for run in rng.spawn(20):
        answers = run.multivariate_normal(np.full(8, 0.5), truth, 100)
        n = (np.argsort(np.argsort(run.random(answers.shape), axis=1), axis=1) < 2).astype(int)
        seen = drawn(answers, np.full(answers.shape, 0.005), n, run)
        found = np.diag(learn_covariance(seen, np.full(8, 0.005)).covariance)
        wide.append(found[:3].mean())
        narrow.append(found[3:].mean())
    assert np.mean(wide) == pytest.approx(0.12, rel=0.2)
    assert np.mean(narrow) < 0.04


def test_ratings_that_never_changed_are_not_taken_as_free_of_noise() -> None:
    n = np.full((50, 2), 3)
    found = noise_of(Moments(n=n, mean=np.full(n.shape, 0.5), m2=np.zeros(n.shape)))
    assert (found.by_pair >= FLOOR).all()


def test_judges_that_measure_one_score_are_recognised_and_so_are_others(
    rng: np.random.Generator,
) -> None:
    noise, n = np.full((400, 4), 0.02), np.full((400, 4), 3)
    score = rng.normal(0.5, 0.2, (400, 1))
    for deviation in (0.0, 0.1):
        answers = score + deviation * rng.standard_normal((400, 4))
        seen = drawn(answers, noise, n, rng)
        found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
        assert bool(found.none > 0.9) is (deviation == 0)
        assert found.expected == pytest.approx(deviation**2, abs=0.002)
        differ = disagreement(seen, noise, np.full(4, 0.5), Repeats.of(seen))
        assert differ.is_negligible is (deviation == 0)
        assert differ.is_surprising is (deviation > 0)
        own = own_variance(learn(seen, EQUAL).model.covariance)
        assert bool(own > 0.005) is (deviation > 0)


def test_disagreement_is_presumed_until_items_were_shared() -> None:
    n = np.zeros((100, 3), int)
    n[np.arange(100), np.arange(100) % 3] = 1
    seen = Moments(n=n, mean=n * 0.5, m2=n * 0.0)
    differ = disagreement(seen, np.full(n.shape, 0.1), np.zeros(3), Repeats.of(seen))
    assert not differ.is_negligible
    found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
    assert found.none < 0.5
    assert found.expected > 0.004


def test_deviations_are_reckoned_with_until_the_evidence_rules_them_out() -> None:
    plausible = [
        Disagreement(excess=0.0, error=error, noise=0.02).plausible
        for error in (0.01, 0.003, 0.001, 0.0003)
    ]
    assert plausible == sorted(plausible, reverse=True)
    assert plausible[0] > 0.001
    assert plausible[-1] < 1e-5
    assert Disagreement(excess=0.004, error=0.001, noise=0.02).plausible > 0.003


def test_noise_that_is_believed_too_large_does_not_hide_deviations(
    rng: np.random.Generator,
) -> None:
    noise, n = np.full((60, 3), 0.003), np.full((60, 3), 1)
    n[::3] = 2
    answers = rng.normal(0.5, 0.2, (60, 1)) + 0.07 * rng.standard_normal((60, 3))
    seen = drawn(answers, noise, n, rng)
    found = learn_deviations(seen, noise_of(seen).scaled_to(np.full(3, 0.012)), Repeats.of(seen))
    assert found.none < 0.1
    assert found.expected == pytest.approx(0.0049, rel=0.5)


def test_hard_items_are_not_mistaken_for_deviations(rng: np.random.Generator) -> None:
    """The noise of an item is lognormal: a few items make most of the differences."""
    agree, deviate = [], []
    for run in rng.spawn(30):
        noise = 0.01 * run.lognormal(-0.72, 1.2, (120, 1)) * np.ones(4)
        n = np.ones(noise.shape, int)
        n[::3] = 2
        score = run.normal(0.5, 0.2, (120, 1))
        for found, deviation in ((agree, 0.0), (deviate, 0.08)):
            answers = score + deviation * run.standard_normal(noise.shape)
            seen = drawn(answers, noise, n, run)
            found.append(learn_deviations(seen, noise_of(seen), Repeats.of(seen)).none)
    assert np.mean(agree) > 0.88
    assert np.mean(deviate) < 0.005


def test_where_it_cannot_be_told_whether_judges_deviate_both_count(
    rng: np.random.Generator,
) -> None:
    undecided = 0
    for run in rng.spawn(20):
        n = np.ones((20, 3), int)
        n[::4] = 2
        answers = run.normal(0.5, 0.2, (20, 1)) + 0.03 * run.standard_normal(n.shape)
        seen = drawn(answers, np.full(n.shape, 0.01), n, run)
        noise = noise_of(seen)
        none = learn_deviations(seen, noise, Repeats.of(seen)).none
        mean = learn_covariance(seen, noise.by_judge).mean
        differ = disagreement(seen, noise.by_pair, mean, Repeats.of(seen))
        if none > 0.5 or differ.is_surprising or differ.is_negligible:
            continue
        undecided += 1
        learned = learn(seen, np.full(3, 1 / 3))
        law = learn_covariance(seen, learned.noise.by_judge)
        share = own_variance(learned.model.covariance) / own_variance(law.covariance)
        assert share == pytest.approx(1 - none, abs=0.05)
    assert undecided >= 3


def test_judges_asked_because_they_looked_quiet_mislead_less_than_their_repeats_do(
    rng: np.random.Generator,
) -> None:
    """Of ten equal judges, those with the smallest of four repeats' variances get all the calls."""
    believed, misled = [], []
    for run in rng.spawn(30):
        score = run.normal(0.5, 0.2, (300, 1))
        n = np.zeros((300, 10), int)
        n[:40] = np.where(np.arange(10) == np.arange(40)[:, None] % 10, 2, 0)
        first = drawn(score + np.zeros(10), np.full(n.shape, 0.02), n, run)
        quiet = np.argsort(first.m2.sum(axis=0))[:3]
        n[40:, quiet] = 1
        later = drawn(score + np.zeros(10), np.full(n.shape, 0.02), n, run)
        seen = Moments(
            n=n,
            mean=np.where(n == 2, first.mean, later.mean),
            m2=np.where(n == 2, first.m2, 0),
        )
        noise = noise_of(seen)
        believed.append(learn_deviations(seen, noise, Repeats.of(seen)).expected)
        mean = np.full(10, 0.5)
        alike = np.broadcast_to(noise.by_judge, n.shape)
        misled.append(disagreement(seen, alike, mean, Repeats.of(seen)).excess)
    assert np.mean(misled) > 0.008
    assert np.mean(believed) < 0.6 * np.mean(misled)


def test_differences_between_judges_tell_the_noise_of_one_that_was_never_asked_twice(
    rng: np.random.Generator,
) -> None:
    noise = np.tile([0.02, 0.02, 0.002], (60, 1))
    n = np.tile([6, 6, 1], (60, 1))
    seen = drawn(rng.normal(0.5, 0.2, (60, 1)) + np.zeros(3), noise, n, rng)
    found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
    assert np.allclose(found.noise_if_none[:2], 0.02, rtol=0.25)
    assert 0.001 < found.noise_if_none[2] < 0.006


def test_repeats_of_hard_items_do_not_make_judges_look_noisy(rng: np.random.Generator) -> None:
    found = []
    for run in rng.spawn(5):
        hardness = run.lognormal(-0.7, 1.2, (400, 1))
        hardness /= hardness.mean()
        noise = 0.004 * hardness * np.ones(4)
        answers = run.normal(0.5, 0.2, (400, 1)) + np.sqrt(2.5 * noise) * run.standard_normal(
            (400, 4)
        )
        n = run.permuted(np.tile([1, 1, 1, 0], (400, 1)), axis=1)
        first = drawn(answers, noise, n, run)
        differ = np.var(first.mean, axis=1, where=n > 0)
        n[differ.argsort()[-80:]] *= 3
        n[::20] = np.maximum(n[::20], 2 * (n[::20] > 0))
        found.append(learn(drawn(answers, noise, n, run), EQUAL).noise.by_judge.mean())
    assert np.mean(found) < 1.7 * 0.004


def test_a_judge_that_deviates_most_is_not_taken_for_the_noisiest(rng: np.random.Generator) -> None:
    own = np.array([0.3, 0.05, 0.05, 0.05])
    answers = rng.normal(0.5, 0.1, (300, 1)) + own * rng.standard_normal((300, 4))
    n = np.ones((300, 4), int)
    n[::5] = 2
    seen = drawn(answers, np.full(n.shape, 0.005), n, rng)
    found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
    assert found.none < 0.01
    assert found.noise_if_none[0] > 0.03
    assert np.allclose(found.noise_if_any, 0.005, rtol=0.6)


def test_judges_that_surely_agree_have_a_noise_in_any_case(rng: np.random.Generator) -> None:
    n = np.full((4000, 2), 50)
    answers = np.repeat(rng.uniform(0.3, 0.7, (4000, 1)), 2, axis=1)
    seen = Moments(n=n, mean=answers, m2=np.full(n.shape, 0.005))
    found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
    assert found.none == 1
    assert np.isfinite(found.noise_if_any).all()


def test_more_items_than_are_needed_cost_nothing_of_the_answer(rng: np.random.Generator) -> None:
    n = np.where(rng.random((20_000, 3)) < 0.2, 2, 1)
    answers = rng.normal(0.5, 0.2, (20_000, 1)) + 0.06 * rng.standard_normal(n.shape)
    seen = drawn(answers, np.full(n.shape, 0.01), n, rng)
    found = learn_deviations(seen, noise_of(seen), Repeats.of(seen))
    assert found.none < 1e-6
    assert found.expected == pytest.approx(0.0036, rel=0.4)


def test_offsets_of_a_common_score_are_believed_as_far_as_they_show(
    rng: np.random.Generator,
) -> None:
    noise, n = np.full((300, 4), 0.02), np.full((300, 4), 3)
    score = rng.normal(0.5, 0.2, (300, 1))
    plain = learn(drawn(score + np.zeros(4), noise, n, rng), EQUAL)
    assert np.ptp(plain.model.mean) < 0.003
    shifted = learn(drawn(score + np.array([0, 0.1, 0, -0.1]), noise, n, rng), EQUAL)
    assert np.allclose(shifted.model.mean - shifted.model.mean.mean(), [0, 0.1, 0, -0.1], atol=0.03)


def test_offsets_that_do_not_show_yet_are_reckoned_with(rng: np.random.Generator) -> None:
    noise, n = np.full((300, 4), 0.02), np.zeros((300, 4), int)
    n[:, 0], n[:12] = 3, 1
    surprises = []
    for run in rng.spawn(300):
        offsets = run.normal(0, 0.05, 4)
        seen = drawn(run.normal(0.5, 0.2, (300, 1)) + offsets, noise, n, run)
        mean, error = common_score_means(seen, noise, 0.04, EQUAL)
        among = np.eye(4)[0] - EQUAL
        surprises.append(among @ (mean - offsets) / np.sqrt(among @ error @ among))
    assert np.mean(np.abs(surprises) < 1.645) > 0.7
    assert np.mean(np.square(surprises)) < 3


def test_nothing_seen_is_a_panel_of_equals() -> None:
    learned = learn(Moments.none(5, 3), np.full(3, 1 / 3))
    assert np.ptp(learned.model.mean) == 0
    assert np.ptp(np.diag(learned.model.covariance)) == 0
    assert learned.follow.all()
