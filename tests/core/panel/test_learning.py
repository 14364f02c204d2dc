"""What is learned of a panel comes near what is true of it, and says how sure that is."""

from dataclasses import replace

import numpy as np
import pytest
from tests.core.panel.answers import drawn, evidence_of, own_variance, some_of

from adjudge.core.evidence import Evidence, Moments
from adjudge.core.panel import Learned, Target, learn
from adjudge.core.panel.beliefs import UNBIASED, YES_OR_NO, Beliefs
from adjudge.core.panel.learning import beliefs_for, unit_moments
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.problem import Problem


def learned(seen: Moments, draws: int = 8, **about: object) -> Learned:
    items, judges = seen.n.shape
    problem = Problem.of(np.ones(judges), items=items, **about)  # type: ignore[arg-type]
    return learn(problem, evidence_of(problem, seen), draws=draws)


def test_judges_that_measure_one_score_are_recognised_and_so_are_others(
    rng: np.random.Generator,
) -> None:
    n, score = np.full((400, 4), 3), rng.normal(0.5, 0.2, (400, 1))
    for deviation in (0.0, 0.1):
        answers = score + deviation * rng.standard_normal((400, 4))
        found = learned(drawn(answers, 0.02, n, rng))
        own = own_variance(found.law.covariance)
        assert own == pytest.approx(deviation**2, abs=0.003)
        assert np.allclose(found.law.noise, 0.02, rtol=0.15)


def test_where_it_cannot_be_told_whether_judges_deviate_both_are_possible(
    rng: np.random.Generator,
) -> None:
    both = 0
    for run in rng.spawn(10):
        answers = run.normal(0.5, 0.2, (20, 1)) + 0.03 * run.standard_normal((20, 3))
        found = learned(drawn(answers, 0.01, some_of(20, 3, 3, run), run))
        own = [own_variance(law.covariance) for law in found.laws]
        both += min(own) < 1e-6 and max(own) > 1e-4
    assert both >= 3


def test_offsets_are_believed_as_far_as_they_show(rng: np.random.Generator) -> None:
    n, score = np.full((300, 4), 3), rng.normal(0.5, 0.2, (300, 1))
    plain = learned(drawn(score + np.zeros(4), 0.02, n, rng)).law.mean
    assert np.ptp(plain) < 4 * np.sqrt(0.02 / 900 * 2)
    for far in (0.1, 0.4):
        offsets = far * np.array([0, 1, 0, -1])
        mean = learned(drawn(score + offsets, 0.02, n, rng)).law.mean
        assert np.allclose(mean - mean.mean(), offsets, atol=0.03)


def test_possible_laws_hold_offsets_that_hardly_show(rng: np.random.Generator) -> None:
    """One judge saw all items, the others few: the score of an item rests on their offsets."""
    surprises = []
    n = np.zeros((100, 3), np.int64)
    n[:, 0], n[:15] = 1, 1
    for run in rng.spawn(20):
        offsets = run.normal(0, 0.05, 3)
        seen = drawn(run.normal(0.5, 0.2, (100, 1)) + offsets, 0.01, n, run)
        laws = learned(seen, 12).laws
        found = np.array([law.mean[0] - law.mean.mean() for law in laws])
        surprises.append((found.mean() - offsets[0] + offsets.mean()) / found.std(ddof=1))
    assert np.mean(np.square(surprises)) < 2
    assert np.mean(np.abs(surprises) < 1.645) > 0.9 - 4 * np.sqrt(0.09 / 20)


@pytest.mark.parametrize("score_range", [(1.0, 5.0), (-100.0, 0.0)])
def test_the_unit_of_scores_changes_nothing(
    score_range: tuple[float, float], rng: np.random.Generator
) -> None:
    answers = rng.normal(0.5, 0.2, (60, 1)) + 0.05 * rng.standard_normal((60, 3))
    seen = drawn(answers, 0.01, some_of(60, 3, 2, rng), rng)
    low, width = score_range[0], score_range[1] - score_range[0]
    stretched = Moments(
        n=seen.n, mean=np.where(seen.n > 0, low + width * seen.mean, 0), m2=width**2 * seen.m2
    )
    one, other = learned(seen), learned(stretched, score_range=score_range)
    assert np.allclose(one.law.mean, other.law.mean, atol=1e-6)
    assert np.allclose(one.law.covariance, other.law.covariance, atol=1e-6)
    assert np.allclose(one.model.noise, other.model.noise, rtol=1e-4)


def test_scores_are_brought_to_one_scale() -> None:
    problem = Problem.of([1.0], items=2, score_range=(1, 5))
    seen = Moments(n=np.array([[2], [0]]), mean=np.array([[4.0], [0.0]]), m2=np.array([[8.0], [0]]))
    found = unit_moments(problem, seen)
    assert found.mean.tolist() == [[0.75], [0.0]]
    assert found.m2.tolist() == [[0.5], [0.0]]


def test_large_groups_have_means_of_their_own_and_small_ones_have_not(
    rng: np.random.Generator,
) -> None:
    answers = rng.normal(0.5, 0.2, (60, 1)) + np.zeros(3)
    answers[::2] += 0.2
    seen = drawn(answers, 0.01, np.ones((60, 3), np.int64), rng)
    found = learned(seen, groups=np.arange(60) % 2).model
    assert found.mean.shape == (2, 3)
    assert (found.mean[0] > found.mean[1]).all()
    assert learned(seen, groups=np.arange(60)).model.mean.shape == (1, 3)


def test_the_score_of_an_item_is_of_the_judges_that_exist_for_it(rng: np.random.Generator) -> None:
    mask = rng.random((80, 3)) < 0.6
    mask[~mask.any(axis=1), 0] = True
    answers = rng.normal(0.5, 0.2, (80, 1)) + np.array([0, 0.1, -0.2])
    seen = drawn(answers, 0.0001, mask.astype(np.int64), rng)
    found = learned(seen, mask=mask, weights=[1, 2, 3])
    assert (found.model.weights[~mask] == 0).all()
    assert np.allclose(found.model.weights.sum(axis=1), 1)
    truth = (answers * mask * [1, 2, 3]).sum(axis=1) / (mask * [1, 2, 3]).sum(axis=1)
    assert np.abs(found.model.posterior(found.scores).score - truth).mean() < 0.02


def test_the_unbiased_target_leaves_offsets_and_deviations_out(rng: np.random.Generator) -> None:
    answers = rng.normal(0.5, 0.2, (100, 1)) + np.array([0, 0.1, -0.1])
    problem = Problem.of(np.ones(3), items=100)
    evidence = evidence_of(problem, drawn(answers, 0.01, np.full((100, 3), 2), rng))
    found = learn(problem, evidence, target=Target.UNBIASED, draws=4)
    assert found.target is Target.UNBIASED
    for law in found.laws:
        assert np.ptp(law.mean) < 1e-4
        assert own_variance(law.covariance) < 1e-6


def test_beliefs_are_those_of_the_target_and_of_the_scale() -> None:
    plain, binary = (Problem.of([1.0], items=2, yes_or_no=flag) for flag in (False, True))
    assert beliefs_for(plain, Target.PANEL) == Beliefs()
    assert beliefs_for(binary, Target.PANEL) is YES_OR_NO
    assert beliefs_for(plain, Target.UNBIASED) is UNBIASED


def test_the_same_evidence_gives_the_same_panel(rng: np.random.Generator) -> None:
    answers = rng.normal(0.5, 0.2, (40, 1)) + np.zeros(3)
    seen = drawn(answers, 0.01, some_of(40, 3, 2, rng), rng)
    one, other = learned(seen), learned(seen)
    assert np.array_equal(one.law.covariance, other.law.covariance)
    assert len(one.laws) == 8


@pytest.mark.parametrize("judges", [1, 3])
@pytest.mark.parametrize("groups", [None, np.arange(20) % 2])
def test_nothing_seen_is_a_panel_of_equals(judges: int, groups: np.ndarray | None) -> None:
    problem = Problem.of(np.ones(judges), items=20, groups=groups)
    found = learn(problem, Evidence.none(problem), draws=4)
    assert found.follow.all()
    assert np.isfinite(found.model.mean).all()
    assert np.isfinite(found.law.covariance).all()
    assert (found.model.noise == found.model.noise[0]).all()


def test_noise_of_pairs_varies_over_possible_panels_as_far_as_pairs_differ(
    rng: np.random.Generator,
) -> None:
    n = np.full((400, 3), 4)
    spreads = []
    for spread in (0.0, 1.0):
        noise = 0.01 * rng.lognormal(0, spread, n.shape)
        found = learned(drawn(rng.normal(0.5, 0.2, (400, 1)) + np.zeros(3), noise, n, rng), 2)
        first, _ = found.possible(rng)
        spreads.append((first.noise / found.model.noise).std(axis=0).mean())
    assert spreads[0] < 0.5 * spreads[1]


@pytest.mark.parametrize("target", [Target.PANEL, Target.UNBIASED])
@pytest.mark.parametrize("calls", [1, 3, 417])
def test_laws_stay_on_the_scale_however_little_was_seen(
    target: Target, calls: int, rng: np.random.Generator
) -> None:
    groups = np.repeat([0, 1], 30)
    n = rng.multinomial(calls, np.full(180, 1 / 180)).reshape(60, 3)
    answers = np.where(groups[:, None] == 0, 0.2, 0.7) + 0.1 * rng.standard_normal((60, 3))
    problem = Problem.of(np.ones(3), items=60, groups=groups)
    seen = drawn(answers, 0.02, n, rng)
    for law in learn(problem, evidence_of(problem, seen), target=target).laws:
        assert (law.group_mean >= 0).all()
        assert (law.group_mean <= 1).all()
        assert law.noise.max() <= 0.25
        assert np.diag(law.covariance).max() < 10


def test_under_another_law_pairs_keep_how_much_noisier_than_usual_they_are(
    rng: np.random.Generator,
) -> None:
    seen = drawn(rng.uniform(0.2, 0.8, (40, 3)), 0.02, np.full((40, 3), 4), rng)
    found = learned(seen)
    other = replace(found.law, noise=2 * found.law.noise)
    assert np.allclose(found.under(other).noise, 2 * found.under(found.law).noise)
    assert np.allclose(found.under(found.law).noise, found.model.noise)


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_offsets_are_the_same_with_groups_as_without(groups: int, rng: np.random.Generator) -> None:
    items = 80
    score = rng.normal(0.5, 0.1, (items, 1))
    answers = score + [0.15, -0.15] + 0.02 * rng.standard_normal((items, 2))
    seen = drawn(answers, 1e-3, np.full((items, 2), 3), rng)
    found = learned(seen, draws=16, groups=np.arange(items) % groups)
    assert found.law.mean[0] - found.law.mean[1] == pytest.approx(0.3, abs=0.04)
    # How far judges may favour a group leaves room around the offsets.
    assert all(law.mean[0] - law.mean[1] > 0.15 for law in found.laws)


def test_intervals_hardly_depend_on_which_laws_were_drawn(rng: np.random.Generator) -> None:
    """Also with a judge that never answered, of which only beliefs are known."""
    items = 40
    answers = rng.normal(0.5, 0.12, (items, 1)) + 0.03 * rng.standard_normal((items, 4))
    n = some_of(items, 4, 2, rng)
    n[:, 3] = 0
    n[8:, 1] = 0
    problem = Problem.of(np.ones(4), items=items)
    evidence = evidence_of(problem, drawn(answers, 0.02, n, rng))
    widths = []
    for seed in range(6):
        found = learn(problem, evidence, rng=np.random.default_rng(seed))
        widths.append(panel_estimate(problem, evidence, found).interval(0.95).width.mean())
    assert max(widths) < 1.4 * min(widths)
