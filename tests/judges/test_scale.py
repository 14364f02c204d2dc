import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.judges import Scale


def test_scores_map_to_the_unit_interval_and_back():
    scale = Scale(low=1, high=5)
    scores = np.array([1.0, 3.0, 5.0])
    assert scale.in_unit(scores).tolist() == [0, 0.5, 1]
    assert scale.from_unit(scale.in_unit(scores)).tolist() == scores.tolist()


def test_a_whole_scale_holds_whole_scores_only():
    scale = Scale(low=1, high=5, whole=True)
    assert scale.holds(4.0)
    assert not scale.holds(4.5)
    assert not scale.holds(6)
    assert not scale.holds(float("nan"))


def test_labels_hold_their_own_numbers_only():
    scale = Scale.of_labels({"no": 0, "perhaps": 1, "yes": 3})
    assert scale.holds(3)
    assert not scale.holds(2)
    assert (scale.low, scale.high) == (0, 3)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Scale(low=1, high=1),
        lambda: Scale(low=0, high=float("inf")),
        lambda: Scale(low=0.5, high=3, whole=True),
        lambda: Scale.of_labels({}),
        lambda: Scale.of_labels({"one": 1}),
        lambda: Scale.of_labels({"one": 1, "ONE ": 2}),
        lambda: Scale.of_labels({"one": 1, "other": 1}),
    ],
)
def test_a_scale_that_cannot_be_used_is_refused(make):
    with pytest.raises(InputError):
        make()
