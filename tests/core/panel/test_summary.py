import numpy as np
import pytest

from adjudge.core.panel.summary import independent_votes


@pytest.mark.parametrize(
    ("deviations", "votes"),
    [
        (np.diag([0.01, 0.01, 0.01, 0.01]), 4.0),
        (np.zeros((3, 3)), 3.0),
        (np.array([[0.01, 0.01, 0.0], [0.01, 0.01, 0.0], [0.0, 0.0, 0.01]]), 2.0),
        (np.array([[0.02]]), 1.0),
    ],
)
def test_judges_that_deviate_alike_are_worth_fewer_votes(
    deviations: np.ndarray, votes: float
) -> None:
    """What items have in common for all judges is no reason to count judges as one."""
    assert independent_votes(0.05 + deviations) == pytest.approx(votes)
