"""Means of people's scores: PPI++ where its setting applies, and honest where it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.core.people.human_worlds import SCALE, HumanWorld

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Evidence
from adjudge.core.groups import GroupMean
from adjudge.core.groups import group_mean as panel_mean
from adjudge.core.labels import Labels
from adjudge.core.panel import Guarding, learn
from adjudge.core.people import (
    PeopleEstimate,
    PeopleMean,
    difference,
    group_mean,
    paired_difference,
    people_estimate,
)
from adjudge.core.strategies import Panel
from adjudge.errors import InputError

ITEMS = 200


@pytest.fixture(scope="module")
def any_estimate() -> PeopleEstimate:
    """Whose labels and predictions the tests replace."""
    rng = np.random.default_rng(5)
    world = HumanWorld.of("common bias", ITEMS, rng)
    return people_estimate(world.with_labels(world.labels(50, rng)), Evidence.none(world.problem))


def estimate_with(
    like: PeopleEstimate,
    label: FloatArray,
    predicted: FloatArray,
    labelled: IntArray,
    **more: object,
) -> PeopleEstimate:
    labels = Labels.of(labelled, label[labelled], items=ITEMS, scale=SCALE, **more)  # type: ignore[arg-type]
    return replace(like, labels=labels, predicted=predicted)


def people_and_predictions(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    score = rng.standard_normal(ITEMS)
    people = 3 + 0.6 * score + 0.4 * rng.standard_normal(ITEMS)
    return np.clip(people, 1, 5), 2.5 + 0.9 * score


def people_mean(estimate: PeopleEstimate, **more: bool) -> PeopleMean:
    found = group_mean(estimate, np.arange(ITEMS), **more)
    assert isinstance(found, PeopleMean)
    return found


@pytest.mark.parametrize("number", [10, 50, 150])
def test_the_mean_is_that_of_ppi_plus_plus(
    any_estimate: PeopleEstimate, number: int, rng: np.random.Generator
) -> None:
    """Predictions that no label made, labels at random: `ppi-python` gives the same."""
    oracle = pytest.importorskip("ppi_py")
    people, predicted = people_and_predictions(rng)
    order = rng.permutation(ITEMS)
    labelled, rest = order[:number], order[number:]
    found = people_mean(estimate_with(any_estimate, people, predicted, labelled), population=True)
    inputs = people[labelled], predicted[labelled], predicted[rest]
    assert 0 < found.tuning < 1
    assert found.mean == pytest.approx(float(oracle.ppi_mean_pointestimate(*inputs)[0]), rel=1e-9)
    # Its interval is normal, with other degrees of freedom, and adds Var(f) where ours adds Var(y).
    low, high = oracle.ppi_mean_ci(*inputs, alpha=0.1)
    own = found.interval(0.9)
    assert own[1] - own[0] == pytest.approx(float(high[0] - low[0]), rel=0.25)


def test_useless_predictions_leave_the_labels_alone(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people, predicted = people_and_predictions(rng)
    labelled = rng.permutation(ITEMS)[:40]
    against = estimate_with(any_estimate, people, 5 - predicted, labelled)
    found = people_mean(against)
    assert found.tuning == 0
    assert found.mean == pytest.approx(people[labelled].mean())
    assert found.worth_of_a_label == pytest.approx(1)


def test_good_predictions_make_a_label_worth_more(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    """With a correlation of 0.83, a label is worth 1 / (1 - 0.69) = 3.2 labels."""
    people, predicted = people_and_predictions(rng)
    labelled = rng.permutation(ITEMS)[:100]
    found = people_mean(estimate_with(any_estimate, people, predicted, labelled))
    assert 2 < found.worth_of_a_label < 5
    assert found.standard_error < found.labels_alone_error


def test_if_all_are_labelled_the_mean_is_known(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people, predicted = people_and_predictions(rng)
    estimate = estimate_with(any_estimate, people, predicted, np.arange(ITEMS))
    found = people_mean(estimate)
    assert found.interval() == pytest.approx((people.mean(), people.mean()))
    beyond = people_mean(estimate, population=True)
    assert beyond.standard_error == pytest.approx(people.std(ddof=1) / math.sqrt(ITEMS))


def test_labels_drawn_with_known_probabilities_leave_no_bias(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    """Items of high scores are labelled four times as often: means stay right, and intervals."""
    people, predicted = people_and_predictions(rng)
    chance = np.where(people > np.median(people), 0.4, 0.1)
    errors, held = [], []
    for _ in range(300):
        labelled = np.flatnonzero(rng.random(ITEMS) < chance)
        estimate = estimate_with(any_estimate, people, predicted, labelled, inclusion=chance)
        found = people_mean(estimate)
        errors.append(found.mean - people.mean())
        low, high = found.interval(0.9)
        held.append(low <= people.mean() <= high)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(len(errors))
    assert abs(np.mean(held) - 0.9) < 4 * math.sqrt(0.09 / len(held))


def test_pairs_that_are_both_labelled_cancel_what_they_share(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    half = ITEMS // 2
    prompt = np.tile(rng.standard_normal(half), 2)
    people = np.clip(3 + 0.8 * prompt + 0.2 * rng.standard_normal(ITEMS), 1, 5)
    pairs = rng.permutation(half)[:30]
    labelled = np.concatenate([pairs, half + pairs])
    estimate = estimate_with(any_estimate, people, np.full(ITEMS, 3.0), labelled)
    sides = np.arange(half), np.arange(half, ITEMS)
    paired, apart = paired_difference(estimate, *sides), difference(estimate, *sides)
    assert paired.mean == pytest.approx(apart.mean)
    assert paired.standard_error < apart.standard_error / 2
    assert paired.freedom == 29
    own = people[pairs] - people[half + pairs]
    expected = own.std(ddof=1) / math.sqrt(30) * math.sqrt(1 - 30 / half)
    assert paired.standard_error == pytest.approx(expected)


@pytest.mark.parametrize("tell", [difference, paired_difference])
def test_a_difference_is_that_of_the_means_beside_it(
    any_estimate: PeopleEstimate, rng: np.random.Generator, tell: Callable[..., GroupMean]
) -> None:
    people, predicted = people_and_predictions(rng)
    estimate = estimate_with(any_estimate, people, predicted, rng.permutation(ITEMS)[:40])
    first, second = np.arange(ITEMS // 2), np.arange(ITEMS // 2, ITEMS)
    means = [group_mean(estimate, items).mean for items in (first, second)]
    assert tell(estimate, first, second).mean == pytest.approx(means[0] - means[1])


def test_a_group_with_fewer_than_two_labels_says_that_it_lends(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people, predicted = people_and_predictions(rng)
    estimate = estimate_with(any_estimate, people, predicted, np.arange(40))
    lent = group_mean(estimate, np.arange(100, 200))
    own = group_mean(estimate, np.arange(100))
    assert isinstance(lent, PeopleMean)
    assert isinstance(own, PeopleMean)
    assert (lent.lent, lent.labelled) == (True, 0)
    assert (own.lent, own.labelled) == (False, 40)


def test_the_mean_of_a_single_labelled_item_is_its_label(any_estimate: PeopleEstimate) -> None:
    people = np.full(ITEMS, 2.0)
    estimate = estimate_with(any_estimate, people, np.full(ITEMS, 3.0), np.arange(40))
    estimate = replace(estimate, score=np.where(np.arange(ITEMS) < 40, 2.0, 3.0))
    assert group_mean(estimate, [7]).interval() == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize("tell", [difference, paired_difference])
def test_a_difference_from_a_lent_mean_is_that_of_the_means_beside_it(
    any_estimate: PeopleEstimate, rng: np.random.Generator, tell: Callable[..., GroupMean]
) -> None:
    people, predicted = people_and_predictions(rng)
    estimate = estimate_with(any_estimate, people, predicted, np.arange(40))
    first, second = np.arange(100), np.arange(100, 200)
    own, lent = group_mean(estimate, first), group_mean(estimate, second)
    found = tell(estimate, first, second)
    assert isinstance(found, PeopleMean)
    assert (found.lent, found.labelled) == (True, 40)
    assert found.mean == pytest.approx(own.mean - lent.mean)
    assert found.standard_error == pytest.approx(
        math.hypot(own.standard_error, lent.standard_error)
    )


def test_ten_labels_of_yes_do_not_prove_that_all_are(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people = np.full(ITEMS, 5.0)
    estimate = estimate_with(any_estimate, people, np.full(ITEMS, 4.0), np.arange(10))
    low, high = group_mean(estimate, np.arange(ITEMS)).interval(0.9)
    assert high == 5
    assert low < 5 - 4 * 0.2


def test_without_labels_means_are_the_panels(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", 60, rng)
    evidence = world.asked_once(rng)
    estimate = Panel().estimate(world.problem, evidence)
    assert group_mean(estimate, np.arange(60)) == panel_mean(estimate, np.arange(60))
    with pytest.raises(InputError, match="items are numbered"):
        group_mean(estimate, [60])


def test_means_hold_though_all_judges_are_biased_alike(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", ITEMS, rng)
    evidence = world.asked_once(rng)
    learned = learn(world.problem, evidence, guarding=Guarding.OFF)
    labels = world.labels(50, rng)
    estimate = people_estimate(world.with_labels(labels), evidence, learned=learned)
    plain = panel_mean(estimate.panel, np.arange(ITEMS))
    assert 1 + 4 * plain.interval(0.9)[0] > world.people.mean()
    low, high = people_mean(estimate).interval(0.999)
    assert low < world.people.mean() < high
