"""What each strategy promises beyond the contract."""

import math

import numpy as np
import pytest

from adjudge.core.allocation import optimal_value
from adjudge.core.bounds import est_ivwe_gaussian_upper, gaussian_moment_lower
from adjudge.core.evidence import Evidence, Phase
from adjudge.core.problem import Problem
from adjudge.core.strategies import (
    Cyclic,
    EstIvwe,
    Oracle,
    Robin,
    RobinHood,
    SingleJudge,
    Uniform,
    cheapest_judge,
)
from adjudge.core.strategies.pilot import PilotRule
from adjudge.core.strategies.single import judge_of_each_item
from adjudge.errors import BudgetError, InputError
from adjudge.simulate import play
from adjudge.worlds import BetaWorld, GaussianWorld, Instance


def first_batch(strategy: object, problem: Problem, budget: float, seed: int = 0) -> np.ndarray:
    nothing = Evidence.none(problem)
    rng = np.random.default_rng(seed)
    counts: np.ndarray = strategy.next_batch(problem, nothing, budget, rng).counts  # type: ignore[attr-defined]
    return counts


def test_uniform_asks_every_pair_equally_often() -> None:
    problem = Problem.of([1.0, 3.0], items=5)
    assert (first_batch(Uniform(), problem, 60.0) == 3).all()


def test_uniform_spends_the_rest_on_random_pairs_once_each() -> None:
    problem = Problem.of([1.0] * 4, items=50)
    counts = first_batch(Uniform(), problem, 299.0)
    assert set(np.unique(counts)) == {1, 2}
    assert counts.sum() == 299
    assert not np.array_equal(counts, first_batch(Uniform(), problem, 299.0, seed=1))


def test_uniform_with_less_than_one_call_per_pair_asks_random_pairs() -> None:
    problem = Problem.of([1.0] * 5, items=100)
    counts = first_batch(Uniform(), problem, 100.0)
    assert counts.sum() == 100
    assert counts.max() == 1


def test_uniform_by_inverse_variance_trusts_the_steadier_judge() -> None:
    problem = Problem.of([1.0, 1.0], items=1)
    batch = first_batch(Uniform(), problem, 20.0)
    assert batch.tolist() == [[10, 10]]
    from adjudge.core.evidence import Allocation, Moments

    seen = Moments(n=batch, mean=np.array([[0.2, 0.8]]), m2=np.array([[0.9, 0.1]]))
    evidence = Evidence.none(problem).plus(Allocation(counts=batch), seen)
    assert Uniform().estimate(problem, evidence).score[0] == pytest.approx(0.5)
    weighted = Uniform(by_inverse_variance=True).estimate(problem, evidence).score[0]
    assert weighted == pytest.approx(0.1 * 0.2 + 0.9 * 0.8)


def test_cyclic_asks_every_item_once_per_pass_and_rotates_the_judges() -> None:
    problem = Problem.of([1.0, 1.0, 1.0], items=6)
    one = first_batch(Cyclic(), problem, 6.0)
    assert (one.sum(axis=1) == 1).all()
    assert (one.sum(axis=0) == 2).all()
    two = first_batch(Cyclic(), problem, 12.0)
    assert (two.sum(axis=1) == 2).all()
    assert two.max() == 1
    assert (first_batch(Cyclic(), problem, 18.0) == 1).all()
    partial = first_batch(Cyclic(), problem, 14.0)
    assert sorted(partial.sum(axis=1)) == [2, 2, 2, 2, 3, 3]


def test_cyclic_skips_pairs_that_may_not_be_asked() -> None:
    mask = [[True, False, True], [True, True, True]]
    problem = Problem.of([1.0, 1.0, 1.0], items=2, mask=mask)
    counts = first_batch(Cyclic(), problem, 12.0)
    assert counts[0].tolist() == [3, 0, 3]
    assert counts[1].tolist() == [2, 2, 2]


def test_a_single_judge_is_asked_equally_often_of_every_item() -> None:
    problem = Problem.of([1.0, 2.0], items=4, mask=[[True, True]] * 3 + [[True, False]])
    counts = first_batch(SingleJudge(judge=1), problem, 21.0)
    assert counts.tolist() == [[0, 3], [0, 3], [0, 3], [3, 0]]
    assert judge_of_each_item(problem, 1).tolist() == [1, 1, 1, 0]
    with pytest.raises(InputError, match="judge: 2; give an index from 0 to 1"):
        judge_of_each_item(problem, 2)


def test_the_cheapest_judge_is_so_on_average_over_its_own_items() -> None:
    cost = np.array([[1.0, 3.0], [100.0, 3.0]])
    assert cheapest_judge(Problem.of(cost)) == 1
    assert cheapest_judge(Problem.of(cost, mask=[[True, True], [False, True]])) == 0


def test_robin_gives_each_call_to_the_largest_variance_per_call() -> None:
    rng = np.random.default_rng(1)
    variance = rng.lognormal(0, 1, (30, 1))
    problem = Problem.of([1.0], items=30, norm=math.inf)
    n = np.ones(30)
    for _ in range(170):
        n[np.argmax(variance[:, 0] / n)] += 1
    counts = first_batch(Robin(judge=0, variance=variance), problem, 200.0)
    assert np.array_equal(counts[:, 0], n)


def test_robin_hood_asks_in_turn_first_and_then_the_noisy_items() -> None:
    items = 40
    variance = np.where(np.arange(items) < 20, 0.001, 0.2)[:, None]
    instance = Instance.of(mean=np.full((items, 1), 0.5), variance=variance, price_per_call=[1.0])
    problem = instance.problem(norm=math.inf)
    passes = math.floor(4 * math.log(1 / problem.delta)) + 1
    assert (first_batch(RobinHood(judge=0), problem, 4000.0) == passes).all()
    outcome = play(
        RobinHood(judge=0), problem, BetaWorld.of(instance), 4000.0, rng=np.random.default_rng(2)
    )
    calls = outcome.evidence.calls[:, 0]
    assert calls[:20].max() < 30
    assert calls[20:].min() > 120


def test_est_ivwe_pilots_every_pair_and_scores_by_the_second_phase_alone() -> None:
    rng = np.random.default_rng(3)
    instance = Instance.of(
        mean=np.full((8, 2), 0.5),
        variance=rng.uniform(0.01, 0.2, (8, 2)),
        price_per_call=[1.0, 2.0],
    )
    problem = instance.problem()
    strategy = EstIvwe(gaussian=True)
    budget = 2 * strategy.least_budget(problem)
    outcome = play(strategy, problem, BetaWorld.of(instance), budget, rng=rng)
    evidence = outcome.evidence
    pilot = PilotRule(gaussian=True).calls(problem, budget)
    assert (evidence.asked[Phase.PILOT] == pilot).all()
    main = evidence.moments[Phase.MAIN]
    assert ((main.n > 0).sum(axis=1) == 1).all()
    asked = main.n.argmax(axis=1)
    assert np.allclose(outcome.estimate.score, main.mean[np.arange(8), asked])


def test_est_ivwe_refuses_a_budget_below_its_theorems() -> None:
    problem = Problem.of([1.0, 1.0], items=10)
    with pytest.raises(BudgetError, match="too small for the theorem's pilot") as refusal:
        first_batch(EstIvwe(), problem, 500.0)
    assert refusal.value.needed == EstIvwe().least_budget(problem)
    assert first_batch(EstIvwe(reduced_pilot=True), problem, 500.0).max() == 12


@pytest.mark.parametrize("norm", [1.0, 2.0, 4.0])
def test_the_oracle_attains_the_gaussian_lower_bound(norm: float) -> None:
    rng = np.random.default_rng(4)
    items, runs = 50, 400
    instance = Instance.of(
        mean=np.full((items, 3), 0.5),
        variance=rng.uniform(1e-4, 2e-3, (items, 3)),
        price_per_call=[0.5, 1.0, 1.5],
    )
    problem, world = instance.problem(norm=norm), GaussianWorld(instance=instance)
    budget = 200.0 * items
    oracle = Oracle(variance=instance.variance)
    powers = [
        play(oracle, problem, world, budget, rng=child).error(instance.truth, norm) ** norm
        for child in rng.spawn(runs)
    ]
    mean, error = np.mean(powers), np.std(powers) / math.sqrt(runs)
    bound = gaussian_moment_lower(problem, instance.variance, budget).value
    assert abs(mean - bound**norm) < 4 * error + 0.01 * bound**norm
    assert bound == pytest.approx(
        math.sqrt(optimal_value(problem, instance.variance) / budget)
        * {1.0: math.sqrt(2 / math.pi), 2.0: 1.0, 4.0: 3 ** (1 / 4)}[norm]
    )


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_est_ivwe_keeps_its_theorems_rate_on_gaussian_scores(norm: float) -> None:
    rng = np.random.default_rng(5)
    instance = Instance.of(
        mean=np.full((20, 3), 0.5),
        variance=rng.uniform(1e-4, 2e-3, (20, 3)),
        price_per_call=[0.5, 1.0, 1.5],
    )
    problem, world = instance.problem(norm=norm), GaussianWorld(instance=instance)
    strategy = EstIvwe(gaussian=True)
    budget = 2 * strategy.least_budget(problem)
    pilot = PilotRule(gaussian=True).calls(problem, budget)
    bound = est_ivwe_gaussian_upper(problem, instance.variance, budget, pilot=pilot)
    assert bound.holds
    errors = [
        play(strategy, problem, world, budget, rng=child).error(instance.truth, norm)
        for child in rng.spawn(200)
    ]
    assert np.mean(np.array(errors) > bound.value) <= problem.delta


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_est_ivwe_keeps_its_theorems_rate_on_bounded_scores(norm: float) -> None:
    from adjudge.core.bounds import est_ivwe_bounded_upper

    rng = np.random.default_rng(6)
    truth = rng.uniform(0.1, 0.9, (10, 1))
    instance = Instance.of(
        mean=np.broadcast_to(truth, (10, 2)),
        variance=rng.uniform(1e-4, 0.9, (10, 2)) * truth * (1 - truth),
        price_per_call=[0.5, 1.5],
    )
    problem, world = instance.problem(norm=norm), BetaWorld.of(instance)
    strategy = EstIvwe()
    budget = 1.5 * strategy.least_budget(problem)
    pilot = PilotRule(gaussian=False).calls(problem, budget)
    bound = est_ivwe_bounded_upper(problem, instance.variance, budget, pilot=pilot)
    assert bound.holds
    errors = [
        play(strategy, problem, world, budget, rng=child).error(instance.truth, norm)
        for child in rng.spawn(60)
    ]
    assert np.mean(np.array(errors) > bound.value) <= problem.delta
