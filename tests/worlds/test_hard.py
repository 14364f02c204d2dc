from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, digamma

from adjudge.errors import InputError
from adjudge.worlds import BetaWorld, hard_world

C1, C2 = 71485 / 3528, 10880 / 441


def alpha_and_beta(world: BetaWorld) -> tuple[np.ndarray, np.ndarray]:
    width = world.high - world.low
    mean, variance = (world.instance.mean - world.low) / width, world.instance.variance / width**2
    total = mean * (1 - mean) / variance - 1
    return mean * total, (1 - mean) * total


def divergence(one: BetaWorld, other: BetaWorld) -> np.ndarray:
    """KL divergence between the laws of each pair, which share their support."""
    a, b = alpha_and_beta(one)
    c, d = alpha_and_beta(other)
    return (
        betaln(c, d) - betaln(a, b)
        + (a - c) * digamma(a) + (b - d) * digamma(b) + (c - a + d - b) * digamma(a + b)
    )  # fmt: skip


@given(
    score=st.floats(0.02, 0.98),
    shift=st.floats(-1, 1),
    variance=st.floats(1e-3, 1),
    width=st.sampled_from([1.0, 4.0]),
)
def test_shifted_worlds_keep_the_divergences_of_proposition_c1(
    score: float, shift: float, variance: float, width: float
) -> None:
    center = np.array([score * width])
    radius = np.minimum(center, width - center)
    moved, noise = shift * radius / 4, variance * radius[:, np.newaxis] ** 2 / 2
    up, still, down = (
        hard_world(score=center, shift=s, variance=noise, cost=[1], score_range=(0, width))
        for s in (moved, 0 * moved, -moved)
    )
    np.testing.assert_allclose(up.instance.mean[:, 0], center + moved, rtol=1e-12)
    np.testing.assert_array_equal(up.instance.variance, noise)
    np.testing.assert_array_equal(up.low, still.low)
    assert (up.low >= 0).all()
    assert (up.high <= width).all()
    scale = moved**2 / noise[:, 0]
    rounding = 1e-8
    assert divergence(up, still)[0, 0] <= C1 * scale[0] + rounding
    assert divergence(up, down)[0, 0] <= C2 * scale[0] + rounding


def test_the_truth_of_a_shifted_world_is_the_shifted_score() -> None:
    world = hard_world(score=[0.5, 0.3], shift=[0.1, -0.05], variance=[0.01, 0.02], cost=[1, 2])
    np.testing.assert_allclose(world.instance.truth, [0.6, 0.25])
    np.testing.assert_allclose(world.high[:, 0], [1.0, 0.6])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"shift": [0.0, 0.08]},
            r"shift: 0.08 at \[1, 0\] and 1 more; it must be at most R_k/4 = 0.075",
        ),
        ({"shift": [-0.13, 0.0]}, r"shift: -0.13 at \[0, 0\]"),
        (
            {"variance": [0.01, 0.05]},
            r"variance: 0.05 at \[1, 1\]; it must be at most R_k\^2/2 = 0.045",
        ),
        ({"score": [0.5, 1.0]}, "score: 1 of item 1; it must lie inside 0"),
        ({"score": [[0.5], [0.3]]}, r"score: shape \(2, 1\); give one score per item"),
        ({"shift": [0.0]}, r"shift: shape \(1,\)"),
    ],
)
def test_a_construction_that_the_proposition_does_not_cover_is_refused(
    change: dict[str, object], message: str
) -> None:
    good = {"score": [0.5, 0.3], "shift": [0.1, 0.0], "variance": [0.01, 0.02], "cost": [1, 1]}
    with pytest.raises(InputError, match=message):
        hard_world(**{**good, **change})
