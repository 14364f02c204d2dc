"""Factors of item intervals: right on average, however the labelled items were drawn."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtrit
from tests.core.people.human_worlds import SCALE, HumanWorld

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Evidence
from adjudge.core.labels import Labels
from adjudge.core.people import PeopleEstimate, people_estimate

ITEMS = 400


@pytest.fixture(scope="module")
def any_estimate() -> PeopleEstimate:
    """Whose labels the tests replace."""
    rng = np.random.default_rng(5)
    world = HumanWorld.of("common bias", ITEMS, rng)
    found = people_estimate(world.with_labels(world.labels(50, rng)), Evidence.none(world.problem))
    return replace(
        found,
        score=np.full(ITEMS, 3.0),
        predicted=np.full(ITEMS, 3.0),
        variance=np.full(ITEMS, 0.01),
        predicted_variance=np.full(ITEMS, 0.01),
    )


def with_labels(
    like: PeopleEstimate, people: FloatArray, items: IntArray, inclusion: FloatArray | None = None
) -> PeopleEstimate:
    labels = Labels.of(items, people[items], items=ITEMS, scale=SCALE, inclusion=inclusion)
    return replace(like, labels=labels)


def test_a_random_sample_has_the_factor_of_its_rank(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people = np.clip(3 + 0.1 * rng.standard_normal(ITEMS), *SCALE)
    items = rng.permutation(ITEMS)[:29]
    ratios = np.sort(np.abs(people[items] - 3) / 0.1)
    found = with_labels(any_estimate, people, items)
    assert found.conformal_factor(0.9) == pytest.approx(np.full(ITEMS, ratios[26]))
    equal = with_labels(any_estimate, people, items, np.full(ITEMS, 29 / ITEMS))
    assert equal.conformal_factor(0.9) == pytest.approx(found.conformal_factor(0.9))


def test_too_few_labels_have_students_factor_or_the_largest_ratio(
    any_estimate: PeopleEstimate,
) -> None:
    people = np.full(ITEMS, 3.0)
    people[2] = 3.5
    student = float(stdtrit(5, 0.95))
    quiet = with_labels(any_estimate, people, np.array([0, 1, 3]))
    assert quiet.conformal_factor(0.9) == pytest.approx(np.full(ITEMS, student))
    loud = with_labels(any_estimate, people, np.array([0, 1, 2]))
    assert loud.conformal_factor(0.9) == pytest.approx(np.full(ITEMS, 5.0))


def test_items_that_could_not_be_drawn_are_not_taken_for_the_labelled_ones(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    people = np.clip(3 + 0.1 * rng.standard_normal(ITEMS), *SCALE)
    chance = np.where(np.arange(ITEMS) < 100, 0.5, 0.0)
    found = with_labels(any_estimate, people, np.arange(50), chance).conformal_factor(0.9)
    assert (found[100:] >= np.abs(people[:50] - 3).max() / 0.1).all()
    assert found[0] < found[100]


def test_intervals_hold_where_hard_items_were_labelled_less_often(
    any_estimate: PeopleEstimate, rng: np.random.Generator
) -> None:
    """Half of the items stray three times as far as is believed, and few of these are labelled."""
    weighted, plain = [], []
    chance = np.where(np.arange(ITEMS) < ITEMS // 2, 0.4, 0.1)
    spread = np.where(np.arange(ITEMS) < ITEMS // 2, 0.1, 0.3)
    for _ in range(200):
        people = np.clip(3 + spread * rng.standard_normal(ITEMS), *SCALE)
        items = np.flatnonzero(rng.random(ITEMS) < chance)
        for held, inclusion in ((weighted, chance), (plain, None)):
            found = with_labels(any_estimate, people, items, inclusion)
            rest = ~found.labels.is_labelled
            held.append(float(found.interval(0.9).covers(people)[rest].mean()))
    # The rank is rounded up: an item of the largest weight, 9 of about 300, may be counted more.
    error = np.std(weighted) / math.sqrt(len(weighted))
    assert 0.9 - 3 * error < np.mean(weighted) < 0.93 + 3 * error
    assert np.mean(plain) < 0.86
