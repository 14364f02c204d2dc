"""Scores, intervals and what is told of judges."""

import numpy as np
import pytest
from tests.core.panel.answers import drawn, evidence_of, law_of, some_of

from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel import Guarding, Learned, PanelEstimate, learn
from adjudge.core.panel.summary import independent_votes, panel_estimate
from adjudge.core.problem import Problem

COVARIANCE = 0.04 + 0.01 * np.eye(3)


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


def seen_of(
    rng: np.random.Generator, items: int = 80, *, offsets: tuple[float, ...] = (0.0, 0.1, -0.1)
) -> tuple[Problem, Evidence, np.ndarray]:
    """A panel on a scale of 1 to 5, two calls per item, and what it would say of each."""
    answers = rng.multivariate_normal(0.5 + np.array(offsets), COVARIANCE, items)
    problem = Problem.of([1.0, 2.0, 0.5], items=items, score_range=(1, 5), confidence=0.9)
    unit = drawn(answers, 0.01, some_of(items, 3, 2, rng), rng)
    scores = Moments(n=unit.n, mean=np.where(unit.n > 0, 1 + 4 * unit.mean, 0), m2=16 * unit.m2)
    return problem, evidence_of(problem, scores), 1 + 4 * answers.mean(axis=1)


def test_a_panel_that_is_known_has_the_scores_and_variances_of_its_posterior(
    rng: np.random.Generator,
) -> None:
    problem, evidence, _ = seen_of(rng)
    law = law_of(COVARIANCE, mean=np.array([0.5, 0.6, 0.4]), noise=0.01)
    known = Learned.known(problem, law, np.full((80, 3), 0.01), problem.weights)
    estimate = panel_estimate(problem, evidence, known)
    unit = evidence.pooled
    moments = Moments(n=unit.n, mean=(unit.mean - 1) / 4, m2=unit.m2 / 16)
    posterior = known.model.posterior(moments)
    assert np.allclose(estimate.score, np.clip(1 + 4 * posterior.score, 1, 5))
    assert np.allclose(estimate.variance, 16 * posterior.variance)
    assert np.allclose(estimate.raw_variance, 16 * posterior.raw_variance)
    assert np.allclose(estimate.raw_draws, 0)
    assert (estimate.freedom > 1000).all()


def test_what_is_not_known_of_the_law_widens_intervals(rng: np.random.Generator) -> None:
    """By the law of total variance over the panels that are possible."""
    problem, evidence, _ = seen_of(rng, 25)
    learned = learn(problem, evidence)
    estimate = panel_estimate(problem, evidence, learned)
    only = Learned.known(problem, learned.law, learned.model.noise, problem.weights)
    plain = panel_estimate(problem, evidence, only)
    assert estimate.interval().width.mean() > plain.interval().width.mean()
    assert (estimate.freedom < plain.freedom).mean() > 0.9
    foreseen = panel_estimate(problem, evidence, learned, foreseen=0.0)
    assert (foreseen.variance <= estimate.variance + 1e-12).all()


def test_intervals_hold_the_truth_at_their_level_after_few_items(rng: np.random.Generator) -> None:
    held, raw = [], []
    for run in rng.spawn(12):
        problem, evidence, truth = seen_of(run, 30)
        estimate = panel_estimate(problem, evidence, learn(problem, evidence))
        held.append(estimate.interval(0.9).covers(truth).mean())
        raw.append(((estimate.raw_score - truth) / estimate.raw_standard_error) ** 2)
    error = max(float(np.std(held, ddof=1)), 0.05) / np.sqrt(12)
    assert np.mean(held) == pytest.approx(0.9, abs=0.02 + 4 * error)
    assert np.mean(raw) < 1.6


def test_judges_are_told_with_offsets_noise_and_what_they_cost(rng: np.random.Generator) -> None:
    problem, evidence, _ = seen_of(rng, 600)
    estimate = panel_estimate(problem, evidence, learn(problem, evidence))
    assert np.allclose([judge.offset for judge in estimate.judges], [0, 0.4, -0.4], atol=0.1)
    assert np.allclose([judge.noise for judge in estimate.judges], 0.4, rtol=0.25)
    apart = 4 * np.sqrt(0.01 * 2 / 3)
    assert np.allclose([judge.deviation for judge in estimate.judges], apart, rtol=0.4)
    assert [judge.price for judge in estimate.judges] == [1.0, 2.0, 0.5]
    assert sum(judge.calls for judge in estimate.judges) == evidence.calls.sum()
    assert sum(judge.spent for judge in estimate.judges) == pytest.approx(evidence.cost(problem))
    assert estimate.spent.sum() == pytest.approx(evidence.cost(problem))


def test_items_never_asked_have_no_raw_score_and_the_mean_one(rng: np.random.Generator) -> None:
    problem, evidence, _ = seen_of(rng)
    some = evidence.pooled
    n = np.where(np.arange(80)[:, None] < 60, some.n, 0)
    few = evidence_of(problem, Moments(n=n, mean=some.mean * (n > 0), m2=some.m2 * (n > 0)))
    estimate = panel_estimate(problem, few, learn(problem, few))
    assert np.isnan(estimate.raw_score[60:]).all()
    assert not estimate.asked[60:].any()
    assert np.ptp(estimate.score[60:]) < 1e-9
    width = estimate.interval().width
    assert width[60:].mean() > width[:60].mean()


def test_calls_without_a_score_are_failures() -> None:
    problem = Problem.of([1.0, 1.0, 1.0], items=30)
    counts = np.tile([2, 2, 0], (30, 1))
    n = np.tile([2, 1, 0], (30, 1))
    scores = Moments(n=n, mean=np.where(n > 0, np.linspace(0.2, 0.8, 30)[:, None], 0), m2=0.01 * n)
    evidence = Evidence.none(problem).plus(Allocation(counts=counts), scores)
    estimate = panel_estimate(problem, evidence, learn(problem, evidence, draws=4))
    rates = [judge.failure_rate for judge in estimate.judges]
    assert rates[:2] == [0, 0.5]
    assert np.isnan(rates[2])
    assert estimate.independent_votes <= 2


def test_a_judge_that_is_left_out_is_told_and_has_no_weight(rng: np.random.Generator) -> None:
    problem, evidence, _ = seen_of(rng)
    seen = evidence.pooled
    mean = np.where(seen.n > 0, [1, 1, 0] * seen.mean + [0, 0, 3.0], 0)
    constant = evidence_of(problem, Moments(n=seen.n, mean=mean, m2=seen.m2 * [1, 1, 0]))
    for guarding in (Guarding.ASK, Guarding.OFF):
        learned = learn(problem, constant, guarding=guarding, draws=4)
        estimate = panel_estimate(problem, constant, learned)
        assert isinstance(estimate, PanelEstimate)
        follows = guarding is Guarding.OFF
        assert [judge.follows for judge in estimate.judges] == [True, True, follows]
        assert estimate.weights[:, 2].any() == follows
