"""The contract that every world keeps."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.core.evidence import Allocation, Evidence
from adjudge.errors import InputError
from adjudge.worlds import FailingWorld, GaussianWorld, Instance, World
from adjudge.worlds.beta import EXACT_CALLS

STANDARD_ERRORS = 5


def calls(world: World, number: int) -> Allocation:
    """The same number of calls of every pair that exists."""
    return Allocation(counts=np.where(world.instance.mask, number, 0))


def within_standard_errors(deviation: np.ndarray) -> bool:
    """Whether independent values have mean zero, by their own standard error."""
    error = deviation.std(ddof=1) / np.sqrt(deviation.size)
    return abs(deviation.mean()) <= STANDARD_ERRORS * error + 1e-12


@pytest.mark.parametrize("number", [2, 12, EXACT_CALLS // 8, 100 * EXACT_CALLS])
def test_a_draw_has_the_means_and_variances_it_promises(world: World, number: int) -> None:
    rng = np.random.default_rng(1)
    noisy = world.instance.mask & (world.instance.variance > 0)
    if not noisy.any():
        return
    mean, variance = world.instance.mean[noisy], world.instance.variance[noisy]
    scaled_mean, scaled_m2 = [], []
    for _ in range(20):
        drawn = world.draw(calls(world, number), rng)
        n = drawn.n[noisy]
        seen = n > 1
        scaled_mean.append(((drawn.mean[noisy] - mean) * np.sqrt(n / variance))[seen])
        scaled_m2.append((drawn.m2[noisy][seen]) / (variance * (n - 1))[seen])
    deviation = np.concatenate(scaled_mean)
    assert within_standard_errors(deviation)
    assert within_standard_errors(deviation**2 - 1)
    assert within_standard_errors(np.concatenate(scaled_m2) - 1)


def test_many_calls_tell_the_mean_and_the_variance_of_each_pair(world: World) -> None:
    drawn = world.draw(calls(world, 10**8), np.random.default_rng(2))
    exists = world.instance.mask
    error = 6 * np.sqrt(world.instance.variance / 10**7.5) + 1e-12
    assert (np.abs(drawn.mean - world.instance.mean) <= error)[exists].all()
    np.testing.assert_allclose(drawn.variance[exists], world.instance.variance[exists], rtol=0.02)


def test_every_call_gives_a_score_where_nothing_fails(world: World) -> None:
    batch = calls(world, 3)
    drawn = world.draw(batch, np.random.default_rng(3))
    if isinstance(world, FailingWorld):
        always = world.rate == 0
        assert (drawn.n <= batch.counts).all()
        assert (drawn.n[:, always] == batch.counts[:, always]).all()
    else:
        assert (drawn.n == batch.counts).all()
    assert Evidence.none(world.instance.problem()).plus(batch, drawn).calls.sum() == batch.calls


def test_pairs_that_are_not_asked_stay_empty(world: World) -> None:
    counts = np.where(
        world.instance.mask,
        np.arange(world.instance.mean.size).reshape(world.instance.mean.shape) % 3,
        0,
    )
    drawn = world.draw(Allocation(counts=counts), np.random.default_rng(4))
    for field in (drawn.n, drawn.mean, drawn.m2):
        assert (field[counts == 0] == 0).all()
    nothing = world.draw(Allocation.nothing(world.instance.problem()), np.random.default_rng(4))
    assert nothing.n.sum() == 0


def test_the_same_seed_gives_the_same_draw(world: World) -> None:
    one, other = (world.draw(calls(world, 20), np.random.default_rng(5)) for _ in range(2))
    for field in ("n", "mean", "m2"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@pytest.mark.parametrize("number", [1, 2, 50, 10 * EXACT_CALLS])
def test_scores_stay_inside_the_range(world: World, number: int) -> None:
    drawn = world.draw(calls(world, number), np.random.default_rng(6))
    assert (drawn.m2 >= 0).all()
    assert (drawn.m2[drawn.n < 2] == 0).all()
    if isinstance(world, GaussianWorld):
        return
    low, high = world.instance.score_range
    seen = drawn.n > 0
    assert ((drawn.mean >= low) & (drawn.mean <= high))[seen].all()
    largest = drawn.n * (drawn.mean - low) * (high - drawn.mean)
    assert (drawn.m2 <= 1.05 * largest + 1e-9)[seen].all()


def test_a_draw_costs_no_more_for_a_million_million_calls(world: World) -> None:
    drawn = world.draw(calls(world, 10**12), np.random.default_rng(7))
    assert drawn.n.max() == 10**12


def test_a_constant_pair_always_gives_its_mean(world: World) -> None:
    drawn = world.draw(calls(world, 9), np.random.default_rng(8))
    constant = world.instance.mask & (world.instance.variance == 0)
    np.testing.assert_allclose(drawn.mean[constant], world.instance.mean[constant], rtol=1e-12)
    assert (drawn.m2[constant] <= 1e-20).all()


def test_a_world_states_its_truth_and_its_problem(world: World) -> None:
    problem = world.instance.problem(norm=1, confidence=0.9)
    assert (problem.norm, problem.confidence) == (1.0, 0.9)
    assert (
        problem.price_per_call.shape
        == world.instance.mean.shape
        == world.instance.variance.shape
        == world.instance.mask.shape
    )
    assert problem.score_range == world.instance.score_range
    assert world.instance.truth.shape == (problem.items,)
    assert (
        (world.instance.truth >= world.instance.score_range[0])
        & (world.instance.truth <= world.instance.score_range[1])
    ).all()
    assert len(set(world.instance.judge_names)) == problem.judges


def test_a_batch_of_another_shape_or_a_missing_pair_is_refused() -> None:
    instance = Instance.of(
        mean=[[0.5, 0.5]],
        variance=[[0.1, 0.1]],
        price_per_call=[1, 1],
        mask=[[True, False]],
        judge_names=["ann", "bob"],
    )
    world = GaussianWorld(instance=instance)
    rng = np.random.default_rng(9)
    with pytest.raises(InputError, match=r"counts: shape \(1, 3\); the shape must be \(1, 2\)"):
        world.draw(Allocation(counts=np.ones((1, 3), np.int64)), rng)
    with pytest.raises(InputError, match="item 0 asks bob, which never scored it"):
        world.draw(Allocation(counts=np.ones((1, 2), np.int64)), rng)
    with pytest.raises(InputError, match="counts: -1; every count must be zero or more"):
        world.draw(Allocation(counts=np.array([[-1, 0]])), rng)
