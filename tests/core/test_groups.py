import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.estimate import Estimate
from adjudge.core.groups import (
    GroupMean,
    difference,
    group_mean,
    paired_difference,
)
from adjudge.core.panel.learning import Target
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.strategies import Uniform
from adjudge.core.strategies.panel import Panel
from adjudge.errors import InputError
from adjudge.simulate import Outcome, play
from adjudge.worlds import FAMILIES, BetaWorld, Instance, World

LEVEL = 0.9


def scored(world: World, calls_per_item: float, rng: np.random.Generator) -> Outcome:
    problem = world.instance.problem(confidence=LEVEL)
    budget = calls_per_item * problem.items * problem.average_cost
    return play(Panel(), problem, world, budget, rng=rng)


def asked_alike(world: World, calls_per_item: float, rng: np.random.Generator) -> PanelEstimate:
    """What the panel makes of calls that were shared out evenly: one fit instead of forty."""
    problem = world.instance.problem(confidence=LEVEL)
    budget = calls_per_item * problem.items * problem.average_cost
    outcome = play(Uniform(), problem, world, budget, rng=rng)
    estimate = Panel().estimate(problem, outcome.evidence)
    assert isinstance(estimate, PanelEstimate)
    return estimate


def raw(
    score: list[float],
    variance: list[float],
    *,
    freedom: float = math.inf,
    shared: float = 0.0,
) -> PanelEstimate:
    """An estimate of which only the raw scores matter."""
    scores, size = np.array(score), len(score)
    return PanelEstimate(
        score=np.full(size, 0.5),
        variance=np.full(size, 0.001),
        weights=np.ones((size, 1)),
        freedom=np.full(size, freedom),
        score_range=(0.0, 1.0),
        norm=2.0,
        confidence=LEVEL,
        raw_score=scores,
        raw_variance=np.array(variance),
        raw_draws=math.sqrt(shared / 2) * np.outer([1, -1], np.ones(size)),
        calls=np.ones(size),
        spent=np.ones(size),
        judges=(),
        target=Target.PANEL,
        independent_votes=1.0,
    )


def prompts_answered_by_two_systems(prompts: int, rng: np.random.Generator) -> World:
    """The first half of the items are one system's, the second half the other's, 0.05 better."""
    prompt = rng.uniform(0.25, 0.7, prompts)
    score = np.concatenate([prompt, prompt + 0.05]) + 0.02 * rng.standard_normal(2 * prompts)
    mean = np.clip(score[:, None] + np.array([-0.1, 0.0, 0.1]), 0.02, 0.98)
    return BetaWorld.of(
        Instance.of(mean=mean, variance=np.full(mean.shape, 0.01), price_per_call=[1, 1, 1])
    )


def holds(group: GroupMean, truth: float) -> bool:
    low, high = group.interval()
    return low <= truth <= high


def check_level(held: list[list[bool]]) -> None:
    """Held at the level; groups of one run share a panel, so runs are what is independent."""
    by_run = np.array(held).mean(axis=1)
    error = max(by_run.std(ddof=1), 0.05) / math.sqrt(len(by_run))
    assert by_run.mean() >= LEVEL - 4 * error


def test_a_group_worked_by_hand() -> None:
    estimate = raw([0.2, 0.4, 0.9, math.nan], [0.01, 0.03, 0.02, math.nan])
    group = group_mean(estimate, [0, 1])
    assert (group.items, group.unasked) == (2, 0)
    assert group.mean == pytest.approx(0.3)
    assert group.standard_error == pytest.approx(math.sqrt(0.04) / 2)
    assert group.interval(0.95) == pytest.approx((0.3 - 0.196, 0.3 + 0.196), abs=1e-4)
    assert group_mean(estimate, np.array([True, True, False, False])) == group
    # Of the third item nothing was seen: it may have any score.
    with_unasked = group_mean(estimate, [0, 1, 3])
    assert (with_unasked.items, with_unasked.unasked, with_unasked.mean) == (2, 1, group.mean)
    low, high = with_unasked.interval(0.95)
    assert low < 0.6 / 3
    assert high > 1.6 / 3
    # The spread over items, 0.02, is no larger than what measurement makes of it.
    sample = group_mean(estimate, [0, 1], population=True)
    assert sample.standard_error == pytest.approx(group.standard_error)
    assert sample.freedom == 1
    assert sample.interval(0.99) == (0, 1)


@given(st.integers(2, 30), st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_the_interval_of_a_population_is_never_the_shorter_one(
    asked: int, unasked: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    score = np.append(rng.uniform(0, 1, asked), np.full(unasked, np.nan))
    estimate = raw(score.tolist(), rng.uniform(0, 0.05, score.size).tolist())
    (low, high), (least, most) = (
        group_mean(estimate, np.arange(score.size), population=population).interval()
        for population in (False, True)
    )
    assert least <= low + 1e-9
    assert high <= most + 1e-9


def test_groups_of_another_strategys_estimate_rest_on_its_scores() -> None:
    estimate = Estimate(
        score=np.array([0.2, 0.4, 0.9]),
        variance=np.array([0.01, 0.03, 0.25]),
        weights=np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 0.0]]),
        freedom=np.full(3, math.inf),
        score_range=(0.0, 1.0),
        norm=2.0,
        confidence=LEVEL,
    )
    found = group_mean(estimate, [0, 1, 2])
    assert found.mean == pytest.approx(0.3)
    assert found.standard_error == pytest.approx(0.1)
    assert (found.items, found.unasked) == (2, 1)


def test_differences_worked_by_hand() -> None:
    estimate = raw([0.2, 0.4, 0.5, 0.8, math.nan], [0.01, 0.01, 0.02, 0.02, math.nan])
    for found in (difference(estimate, [2, 3, 4], [0, 1]), difference(estimate, [2, 3], [0, 1])):
        assert found.mean == pytest.approx(0.35)
        assert found.standard_error == pytest.approx(math.sqrt(0.06) / 2)
    pairs = paired_difference(estimate, [2, 3], [0, 1])
    assert (pairs.mean, pairs.items) == (pytest.approx(0.35), 2)
    assert pairs.standard_error == pytest.approx(math.sqrt(0.06) / 2)
    backwards = paired_difference(estimate, [0, 1], [2, 3])
    assert backwards.interval() == pytest.approx(tuple(-end for end in pairs.interval()[::-1]))


def test_a_pair_with_an_item_never_asked_is_left_out_and_counted() -> None:
    estimate = raw([0.2, 0.4, 0.5, math.nan], [0.01] * 3 + [math.nan])
    pairs = paired_difference(estimate, [2, 3], [0, 1])
    assert (pairs.items, pairs.unasked) == (1, 1)
    assert pairs.mean == pytest.approx(0.3)


def test_shared_error_does_not_fall_with_the_size_of_a_group_and_cancels_in_differences() -> None:
    size = 400
    estimate = raw([0.5] * size, [0.01] * size, shared=0.0002)
    group = group_mean(estimate, np.arange(size))
    assert group.standard_error == pytest.approx(math.sqrt(0.0002 + 0.01 / size))
    halves = np.arange(200), np.arange(200, 400)
    for found in (difference(estimate, *halves), paired_difference(estimate, *halves)):
        assert found.standard_error == pytest.approx(math.sqrt(2 * 0.01 / 200))


@pytest.mark.parametrize("family", ["offsets", "gaussian"])
def test_intervals_of_group_means_hold_the_truth_at_their_level(
    family: str, rng: np.random.Generator
) -> None:
    held, surprises = [], []
    for run in rng.spawn(10):
        world = FAMILIES[family](150, 4, run)
        truth = world.instance.truth
        outcome = scored(world, 2.0, run)
        assert isinstance(outcome.estimate, PanelEstimate)
        seen = run.permutation(np.flatnonzero(~np.isnan(outcome.estimate.raw_score)))
        held.append(
            [
                holds(group_mean(outcome.estimate, group), truth[group].mean())
                for group in np.array_split(seen, 4)
            ]
        )
        whole = group_mean(outcome.estimate, seen)
        surprises.append((whole.mean - truth[seen].mean()) / whole.standard_error)
    check_level(held)
    assert np.mean(np.square(surprises)) < 1 + 4 * math.sqrt(2 / 10)


def test_the_mean_of_many_items_at_one_call_each_is_not_surer_than_it_is(
    rng: np.random.Generator,
) -> None:
    """One judge per item: what judges differ by is learned from few, and all items share it."""
    surprises = []
    for run in rng.spawn(8):
        world = FAMILIES["offsets-deviations"](600, 4, run)
        estimate = scored(world, 1.0, run).estimate
        assert isinstance(estimate, PanelEstimate)
        seen = np.flatnonzero(~np.isnan(estimate.raw_score))
        whole = group_mean(estimate, seen)
        surprises.append((whole.mean - world.instance.truth[seen].mean()) / whole.standard_error)
        own = math.sqrt(estimate.raw_variance[seen].mean() / seen.size)
        assert whole.standard_error > own
    assert np.mean(np.square(surprises)) < 1 + 4 * math.sqrt(2 / 8)


def test_a_mean_beyond_the_scale_is_cut_to_it_and_keeps_its_interval() -> None:
    group = group_mean(raw([1.05, 1.01], [0.0001, 0.0001]), [0, 1])
    assert group.mean == 1
    assert group.interval()[0] < group.interval()[1] == 1


def test_pairs_of_answers_to_a_prompt_tell_more_than_two_groups(rng: np.random.Generator) -> None:
    held, ratios = [], []
    for run in rng.spawn(20):
        world = prompts_answered_by_two_systems(80, run)
        estimate, truth = asked_alike(world, 3.0, run), world.instance.truth
        worse, better = np.arange(80), np.arange(80, 160)
        paired = paired_difference(estimate, better, worse, population=True)
        apart = difference(estimate, better, worse, population=True)
        these = paired_difference(estimate, better, worse)
        ratios.append(paired.standard_error / apart.standard_error)
        held.append(
            [
                holds(paired, 0.05),
                holds(apart, 0.05),
                holds(these, (truth[better] - truth[worse]).mean()),
            ]
        )
    assert max(ratios) < 0.7
    check_level(held)


def test_a_group_that_differs_is_not_drawn_towards_the_others(rng: np.random.Generator) -> None:
    raw_errors, drawn_errors = [], []
    for run in rng.spawn(12):
        score = run.uniform(0.6, 0.8, 200)
        score[:40] -= 0.3
        mean = np.repeat(score[:, None], 3, axis=1)
        world = BetaWorld.of(
            Instance.of(mean=mean, variance=np.full(mean.shape, 0.04), price_per_call=[1, 1, 1])
        )
        estimate = asked_alike(world, 2.0, run)
        found = difference(estimate, np.arange(40), np.arange(40, 200)).mean
        drawn = estimate.score[:40].mean() - estimate.score[40:].mean()
        true = score[:40].mean() - score[40:].mean()
        raw_errors.append(found - true)
        drawn_errors.append(drawn - true)
    assert abs(np.mean(raw_errors)) < 0.02
    assert np.mean(drawn_errors) > 0.04


def test_groups_that_cannot_be_used_are_refused_in_one_sentence() -> None:
    estimate = raw([0.2, 0.4, 0.5, math.nan], [0.01] * 3 + [math.nan])
    for members in ([], [0, 4], [-1], [0, 0], [0.5], [[0, 1]], [3], [True, False]):
        with pytest.raises(InputError, match="members"):
            group_mean(estimate, members)
    with pytest.raises(InputError, match="population"):
        group_mean(estimate, [0], population=True)
    with pytest.raises(InputError, match="second: 1 items; give 2"):
        paired_difference(estimate, [0, 1], [2])
    with pytest.raises(InputError, match="item 1 is in `first` too"):
        difference(estimate, [0, 1], [1, 2])
    with pytest.raises(InputError, match="first: no item of it was asked"):
        difference(estimate, [3], [1, 2])
    with pytest.raises(InputError, match="no pair"):
        paired_difference(estimate, [3], [1])
    with pytest.raises(InputError, match="level"):
        group_mean(estimate, [0]).interval(95)
