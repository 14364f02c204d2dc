import numpy as np
import pytest

from adjudge.core.panel import PanelModel
from adjudge.core.panel.summary import _for_norm, independent_votes
from adjudge.core.problem import Moments

ITEMS = 3000
JUMPS, JUMP = 0.2, 0.2
"""Share of answers that are not what the judge usually says, and how far off they are."""


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


def panel() -> PanelModel:
    return PanelModel(
        mean=np.full(2, 0.5),
        covariance=0.04 + 0.005 * np.eye(2),
        noise=np.full((ITEMS, 2), JUMPS * JUMP**2),
        weights=np.full(2, 0.5),
        hardness=np.ones(ITEMS),
    )


def ratings(rng: np.random.Generator, *, jumps: float = JUMPS) -> tuple[Moments, np.ndarray]:
    """One call of both judges, of some items two, and the items' scores; few answers jump."""
    usual = rng.multivariate_normal(panel().mean, panel().covariance, ITEMS)
    jump = (rng.random((2, ITEMS, 2)) < jumps) * JUMP * np.sqrt(JUMPS / jumps)
    answers = usual + jump * rng.standard_normal((2, ITEMS, 2))
    n = np.where(np.arange(ITEMS)[:, None] % 20 == 0, 2, np.ones((ITEMS, 2), np.int64))
    n[1::20, 1] = 0
    mean = np.where(n > 1, answers.mean(axis=0), answers[0]) * (n > 0)
    m2 = np.where(n > 1, (answers[0] - answers[1]) ** 2 / 2, 0.0)
    return Moments(n=n, mean=mean, m2=m2), usual.mean(axis=1)


def test_where_few_answers_jump_the_median_is_nearer_for_p_1_and_the_mean_for_p_2(
    rng: np.random.Generator,
) -> None:
    seen, truth = ratings(rng)
    median, mean = (_for_norm(panel(), seen, p).posterior(seen).score - truth for p in (1.0, 2.0))
    assert np.abs(median).mean() < 0.95 * np.abs(mean).mean()
    assert (median**2).mean() > (mean**2).mean()


def test_noise_counts_in_full_for_p_2_where_no_answer_comes_again_and_of_one_judges_answer(
    rng: np.random.Generator,
) -> None:
    seen, _ = ratings(rng)
    assert (_for_norm(panel(), seen, 2.0).noise == panel().noise).all()
    assert (_for_norm(panel(), seen, 1.0).noise[1::20] == panel().noise[1::20]).all()
    smooth, _ = ratings(rng, jumps=1.0)
    assert (_for_norm(panel(), smooth, 1.0).noise == panel().noise).all()
