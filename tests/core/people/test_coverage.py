"""Intervals hold what people say, under adaptive calls, for judges that are wrong in many ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.core.people.human_worlds import KINDS, HumanWorld

from adjudge.core.arrays import FloatArray
from adjudge.core.panel import Guarding, learn
from adjudge.core.people import (
    PeopleEstimate,
    difference,
    group_mean,
    paired_difference,
    people_estimate,
)

ITEMS, DRAWS = 100, 40
LEVEL = 0.9
NUMBERS = (20, 60)


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_means_differences_and_items_hold_at_their_level(
    kind: str, rng: np.random.Generator
) -> None:
    """Calls are adaptive; then many random sets of labels are drawn: that is what is promised."""
    held: dict[tuple[str, int], list[float]] = {}
    for planned_with in NUMBERS:
        world = HumanWorld.of(kind, ITEMS, rng)
        evidence = world.evidence(world.labels(planned_with, rng), 1.5, rng)
        learned = learn(world.problem, evidence, guarding=Guarding.OFF, draws=8)
        for number in NUMBERS * DRAWS:
            labels = world.labels(number, rng)
            estimate = people_estimate(world.with_labels(labels), evidence, learned=learned)
            for name, share in shares_held(estimate, world.people).items():
                held.setdefault((name, number), []).append(share)
    # Sets of labels share their items: half of them count as independent.
    error = math.sqrt(LEVEL * (1 - LEVEL) / DRAWS)
    for quantity, values in held.items():
        assert len(values) == 2 * DRAWS
        assert abs(np.mean(values) - LEVEL) < 3 * error, (quantity, np.mean(values))


def shares_held(estimate: PeopleEstimate, truth: FloatArray) -> dict[str, float]:
    """Whether the interval of each quantity holds; of items, how many."""
    first = np.arange(ITEMS) < ITEMS // 2
    apart = float(truth[first].mean() - truth[~first].mean())
    found = {
        "mean": (group_mean(estimate, np.arange(ITEMS)), float(truth.mean())),
        "difference": (difference(estimate, first, ~first), apart),
        "pairs": (paired_difference(estimate, first, ~first), apart),
    }
    shares = {}
    for name, (one, value) in found.items():
        low, high = one.interval(LEVEL)
        shares[name] = float(low <= value <= high)
    covers = estimate.interval(LEVEL).covers(truth)
    return {**shares, "items": float(covers[~estimate.labels.is_labelled].mean())}
