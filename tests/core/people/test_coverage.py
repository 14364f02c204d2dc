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

ITEMS, DRAWS = 260, 120
LEVEL = 0.9
NUMBERS = (20, 60, 200)
INEXACT = 0.01
"""What Student's law for few labels, and a conformal factor by leaving one out, may miss."""


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_means_differences_and_items_hold_at_their_level(
    kind: str, rng: np.random.Generator
) -> None:
    """Calls are adaptive; then many random sets of labels are drawn: that is what is promised.

    The promise is about which items are labelled, so the sets are independent though all are of
    the same items.
    """
    world = HumanWorld.of(kind, ITEMS, rng)
    evidence = world.evidence(world.labels(60, rng), 1.5, rng)
    learned = learn(world.problem, evidence, guarding=Guarding.OFF, draws=8)
    for number in NUMBERS:
        held: dict[str, list[float]] = {}
        for _ in range(DRAWS):
            labels = world.labels(number, rng)
            estimate = people_estimate(world.with_labels(labels), evidence, learned=learned)
            for name, share in shares_held(estimate, world.people).items():
                held.setdefault(name, []).append(share)
        for name, values in held.items():
            spread = np.std(values) if name == "items" else math.sqrt(LEVEL * (1 - LEVEL))
            # The rank of a conformal factor is rounded up, by at most one label.
            above = 1 / (number + 1) if name == "items" else 0.0
            error = 3 * spread / math.sqrt(DRAWS)
            assert LEVEL - INEXACT - error < np.mean(values) < LEVEL + above + error, (name, number)


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
