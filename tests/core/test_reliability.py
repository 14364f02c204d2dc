"""Whether judges tell items apart."""

import numpy as np
import pytest

from adjudge.core.evidence import Moments
from adjudge.core.reliability import reliability


def answers(scores: np.ndarray) -> Moments:
    """Scores of shape (K, J, calls)."""
    items, judges, calls = scores.shape
    return Moments(
        n=np.full((items, judges), calls),
        mean=scores.mean(axis=2),
        m2=calls * scores.var(axis=2),
    )


def test_judges_that_answer_at_random_tell_no_items_apart(rng: np.random.Generator) -> None:
    found = reliability(answers(rng.random((200, 2, 2))))
    assert found is not None
    assert found.share < 0.3
    assert found.low == 0
    assert found.high < 0.5


def test_reliability_is_the_share_of_variance_between_items(rng: np.random.Generator) -> None:
    """Items of variance 1 and four answers of variance 4: half of a mean's variance is theirs."""
    inside = []
    for _ in range(100):
        scores = rng.standard_normal((60, 1, 1)) + 2 * rng.standard_normal((60, 2, 2))
        found = reliability(answers(scores + np.array([[[0.0], [3.0]]])))
        assert found is not None
        inside.append(found.low <= 0.5 <= found.high)
    assert np.mean(inside) >= 0.9 - 4 * 0.03


def test_answers_that_are_all_the_same_tell_nothing_apart() -> None:
    found = reliability(answers(np.full((20, 2, 2), 0.7)))
    assert found is not None
    assert (found.share, found.high) == (0, 0)


def test_judges_without_noise_that_agree_tell_items_apart(rng: np.random.Generator) -> None:
    scores = np.repeat(rng.random((20, 1, 1)), 3, axis=1)
    found = reliability(answers(scores))
    assert found is not None
    assert found.share == pytest.approx(1)


def test_without_repeats_nothing_can_be_told(rng: np.random.Generator) -> None:
    assert reliability(answers(rng.random((20, 1, 1)))) is None
    assert reliability(Moments.none(5, 2)) is None
