"""The fit finds the law behind answers, and draws around it say how sure that is."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.panel.answers import drawn, own_variance, sample_of, some_of

from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import YES_OR_NO, Beliefs
from adjudge.core.panel.fit import draw_laws, learn_law, next_law
from adjudge.core.panel.law import Law, log_likelihood

BELIEFS = Beliefs()


def vague(**more: float) -> Beliefs:
    """Beliefs that hardly count."""
    little = dict.fromkeys(
        (
            "law_items",
            "law_items",
            "likeness_items",
            "spread_likeness_items",
            "offset_judges",
            "favour_groups",
            "noise_repeats",
            "noise_likeness_repeats",
        ),
        1e-3,
    )
    return Beliefs(**{"offset": 0.1, "favour": 0.01} | little | more)  # type: ignore[arg-type]


MEAN = np.array([0.3, 0.5, 0.45, 0.6])
LOADING = np.array([0.25, 0.2, 0.15, 0.22])
COVARIANCE = np.outer(LOADING, LOADING) + np.diag([0.01, 0.02, 0.005, 0.03])
NOISE = np.array([0.01, 0.02, 0.005, 0.03])


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_no_step_makes_the_answers_less_likely(seed: int) -> None:
    """Where beliefs hardly count: with them, what rises is the posterior density."""
    rng = np.random.default_rng(seed)
    answers = rng.multivariate_normal(MEAN, COVARIANCE, 60)
    sample = sample_of(drawn(answers, NOISE, some_of(60, 4, 3, rng, twice=2), rng))
    law = Law.believed(4, 1, BELIEFS)
    found = []
    for _ in range(15):
        law = next_law(law, sample, vague())
        found.append(log_likelihood(law, sample))
    assert min(after - before for before, after in pairwise(found)) > -0.1
    assert found[-1] > found[0]


def test_means_covariance_and_noise_are_found_although_few_judges_saw_an_item(
    rng: np.random.Generator,
) -> None:
    items = 2000
    answers = rng.multivariate_normal(MEAN, COVARIANCE, items)
    found = learn_law(sample_of(drawn(answers, NOISE, some_of(items, 4, 2, rng), rng)), BELIEFS)
    assert np.allclose(found.mean, MEAN, atol=4 * np.sqrt(0.08 / (items / 2)))
    assert np.allclose(found.covariance, COVARIANCE, atol=0.012)
    assert np.allclose(found.noise, NOISE, rtol=0.25)


def test_which_items_were_asked_may_depend_on_the_answers(rng: np.random.Generator) -> None:
    """A second judge only where the first said little: plain averages would be far off."""
    mean, covariance = np.array([0.5, 0.6]), np.array([[0.05, 0.04], [0.04, 0.05]])
    answers = rng.multivariate_normal(mean, covariance, 2000)
    n = np.ones(answers.shape, np.int64)
    n[::4] = 2
    seen = drawn(answers, 0.002, n, rng)
    n = np.where((seen.mean[:, :1] > 0.5) & [False, True], 0, n)
    kept = Moments(n=n, mean=seen.mean * (n > 0), m2=seen.m2 * (n > 0))
    naive = kept.mean[:, 1].sum() / (n[:, 1] > 0).sum()
    found = learn_law(sample_of(kept), BELIEFS)
    assert abs(naive - 0.6) > 0.1
    assert found.mean[1] == pytest.approx(0.6, abs=0.025)


def test_judges_that_agree_exactly_have_deviations_near_zero(rng: np.random.Generator) -> None:
    score = rng.normal(0.5, 0.2, (400, 1))
    seen = drawn(score + np.zeros(4), 0.01, some_of(400, 4, 3, rng, twice=2), rng)
    exact = drawn(score + np.zeros(4), 1e-9, some_of(400, 4, 3, rng, twice=2), rng)
    for moments, most in ((seen, 0.0015), (exact, 1e-4)):
        assert own_variance(learn_law(sample_of(moments), BELIEFS).covariance) < most


def test_the_order_of_items_and_of_judges_changes_nothing(rng: np.random.Generator) -> None:
    answers = rng.multivariate_normal(MEAN, COVARIANCE, 150)
    seen = drawn(answers, NOISE, some_of(150, 4, 2, rng), rng)
    law = learn_law(sample_of(seen), BELIEFS)
    rows, columns = rng.permutation(150), rng.permutation(4)
    place = np.ix_(rows, columns)
    moved = Moments(n=seen.n[place], mean=seen.mean[place], m2=seen.m2[place])
    other = learn_law(sample_of(moved), BELIEFS)
    assert np.allclose(law.mean[columns], other.mean, atol=1e-3)
    assert np.allclose(law.covariance[np.ix_(columns, columns)], other.covariance, atol=1e-3)
    assert np.allclose(law.noise[columns], other.noise, rtol=0.01)


def test_more_evidence_outweighs_beliefs(rng: np.random.Generator) -> None:
    """The farther the truth is from what is believed, the more items it takes, but it comes."""
    misses = []
    for items in (20, 200, 2000):
        found = []
        for run in rng.spawn(4):
            answers = run.normal(0.5, 0.05, (items, 1)) + run.normal(0, 0.15, (items, 3))
            n = np.full((items, 3), 2)
            law = learn_law(sample_of(drawn(answers, 0.0004, n, run)), BELIEFS)
            found.append(abs(own_variance(law.covariance) / 0.15**2 - 1))
        misses.append(np.mean(found))
    assert misses[0] > misses[2]
    assert misses[2] < 0.05


def test_draws_hold_the_truth_at_their_level(rng: np.random.Generator) -> None:
    """Means, differences of means, spreads and noise lie in the central 90 % of draws."""
    held = []
    for run in rng.spawn(40):
        mean = 0.5 + run.normal(0, 0.05, 3)
        covariance = 0.03 + 0.01 * np.eye(3)
        answers = run.multivariate_normal(mean, covariance, 60)
        sample = sample_of(drawn(answers, 0.01, some_of(60, 3, 2, run, twice=2), run))
        law = learn_law(sample, BELIEFS)
        laws = draw_laws(law, sample, BELIEFS, 19, apart=8, rng=run)
        found = np.array(
            [
                [
                    *one.mean,
                    one.mean[0] - one.mean[1],
                    np.log(one.covariance.mean()),
                    np.log(own_variance(one.covariance)),
                    *np.log(one.noise),
                ]
                for one in laws
            ]
        )
        truth = [
            *mean, mean[0] - mean[1], np.log(covariance.mean()), np.log(0.01), *np.log([0.01] * 3)
        ]  # fmt: skip
        rank = (found < truth).sum(axis=0)
        held.append((rank > 0) & (rank < len(laws)))
    coverage = np.array(held).mean(axis=0)
    assert (coverage > 0.9 - 4 * np.sqrt(0.09 / 40)).all(), coverage
    assert coverage.mean() < 0.97


def test_draws_are_as_many_as_asked_for_and_come_nearer_with_more_items(
    rng: np.random.Generator,
) -> None:
    spreads = []
    for items in (40, 1000):
        answers = rng.multivariate_normal(MEAN, COVARIANCE, items)
        sample = sample_of(drawn(answers, NOISE, some_of(items, 4, 2, rng), rng))
        laws = draw_laws(learn_law(sample, BELIEFS), sample, BELIEFS, 12, apart=3, rng=rng)
        assert len(laws) == 12
        spreads.append(np.std([law.mean for law in laws], axis=0).mean())
        for law in laws:
            assert np.linalg.eigvalsh(law.covariance)[0] > 0
            assert (law.noise > 0).all()
    assert spreads[1] < 0.4 * spreads[0]
    assert draw_laws(laws[0], sample, BELIEFS, 0, apart=3, rng=rng) == []


def test_what_judges_add_for_a_group_is_found_and_means_of_groups_come_apart(
    rng: np.random.Generator,
) -> None:
    groups = np.arange(600) % 6
    favour = rng.normal(0, 0.1, (6, 3))
    level = rng.normal(0.5, 0.08, (6, 1))
    truth = level + favour
    answers = truth[groups] + rng.normal(0, 0.15, (600, 1)) + rng.normal(0, 0.05, (600, 3))
    seen = drawn(answers, 0.005, some_of(600, 3, 2, rng), rng)
    law = learn_law(sample_of(seen, groups), BELIEFS)
    assert law.group_mean.shape == (6, 3)
    assert np.abs(law.group_mean - truth).max() < 4 * np.sqrt(0.03 / (100 * 2 / 3))
    assert 0.003 < law.favour < 0.03
    fair = drawn(answers - favour[groups], 0.005, seen.n, rng)
    assert learn_law(sample_of(fair, groups), BELIEFS).favour < law.favour / 4


def test_a_judge_that_never_saw_a_group_is_expected_to_say_of_it_what_the_others_do(
    rng: np.random.Generator,
) -> None:
    groups = np.arange(400) % 2
    level = np.array([0.3, 0.7])[groups, None]
    answers = level + rng.normal(0, 0.1, (400, 1)) + rng.normal(0, 0.03, (400, 3))
    n = np.ones((400, 3), np.int64)
    n[::4] = 2
    n[groups == 1, 2] = 0
    law = learn_law(sample_of(drawn(answers, 0.002, n, rng), groups), BELIEFS)
    assert law.group_mean[1, 2] == pytest.approx(0.7, abs=0.06)
    sample = sample_of(drawn(answers, 0.002, n, rng), groups)
    laws = draw_laws(law, sample, BELIEFS, 30, apart=3, rng=rng)
    doubt = np.std([one.group_mean for one in laws], axis=0)
    assert doubt[1, 2] > 2 * doubt[1, :2].max()


def test_yes_and_no_have_the_noise_that_their_spread_leaves(rng: np.random.Generator) -> None:
    n = some_of(1500, 3, 2, rng)
    yes = rng.binomial(n, rng.beta(0.5, 0.5, (1500, 1)))
    mean = np.divide(yes, n, out=np.zeros(n.shape), where=n > 0)
    law = learn_law(sample_of(Moments(n=n, mean=mean, m2=n * mean * (1 - mean))), YES_OR_NO)
    assert np.allclose(law.noise + np.diag(law.covariance), law.mean * (1 - law.mean), atol=1e-6)
    assert law.noise.mean() == pytest.approx(1 / 8, rel=0.15)


def test_nothing_seen_leaves_what_is_believed() -> None:
    law = learn_law(sample_of(Moments.none(5, 3)), BELIEFS)
    believed = Law.believed(3, 1, BELIEFS)
    assert np.array_equal(law.covariance, believed.covariance)
    assert np.array_equal(law.mean, believed.mean)
    assert np.ptp(law.noise) == 0


def test_judges_that_agree_alike_may_vary_unlike_each_other(rng: np.random.Generator) -> None:
    spread = np.array([0.3, 0.3, 0.15, 0.15])
    answers = 0.5 + spread * (rng.standard_normal((600, 1)) + rng.standard_normal((600, 4))) / 1.41
    sample = sample_of(drawn(answers, 0.004, np.full(answers.shape, 2), rng))
    alike, unlike = (
        learn_law(sample, BELIEFS.that_judges_agree_alike(vary_alike=same)).covariance
        for same in (True, False)
    )
    assert np.ptp(np.diag(alike)) == pytest.approx(0, abs=1e-9)
    assert np.allclose(np.sqrt(np.diag(unlike)), spread, rtol=0.1)
    deviations = np.sqrt(np.diag(unlike))
    correlation = unlike / np.outer(deviations, deviations)
    assert np.allclose(correlation[~np.eye(4, dtype=bool)], 0.5, atol=0.07)
