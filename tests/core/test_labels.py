"""What labels may be, and what they say."""

import numpy as np
import pytest

from adjudge.core.labels import Labels
from adjudge.core.problem import Problem
from adjudge.errors import InputError


def test_labels_are_the_means_of_their_ratings() -> None:
    labels = Labels.of([3, 1, 3], [1, 4, 2], items=5, scale=(1, 5), rater=[0, 0, 1])
    assert labels.labelled.tolist() == [1, 3]
    assert labels.mean[[1, 3]].tolist() == [4, 1.5]
    assert np.isnan(labels.mean[[0, 2, 4]]).all()
    assert labels.noise == pytest.approx(0.5)
    assert labels.unit(labels.mean[[1]]).tolist() == [0.75]


def test_one_raters_word_has_no_noise() -> None:
    assert Labels.of([0, 1], [1, 0], items=2).noise == 0


def test_a_part_of_the_items_keeps_its_labels() -> None:
    problem = Problem.of([1.0], items=5, labels=Labels.of([3, 1], [1, 0.5], items=5))
    part = problem.part(np.array([4, 3])).labels
    assert part is not None
    assert part.items == 2
    assert (part.item.tolist(), part.value.tolist()) == ([1], [1])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"value": [0.5, 1.5]}, "1.5 of item 1"),
        ({"value": [0.5, np.nan]}, "nan of item 1"),
        ({"item": [0, 9]}, "item 9"),
        ({"item": [1, 1]}, "rated an item twice"),
        ({"value": [0.5]}, "shape"),
        ({"scale": (1, 1)}, "low must be below high"),
        ({"inclusion": np.zeros(3)}, "no probability"),
        ({"inclusion": np.ones(2)}, "shape"),
    ],
)
def test_bad_labels_are_refused_in_words(change: dict[str, object], words: str) -> None:
    given: dict[str, object] = {"item": [0, 1], "value": [0.5, 1.0], "items": 3, **change}
    with pytest.raises(InputError, match=words):
        Labels.of(**given)  # type: ignore[arg-type]


def test_labels_of_another_number_of_items_are_refused() -> None:
    with pytest.raises(InputError, match="there are 4"):
        Problem.of([1.0], items=4, labels=Labels.of([0], [1], items=3))
