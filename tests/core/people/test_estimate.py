"""Scores on the people's scale: with few labels, with many, and with none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.core.people.human_worlds import SCALE, HumanWorld

from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.labels import Labels
from adjudge.core.panel import Guarding, PanelEstimate, Target, learn
from adjudge.core.people import PeopleEstimate, Stage, group_mean, people_estimate
from adjudge.core.strategies import Panel
from adjudge.simulate import play

ITEMS = 100


def rmse(estimate: PeopleEstimate, world: HumanWorld) -> float:
    rest = ~estimate.labels.is_labelled
    return float(np.sqrt(np.mean((estimate.score - world.people)[rest] ** 2)))


def test_without_labels_nothing_changes(rng: np.random.Generator) -> None:
    """Not a bit of the scores, of the calls, nor of the target."""
    world = HumanWorld.of("different slopes", 40, rng)
    found = []
    for labels, target in (
        (None, Target.PANEL),
        (None, Target.REFERENCE),
        (Labels.of([], [], items=40), Target.REFERENCE),
    ):
        seeded = np.random.default_rng(3)
        problem = world.with_labels(labels)
        found.append(play(Panel(target=target), problem, world.world, 60.0, rng=seeded))
    plain = found[0]
    for same in found[1:]:
        assert (plain.evidence.calls == same.evidence.calls).all()
        assert (plain.estimate.score == same.estimate.score).all()
        assert (plain.estimate.variance == same.estimate.variance).all()
        assert isinstance(same.estimate, PanelEstimate)
        assert same.estimate.target is Target.PANEL


def test_labels_are_not_looked_at_if_the_panels_score_is_wanted(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", 60, rng)
    evidence = world.asked_once(rng)
    plain = Panel().estimate(world.problem, evidence)
    labelled = Panel().estimate(world.with_labels(world.labels(30, rng)), evidence)
    assert (plain.score == labelled.score).all()


def test_labels_added_after_the_calls_move_the_scores(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", ITEMS, rng)
    evidence = world.asked_once(rng)
    problem = world.with_labels(world.labels(30, rng))
    estimate = Panel(target=Target.REFERENCE).estimate(problem, evidence)
    assert isinstance(estimate, PeopleEstimate)
    assert estimate.target is Target.REFERENCE
    assert estimate.score_range == SCALE
    # The judges are 0.2 of the scale too high, that is 0.8 of 4.
    assert estimate.anchor.level == pytest.approx(-0.8, abs=0.2)
    panel = 1 + 4 * estimate.panel.score
    rest = ~estimate.labels.is_labelled
    assert rmse(estimate, world) < 0.7 * np.sqrt(np.mean((panel - world.people)[rest] ** 2))


def test_any_number_of_labels_is_no_worse_than_the_panel_alone() -> None:
    """Where the panel has no bias, labels have nothing to mend: they may cost a little."""
    squares: dict[int, list[tuple[float, float]]] = {}
    for seed in range(2):
        rng = np.random.default_rng(seed)
        world = HumanWorld.of("no bias", ITEMS, rng)
        evidence = world.asked_once(rng)
        learned = learn(world.problem, evidence, draws=8)
        for number in (1, 5, 20, ITEMS - 20) * 10:
            labels = world.labels(number, rng)
            estimate = people_estimate(world.with_labels(labels), evidence, learned=learned)
            panel = 1 + 4 * estimate.panel.score[~labels.is_labelled]
            alone = np.mean((panel - world.people[~labels.is_labelled]) ** 2)
            squares.setdefault(number, []).append((rmse(estimate, world) ** 2, float(alone)))
    for number, found in squares.items():
        both, alone = np.mean(found, axis=0)
        assert both < 1.1 * alone, number
        if number == ITEMS - 20:
            assert both < 1.02 * alone


@pytest.mark.parametrize("kind", ["common bias", "useless judges"])
def test_means_with_any_number_of_labels_are_no_worse_than_labels_alone(kind: str) -> None:
    rng = np.random.default_rng(4)
    world = HumanWorld.of("common bias", ITEMS, rng)
    if kind == "useless judges":
        world = replace(world, people=rng.permutation(world.people))
    evidence = world.asked_once(rng)
    learned = learn(world.problem, evidence, draws=8)
    truth = float(world.people.mean())
    for number in (2, 5, 20, 50, ITEMS):
        squares = []
        for _ in range(1 if number == ITEMS else 60):
            labels = world.labels(number, rng)
            estimate = people_estimate(world.with_labels(labels), evidence, learned=learned)
            both = group_mean(estimate, np.arange(ITEMS)).mean
            squares.append(((both - truth) ** 2, (labels.value.mean() - truth) ** 2))
        both, alone = np.mean(squares, axis=0)
        assert both <= 1.15 * alone + 1e-12, number
        if kind == "common bias" and 5 <= number < ITEMS:
            assert both < 0.8 * alone, number


def test_an_items_own_label_settles_it(rng: np.random.Generator) -> None:
    world = HumanWorld.of("different slopes", 60, rng)
    labels = world.labels(20, rng)
    estimate = people_estimate(world.with_labels(labels), world.asked_once(rng))
    own = labels.labelled
    assert estimate.score[own] == pytest.approx(world.people[own])
    assert (estimate.interval().width[own] == 0).all()
    assert (estimate.predicted[own] != world.people[own]).all()


def test_raters_who_disagree_leave_an_item_open(rng: np.random.Generator) -> None:
    world = HumanWorld.of("different slopes", 60, rng)
    items = np.repeat(np.arange(30), 3)
    ratings = np.clip(world.people[items] + 0.5 * rng.standard_normal(90), *SCALE)
    labels = Labels.of(items, ratings, items=60, scale=SCALE, rater=np.tile(np.arange(3), 30))
    assert np.sqrt(labels.noise) == pytest.approx(0.5, abs=0.15)
    estimate = people_estimate(world.with_labels(labels), world.asked_once(rng))
    own = labels.labelled
    assert (estimate.interval().width[own] > 0).all()
    between = np.abs(estimate.score - estimate.predicted)[own]
    assert (between < np.abs(labels.mean - estimate.predicted)[own]).all()


def test_the_judge_against_people_gets_less_weight_and_fewer_calls(
    rng: np.random.Generator,
) -> None:
    world = HumanWorld.of("one judge against people", ITEMS, rng)
    labels = world.labels(60, rng)
    evidence = world.evidence(labels, 2.0, rng)
    asked = evidence.calls.sum(axis=0)
    assert asked[2] < asked[:2].min()
    calls, panels_own, weight = 0, 0, []
    for run in rng.spawn(4):
        world = HumanWorld.of("one judge against people", ITEMS, run)
        labels = world.labels(60, run)
        evidence = world.evidence(labels, 2.0, run)
        weights = people_estimate(world.with_labels(labels), evidence).anchor.weights
        assert weights.sum() == pytest.approx(1)
        weight.append(weights[2])
        calls += evidence.calls[:, 2].sum()
        panels_own += world.evidence(None, 2.0, run).calls[:, 2].sum()
    assert calls < 0.8 * panels_own
    # A third would be the weight of a judge like the others.
    assert np.mean(weight) < 0.28


def test_labels_overrule_the_guard(rng: np.random.Generator) -> None:
    """The judge that two others leave alone is the one that people agree with."""
    world = HumanWorld.of("one judge against people", ITEMS, rng)
    # People are turned round: now the third judge is right and the other two are wrong.
    people = replace(world, people=6 - world.people)
    evidence = world.asked_once(rng)
    learned = learn(world.problem, evidence, guarding=Guarding.ON)
    assert learned.guard.off.tolist() == [False, False, True]
    problem = people.with_labels(people.labels(60, rng))
    estimate = people_estimate(problem, evidence, guarding=Guarding.ON)
    assert estimate.anchor.weights[2] > 0.8
    assert estimate.anchor.stage is Stage.WEIGHTS
    assert rmse(estimate, people) < 0.85 * people.people.std()


def test_before_the_first_call_the_labels_tell_the_level(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", ITEMS, rng)
    problem = world.with_labels(world.labels(40, rng))
    estimate = people_estimate(problem, Evidence.none(problem))
    rest = ~estimate.labels.is_labelled
    assert estimate.score[rest] == pytest.approx(world.people.mean(), abs=0.3)
    # Four standard errors, of 40 labels and 60 items.
    assert estimate.interval(0.9).covers(world.people)[rest].mean() > 0.65


def test_one_label_is_not_said_to_fix_a_slope(rng: np.random.Generator) -> None:
    world = HumanWorld.of("common bias", 60, rng)
    estimate = people_estimate(world.with_labels(world.labels(1, rng)), world.asked_once(rng))
    assert estimate.anchor.stage in {Stage.NOTHING, Stage.LEVEL}


def test_a_single_call_and_labels_of_all_items_make_sound_scores(rng: np.random.Generator) -> None:
    """What is believed of the judges is then far off the scale."""
    world = HumanWorld.of("common bias", 10, rng)
    counts = np.zeros((10, 3), np.int64)
    counts[5, 0] = 1
    batch = Allocation(counts=counts)
    evidence = Evidence.none(world.problem).plus(batch, world.world.draw(batch, rng))
    for number in (1, 9, 10):
        labels = world.labels(number, rng)
        estimate = people_estimate(world.with_labels(labels), evidence)
        assert np.isfinite(estimate.score).all()
        assert estimate.score[labels.labelled] == pytest.approx(world.people[labels.labelled])


def test_the_unit_of_the_labels_does_not_matter(rng: np.random.Generator) -> None:
    world = HumanWorld.of("different slopes", 60, rng)
    labels = world.labels(20, rng)
    evidence = world.asked_once(rng)
    percent = replace(labels, value=25 * (labels.value - 1), scale=(0.0, 100.0))
    first = people_estimate(world.with_labels(labels), evidence)
    second = people_estimate(world.with_labels(percent), evidence)
    assert second.score == pytest.approx(25 * (first.score - 1))
    assert second.interval().width == pytest.approx(25 * first.interval().width)
