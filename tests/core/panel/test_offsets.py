"""Offsets are believed as far as they show, and their errors are as large as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core.panel.answers import drawn

from adjudge.core.panel.covariance import learn_covariance
from adjudge.core.panel.offsets import believed_means


def information(rng: np.random.Generator, judges: int) -> np.ndarray:
    """Of means that were compared with each other more often than they were measured."""
    lever = rng.standard_normal((40, judges))
    compared = lever - lever.mean(axis=1, keepdims=True)
    return 200 * compared.T @ compared + rng.uniform(1, 50) * np.ones((judges, judges))


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(-0.5, 0.5))
def test_a_shift_of_all_judges_is_no_offset(seed: int, judges: int, shift: float) -> None:
    rng = np.random.default_rng(seed)
    known, mean = information(rng, judges), rng.uniform(0.2, 0.8, judges)
    believed, error = believed_means(mean, known)
    shifted, same = believed_means(mean + shift, known)
    assert np.allclose(shifted, believed + shift, atol=1e-9)
    assert np.allclose(same, error, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_believed_offsets_lie_between_none_and_what_was_seen(seed: int, judges: int) -> None:
    rng = np.random.default_rng(seed)
    known, mean = information(rng, judges), rng.uniform(0.2, 0.8, judges)
    believed, _ = believed_means(mean, known)
    toward = known.sum(axis=0) / known.sum()
    seen, kept = mean - toward @ mean, believed - toward @ believed
    assert kept @ known @ kept <= seen @ known @ seen * (1 + 1e-9)


def test_means_known_well_are_taken_as_they_are() -> None:
    mean = np.array([0.3, 0.5, 0.7])
    believed, error = believed_means(mean, 1e7 * np.eye(3))
    assert np.allclose(believed, mean, atol=1e-4)
    assert np.allclose(error, 1e-7 * np.eye(3), atol=1e-8)


@pytest.mark.parametrize("size", [0.0, 0.03, 0.1])
def test_the_errors_of_means_are_as_large_as_they_say(size: float) -> None:
    """Whatever the judges' offsets: of the score of items that one judge answered alone."""
    surprises = []
    for run in np.random.default_rng(3).spawn(120):
        mean = 0.5 + size * run.standard_normal(4)
        answers = run.multivariate_normal(mean, 0.04 + 0.005 * np.eye(4), 200)
        n = np.zeros(answers.shape, int)
        n[:, 0], n[:20] = 1, 1
        seen = drawn(answers, np.full(answers.shape, 0.005), n, run)
        found = learn_covariance(seen, np.full(4, 0.005))
        lever = np.full(4, 0.25) - np.eye(4)[0]
        variance = lever @ found.mean_error @ lever
        surprises.append((lever @ (found.mean - mean)) ** 2 / variance)
    assert 0.2 < np.mean(surprises) < 1.6


def test_a_judge_seldom_asked_is_taken_to_score_like_the_others_unless_it_shows() -> None:
    missed, found = [], []
    for run in np.random.default_rng(5).spawn(40):
        n = np.zeros((300, 4), int)
        n[:, 0], n[:8] = 1, 1
        noise = np.full(n.shape, 0.005)
        level = run.normal(0.5, 0.2, (300, 1)) + 0.07 * run.standard_normal(n.shape)
        plain = learn_covariance(drawn(level, noise, n, run), np.full(4, 0.005)).mean
        missed.append(plain[1:] - plain[0])
        lenient = level + np.array([0.0, 0.0, 0.0, 0.3])
        means = learn_covariance(drawn(lenient, noise, n, run), np.full(4, 0.005)).mean
        found.append(means[3] - means[:3].mean())
    # Eight comparisons tell a difference to 0.043.
    assert float(np.sqrt(np.mean(np.square(missed)))) < 0.025
    assert np.mean(found) == pytest.approx(0.3, abs=0.05)
