"""Whether judges differ is told by those who were asked often."""

import numpy as np
import pytest
from tests.core.panel.answers import drawn

from adjudge.core.panel.agreement import Disagreement, disagreement
from adjudge.core.panel.repeats import Repeats


def found(deviation: float, rng: np.random.Generator) -> Disagreement:
    """Of two judges asked forty times and four asked once, now and then twice."""
    noise, n = np.full((200, 6), 0.08), np.ones((200, 6), int)
    n[:, :2], n[:40, 2:] = 40, 2
    answers = rng.normal(0.5, 0.2, (200, 1)) + deviation * rng.standard_normal(n.shape)
    seen = drawn(answers, noise, n, rng)
    return disagreement(seen, noise, np.full(6, 0.5), Repeats.of(seen))


def test_judges_asked_once_do_not_hide_that_those_asked_often_agree(
    rng: np.random.Generator,
) -> None:
    differ = found(0.0, rng)
    assert differ.is_negligible
    assert differ.error < 0.001
    assert differ.plausible < 0.001


def test_judges_asked_often_show_deviations_that_those_asked_once_cannot(
    rng: np.random.Generator,
) -> None:
    differ = found(0.08, rng)
    assert differ.is_surprising
    assert differ.excess == pytest.approx(0.08**2, rel=0.3)
