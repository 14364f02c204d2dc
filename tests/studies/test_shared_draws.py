from __future__ import annotations

import math

import numpy as np

from adjudge.core.evidence import Allocation, Phase
from adjudge.core.strategies import RobinHood, Uniform
from adjudge.simulate import play
from adjudge.studies.shared_draws import SharedPilots, grown
from adjudge.worlds import FAMILIES


def pilot(size: int, shape: tuple[int, int]) -> Allocation:
    return Allocation(counts=np.full(shape, size), phase=Phase.PILOT)


def test_a_pilot_is_drawn_once_for_each_size_and_extends_the_smaller_one(
    rng: np.random.Generator,
) -> None:
    world = FAMILIES["paper"](6, 3, rng)
    shared = SharedPilots(world, np.random.default_rng(1))
    shared.prepare([40, 10])
    small, large = shared.draw(pilot(10, (6, 3)), rng), shared.draw(pilot(40, (6, 3)), rng)
    again = shared.draw(pilot(10, (6, 3)), rng)
    np.testing.assert_array_equal(small.mean, again.mean)
    assert (large.n == 40).all()
    # Ten of the forty scores are the small pilot's: the other thirty must be possible ones.
    rest = (40 * large.mean - 10 * small.mean) / 30
    assert ((rest >= 0) & (rest <= 1)).all()


def test_batches_that_are_no_pilot_are_drawn_anew(rng: np.random.Generator) -> None:
    shared = SharedPilots(FAMILIES["paper"](6, 3, rng), np.random.default_rng(1))
    batch = Allocation(counts=np.full((6, 3), 10))
    first, second = shared.draw(batch, rng), shared.draw(batch, rng)
    assert not np.array_equal(first.mean, second.mean)


def test_shared_pilots_have_the_law_of_fresh_ones(rng: np.random.Generator) -> None:
    world = FAMILIES["paper"](40, 5, rng)
    sums = []
    for seed in range(60):
        shared = SharedPilots(world, np.random.default_rng(seed))
        shared.prepare([20, 50])
        sums.append(shared.draw(pilot(50, (40, 5)), rng).variance.mean())
    expected = world.instance.variance.mean()
    assert abs(np.mean(sums) - expected) < 4 * np.std(sums, ddof=1) / math.sqrt(len(sums))


def test_growing_a_run_leaves_the_law_of_its_error_as_it_is(rng: np.random.Generator) -> None:
    world = FAMILIES["paper"](20, 3, rng)
    problem = world.instance.problem()
    truth = world.instance.truth

    def errors(grow: bool) -> np.ndarray:
        found = []
        for seed in range(80):
            own = np.random.default_rng([seed, grow])
            if grow:
                *_, (_, evidence) = grown(
                    Uniform(), problem, world, [100.0, 300.0, 900.0], rng=own, anew_beyond=math.inf
                )
            else:
                evidence = play(Uniform(), problem, world, 900.0, rng=own).evidence
            found.append(np.linalg.norm(Uniform().estimate(problem, evidence).score - truth))
        return np.array(found)

    one, other = errors(True), errors(False)
    spread = math.hypot(one.std(ddof=1), other.std(ddof=1)) / math.sqrt(80)
    assert abs(one.mean() - other.mean()) < 4 * spread


def test_a_grown_run_never_spends_more_than_each_budget(rng: np.random.Generator) -> None:
    world = FAMILIES["paper"](20, 1, rng)
    problem = world.instance.problem(norm=np.inf)
    budgets = [50.0, 200.0, 5000.0]
    strategy = RobinHood(judge=0)
    at_each = list(grown(strategy, problem, world, budgets, rng=rng, anew_beyond=math.inf))
    for budget, evidence in at_each:
        assert evidence.cost(problem) <= budget * (1 + 1e-9)
    calls = [evidence.calls.sum() for _, evidence in at_each]
    assert calls == sorted(calls)


def test_a_run_beyond_the_limit_begins_anew(rng: np.random.Generator) -> None:
    world = FAMILIES["paper"](5, 2, rng)
    problem = world.instance.problem()
    at_each = list(grown(Uniform(), problem, world, [100.0, 1000.0], rng=rng, anew_beyond=500.0))
    small, large = (evidence.pooled for _, evidence in at_each)
    rest = (large.n * large.mean - small.n * small.mean) / (large.n - small.n)
    assert large.n.min() > small.n.max()
    assert np.isfinite(rest).all()
