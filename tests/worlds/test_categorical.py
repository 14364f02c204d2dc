from __future__ import annotations

import numpy as np
import pytest

from adjudge.core.evidence import Allocation
from adjudge.errors import InputError
from adjudge.worlds import CategoricalWorld


def one_pair(probabilities: list[float], pairs: int = 1) -> CategoricalWorld:
    number = len(probabilities)
    return CategoricalWorld.of(
        values=np.linspace(0, 1, number),
        probabilities=np.broadcast_to(probabilities, (pairs, 1, number)),
        cost=[1],
    )


@pytest.mark.parametrize("number", [1, 8, 9])
def test_each_value_comes_as_often_as_its_probability_says(number: int) -> None:
    """One score or a handful, drawn one by one, and more, drawn by counts."""
    pairs, chance = 20_000, 0.3
    world = one_pair([1 - chance, chance], pairs)
    drawn = world.draw(Allocation(counts=np.full((pairs, 1), number)), np.random.default_rng(51))
    ones = np.bincount(np.rint(drawn.mean.ravel() * number).astype(int), minlength=number + 1)
    expected = pairs * np.array(
        [
            float(np.prod([(number - i) / (i + 1) for i in range(hits)]))
            * chance**hits
            * (1 - chance) ** (number - hits)
            for hits in range(number + 1)
        ]
    )
    assert (np.abs(ones - expected) <= 5 * np.sqrt(expected) + 1).all()


def test_a_value_of_probability_zero_is_never_drawn() -> None:
    world = one_pair([0.0, 0.1, 0.2, 0.7, 0.0, 0.0], 30_000)
    for number in (1, 3, 100):
        drawn = world.draw(
            Allocation(counts=np.full((30_000, 1), number)), np.random.default_rng(52)
        )
        assert drawn.mean.min() >= 0.2 - 1e-12
        assert drawn.mean.max() <= 0.6 + 1e-12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"probabilities": [[[0.5, 0.4]]]}, "probabilities: sum to 0.9 for item 0, judge 0"),
        ({"probabilities": [[[1.5, -0.5]]]}, "probabilities: -0.5 at"),
        ({"probabilities": [0.5, 0.5]}, r"shapes \(2,\) and \(2,\); give S values and \(K, J, S\)"),
        ({"values": [0, 1, 2]}, r"shapes \(3,\) and \(1, 1, 2\)"),
        ({"values": [0, 2]}, "values: 2.0; every score must lie in the score range, 0.0 to 1.0"),
    ],
)
def test_impossible_probabilities_are_refused(change: dict[str, object], message: str) -> None:
    good = {"values": [0, 1], "probabilities": [[[0.5, 0.5]]], "cost": [1]}
    with pytest.raises(InputError, match=message):
        CategoricalWorld.of(**{**good, **change})
