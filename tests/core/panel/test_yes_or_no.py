"""What is learned of judges that only answer yes or no."""

import numpy as np
import pytest
from tests.core.panel.answers import EQUAL, noise_of, own_variance

from adjudge.core.panel import learn
from adjudge.core.problem import Moments


def test_pairs_are_not_told_apart_where_answers_are_yes_or_no(rng: np.random.Generator) -> None:
    n = np.full((300, 3), 4)
    yes = rng.binomial(n, rng.uniform(0, 1, (300, 1)))
    mean = yes / n
    found = noise_of(Moments(n=n, mean=mean, m2=n * mean * (1 - mean)))
    assert np.ptp(found.by_pair, axis=0).max() == 0
    rated = noise_of(Moments(n=n, mean=mean / 2, m2=n * mean * (1 - mean) / 4))
    assert np.ptp(rated.by_pair, axis=0).min() > 0


def test_few_repeats_of_yes_or_no_do_not_tell_judges_apart(rng: np.random.Generator) -> None:
    """Sixteen pairs of answers, a judge: by chance one judge never differs from itself."""
    misses, gaps = [], []
    for run in rng.spawn(100):
        yes = run.binomial(2, run.beta(0.25, 0.25, (16, 1)) * np.ones(4)) / 2
        seen = Moments(n=np.full((16, 4), 2), mean=yes, m2=2 * yes * (1 - yes))
        found = np.log(noise_of(seen).by_judge / 0.0833)
        misses.append(np.mean(found**2))
        gaps.append(np.ptp(found))
    assert np.sqrt(np.mean(misses)) < 0.55
    assert np.mean(gaps) < 0.6


def yes_and_no(
    items: int, calls: int, run: np.random.Generator, *, flips: int | None = None
) -> Moments:
    """Three of four judges that agree, each item; of some `flips` answers yes and no alike."""
    n = calls * run.permuted(np.tile([1, 1, 1, 0], (items, 1)), axis=1)
    n[::4] *= 2
    yes = run.binomial(n, run.beta(0.5, 0.5, (items, 1)))
    if flips is not None:
        yes[::4, flips] = n[::4, flips] // 2
    mean = np.divide(yes, n, out=np.zeros(n.shape), where=n > 0)
    return Moments(n=n, mean=mean, m2=n * mean * (1 - mean))


def test_judges_of_yes_and_no_are_taken_to_agree_only_where_they_surely_do(
    rng: np.random.Generator,
) -> None:
    def learned(items: int, calls: int, run: np.random.Generator) -> float:
        return own_variance(learn(yes_and_no(items, calls, run), EQUAL).model.covariance)

    assert min(learned(60, 1, run) for run in rng.spawn(10)) > 0.001
    assert max(learned(2000, 4, run) for run in rng.spawn(3)) < 0.001
    assert np.median([learned(200, 10, run) for run in rng.spawn(10)]) < 1e-4


def test_judges_that_answer_yes_or_no_and_agree_have_the_noise_that_their_score_leaves(
    rng: np.random.Generator,
) -> None:
    """Of a score between 0 and 1 with variance 1/8, the mean of s(1 - s) is 1/8."""
    found = [learn(yes_and_no(2000, 4, run), EQUAL).noise.by_judge for run in rng.spawn(6)]
    assert np.mean(found) == pytest.approx(1 / 8, rel=0.04)
    assert np.ptp(found, axis=1).max() < 0.001


def test_repeats_that_happen_to_differ_make_no_judge_noisier_than_its_answers_vary(
    rng: np.random.Generator,
) -> None:
    for run in rng.spawn(6):
        found = learn(yes_and_no(400, 1, run, flips=1), EQUAL)
        variance = found.noise.by_judge + np.diag(found.model.covariance)
        assert variance == pytest.approx(found.model.mean * (1 - found.model.mean), rel=0.15)
