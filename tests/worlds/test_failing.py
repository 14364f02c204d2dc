from __future__ import annotations

import numpy as np
import pytest

from adjudge.core.evidence import Allocation
from adjudge.errors import InputError
from adjudge.worlds import FailingWorld, GaussianWorld, Instance, World


def panel() -> World:
    shape = (500, 3)
    return GaussianWorld(
        instance=Instance.of(
            mean=np.full(shape, 0.5),
            variance=np.full(shape, 0.01),
            price_per_call=[1, 2, 3],
            judge_names=["a", "b", "c"],
        )
    )


@pytest.mark.parametrize("number", [1, 7, 10**9])
def test_a_judge_fails_as_often_as_its_rate_says(number: int) -> None:
    rate = np.array([0, 0.4, 0.9])
    world = FailingWorld.of(panel(), rate)
    counts = np.full((500, 3), number)
    answered = world.draw(Allocation(counts=counts), np.random.default_rng(61)).n.sum(axis=0)
    asked = counts.sum(axis=0)
    error = 5 * np.sqrt(asked * rate * (1 - rate))
    assert (np.abs(answered - asked * (1 - rate)) <= error).all()


def test_failures_change_neither_prices_nor_truth() -> None:
    sound = panel()
    world = FailingWorld.of(sound, [0.1, 0.2, 0.3])
    np.testing.assert_array_equal(world.instance.price_per_call, sound.instance.price_per_call)
    np.testing.assert_array_equal(world.instance.truth, sound.instance.truth)
    assert world.instance.judge_names == ("a", "b", "c")


@pytest.mark.parametrize(
    ("rate", "message"),
    [
        ([0, 1, 0], "rate: 1.0 of b; a failure rate must be 0 or more and below 1"),
        ([0, 0, -0.1], "rate: -0.1 of c"),
        ([np.nan, 0, 0], "rate: nan of a"),
        ([0.1], r"rate: shape \(1,\); the shape must be \(3,\)"),
    ],
)
def test_an_impossible_rate_is_refused(rate: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        FailingWorld.of(panel(), rate)
