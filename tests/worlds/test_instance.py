from __future__ import annotations

import numpy as np
import pytest

from adjudge.errors import InputError
from adjudge.worlds import Instance, panel_mean


def test_the_truth_is_the_weighted_mean_of_the_judges_that_exist() -> None:
    mean = np.array([[0.2, 0.4, 0.9], [0.1, 0.7, 0.3]])
    mask = np.array([[True, True, True], [True, False, True]])
    weights = np.array([0.5, 0.25, 0.25])
    np.testing.assert_allclose(
        panel_mean(mean, weights, mask), [0.425, (0.5 * 0.1 + 0.25 * 0.3) / 0.75]
    )
    with pytest.raises(InputError, match="item 1 has only judges of weight 0"):
        panel_mean(mean, np.array([0, 1.0, 0]), mask)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mean": [0.5, 0.5]}, r"mean: shape \(2,\); give one mean per pair \(K, J\)"),
        ({"mean": [[0.5, 1.2]]}, "mean: 1.2 of item 0, judge 1; every mean must lie in the score"),
        ({"mean": [[0.5, np.nan]]}, "mean: nan of item 0, judge 1"),
        ({"variance": [[0.1, -0.1]]}, r"variance: -0.1 at \[0, 1\]"),
        ({"variance": [[0.1]]}, r"variance: shape \(1, 1\)"),
        ({"price_per_call": [1, 0]}, "price_per_call: 0.0 at"),
        ({"truth": [0.5, 0.5]}, r"truth: shape \(2,\); the shape must be \(1,\)"),
        ({"truth": [np.nan]}, "truth: not finite for some item"),
        ({"judge_names": ["a", "a"]}, "judge_names: a, a; give 2 different names"),
    ],
)
def test_an_impossible_instance_is_refused(change: dict[str, object], message: str) -> None:
    good = {"mean": [[0.5, 0.5]], "variance": [[0.1, 0.1]], "price_per_call": [1, 1]}
    with pytest.raises(InputError, match=message):
        Instance.of(**{**good, **change})
