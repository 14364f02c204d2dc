"""Which items to label next, what that costs, and what judges are worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.core.people.human_worlds import HumanWorld

from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel import Target, learn
from adjudge.core.people import (
    PeopleEstimate,
    budget_for_width,
    divide,
    forecast,
    group_mean,
    next_labels,
    people_estimate,
    worth_of_judges,
)
from adjudge.core.people.calls import PlannedCalls
from adjudge.core.strategies import Panel
from adjudge.errors import InputError

ITEMS = 100


@pytest.fixture(scope="module")
def world() -> HumanWorld:
    return HumanWorld.of("different slopes", ITEMS, np.random.default_rng(8))


@pytest.fixture(scope="module")
def evidence(world: HumanWorld) -> Evidence:
    return world.evidence(None, 1.5, np.random.default_rng(9))


@pytest.fixture(scope="module")
def estimate(world: HumanWorld, evidence: Evidence) -> PeopleEstimate:
    labels = world.labels(30, np.random.default_rng(10))
    return people_estimate(world.with_labels(labels), evidence)


def test_every_item_may_be_drawn_and_none_twice(
    estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    free = ~estimate.labels.is_labelled
    choice = next_labels(estimate, 20, rng)
    assert np.unique(choice.items).size == 20
    assert free[choice.items].all()
    assert (choice.probability > 0).all()
    assert (choice.probability <= 1).all()
    assert choice.probability[free].sum() == pytest.approx(20)
    worth = choice.probability[choice.items]
    assert (np.diff(worth) <= 0).all()


def test_items_are_drawn_as_often_as_their_probability_says(
    estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    """With worths that differ tenfold, some of them sure to be drawn."""
    unequal = replace(estimate, predicted_variance=np.geomspace(0.01, 1, ITEMS) ** 2)
    runs = 500
    times = np.zeros(ITEMS)
    for _ in range(runs):
        choice = next_labels(unequal, 40, rng)
        times[choice.items] += 1
    free = ~estimate.labels.is_labelled
    expected = choice.probability[free]
    error = np.sqrt(expected * (1 - expected) / runs)
    assert (expected == 1).any()
    assert (np.abs(times[free] / runs - expected) <= 4.5 * error + 1e-9).all()


def test_means_of_labels_drawn_in_two_rounds_are_right(
    world: HumanWorld, evidence: Evidence, rng: np.random.Generator
) -> None:
    """First at random, then by worth: with both probabilities known there is no bias."""
    errors, held = [], []
    learned = learn(world.problem, evidence, draws=8)
    for _ in range(40):
        first = world.labels(20, rng)
        before = people_estimate(world.with_labels(first), evidence, learned=learned)
        unequal = replace(before, predicted_variance=world.people**4)
        choice = next_labels(unequal, 20, rng)
        items = np.concatenate([first.item, choice.items])
        labels = replace(
            first,
            item=items,
            rater=np.zeros_like(items),
            value=world.people[items],
            inclusion=choice.inclusion_after(np.full(ITEMS, 20 / ITEMS)),
        )
        after = replace(before, labels=labels)
        found = group_mean(after, np.arange(ITEMS))
        errors.append(found.mean - world.people.mean())
        low, high = found.interval(0.9)
        held.append(low <= world.people.mean() <= high)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / np.sqrt(len(errors))
    assert np.mean(held) > 0.9 - 4 * np.sqrt(0.09 / len(held))


def test_more_labels_than_items_are_all_items(
    estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    choice = next_labels(estimate, 500, rng)
    assert np.sort(choice.items).tolist() == np.flatnonzero(~estimate.labels.is_labelled).tolist()
    assert (choice.inclusion_after() == 1).all()
    with pytest.raises(InputError, match="at least one label"):
        next_labels(estimate, 0, rng)


def test_before_any_label_items_in_doubt_are_preferred(
    world: HumanWorld, rng: np.random.Generator
) -> None:
    plain = Panel().estimate(world.problem, world.evidence(None, 0.5, rng))
    choice = next_labels(plain, 10, rng)  # type: ignore[arg-type]
    order = np.argsort(plain.variance)
    assert choice.probability[order[-1]] > choice.probability[order[0]]


def test_dear_labels_leave_the_money_to_calls_and_cheap_ones_take_it(
    world: HumanWorld, evidence: Evidence
) -> None:
    problem = world.with_labels(world.labels(30, np.random.default_rng(10)))
    cheap = divide(problem, evidence, 100.0, 1.0)
    dear = divide(problem, evidence, 100.0, 40.0)
    best_cheap = next(found for found in cheap if found.best_for_items)
    best_dear = next(found for found in dear if found.best_for_items)
    assert best_cheap.labels > 40
    assert best_dear.labels <= 1
    for found in (*cheap, *dear):
        assert found.label_money + found.call_money == pytest.approx(100)
        assert found.mean_error <= found.item_error
    assert divide(problem, evidence, 5.0, 10.0)[0].labels == 0


def test_without_labels_the_bias_is_what_a_first_label_buys(world: HumanWorld) -> None:
    found = divide(world.problem, Evidence.none(world.problem), 200.0, 5.0)
    assert found[0].labels == 0
    assert found[0].mean_error > 0.1
    assert next(one for one in found if one.best_for_mean).labels >= 20
    with pytest.raises(InputError, match="label price"):
        divide(world.problem, Evidence.none(world.problem), 200.0, 0.0)


def test_a_judge_against_people_is_worth_less(rng: np.random.Generator) -> None:
    world = HumanWorld.of("one judge against people", ITEMS, rng)
    problem = world.with_labels(world.labels(80, rng))
    found = worth_of_judges(problem, world.asked_once(rng))
    assert found[2].share < 0.2
    assert min(found[0].explained, found[1].explained) > 0.3
    assert found[0].explained_per_money == pytest.approx(found[0].explained, rel=0.05)
    assert min(found[0].correlation, found[1].correlation) > 0.6
    assert found[2].correlation < 0


def test_forecasts_are_in_units_of_the_labels(world: HumanWorld, evidence: Evidence) -> None:
    problem = world.with_labels(world.labels(40, np.random.default_rng(3)))
    spent = evidence.cost(problem)
    now, more = forecast(problem, [spent, 10 * spent], evidence=evidence, target=Target.REFERENCE)
    own = people_estimate(problem, evidence).interval().width.mean()
    assert now.mean_width == pytest.approx(own, rel=0.3)
    assert more.mean_width < now.mean_width
    wanted = (now.mean_width + more.mean_width) / 2
    budget = budget_for_width(problem, wanted, evidence=evidence, target=Target.REFERENCE)
    assert spent < budget < 10 * spent
    with pytest.raises(InputError, match="more labels may help"):
        budget_for_width(problem, 0.01, evidence=evidence, target=Target.REFERENCE)
    assert forecast(world.problem, [spent], target=Target.REFERENCE) == forecast(
        world.problem, [spent]
    )


def test_forecasts_plan_no_calls_of_a_judge_that_always_says_the_same(
    world: HumanWorld, evidence: Evidence
) -> None:
    """Though it costs a hundredth of the others, and nothing else could be paid."""
    problem = replace(
        world.with_labels(world.labels(30, np.random.default_rng(10))),
        price_per_call=np.broadcast_to([1.0, 1.0, 0.01], (ITEMS, 3)),
    )
    pooled = evidence.pooled
    said = np.array([False, False, True])
    same = Moments(
        n=np.where(said, 2, pooled.n),
        mean=np.where(said, 0.7, pooled.mean),
        m2=np.where(said, 0.0, pooled.m2),
    )
    seen = Evidence.none(problem).plus(Allocation(counts=same.n), same)
    spent = seen.cost(problem)
    now, more = forecast(problem, [spent, spent + 0.9], evidence=seen, target=Target.REFERENCE)
    assert more.calls == now.calls
    calls = PlannedCalls.of(problem, seen)
    assert calls.left_open(0.9)[1] == 0
    assert calls.left_open(50.0)[1] > 0
