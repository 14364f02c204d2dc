"""What every strategy promises, whatever the instance."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
import pytest

from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.problem import Problem
from adjudge.core.strategies import (
    Cyclic,
    EstIvwe,
    KnownPanel,
    Oracle,
    Panel,
    Robin,
    RobinHood,
    SingleJudge,
    Strategy,
    Uniform,
)

VARIANCE_SEED = 5


def true_variance(problem: Problem) -> np.ndarray:
    draw = np.random.default_rng(VARIANCE_SEED).uniform(0.01, 0.2, problem.price_per_call.shape)
    return draw * problem.score_width**2


def known_panel(problem: Problem) -> Strategy:
    shared, own = 0.04 * problem.score_width**2, 0.01 * problem.score_width**2
    judges = problem.judges
    return KnownPanel(
        mean=np.full(judges, sum(problem.score_range) / 2),
        covariance=shared * np.ones((judges, judges)) + own * np.eye(judges),
        noise=true_variance(problem),
        weights=problem.weights,
    )


STRATEGIES: dict[str, Callable[[Problem], Strategy]] = {
    "oracle": lambda problem: Oracle(variance=true_variance(problem)),
    "oracle that sees no noise": lambda problem: Oracle(
        variance=np.zeros(problem.price_per_call.shape)
    ),
    "uniform": lambda problem: Uniform(),
    "uniform-ivw": lambda problem: Uniform(by_inverse_variance=True),
    "cyclic": lambda problem: Cyclic(),
    "single": lambda problem: SingleJudge(judge=problem.judges - 1),
    "est-ivwe-bounded": lambda problem: EstIvwe(reduced_pilot=True),
    "est-ivwe-gaussian": lambda problem: EstIvwe(gaussian=True, reduced_pilot=True),
    "robin": lambda problem: Robin(judge=0, variance=true_variance(problem)),
    "robin that sees no noise": lambda problem: Robin(
        judge=0, variance=np.zeros(problem.price_per_call.shape)
    ),
    "robin-hood": lambda problem: RobinHood(judge=0),
    "panel": lambda problem: Panel(),
    "known panel": known_panel,
}


def masked(items: int, judges: int) -> np.ndarray:
    mask = np.random.default_rng(8).random((items, judges)) < 0.6
    mask[np.arange(items), np.arange(items) % judges] = True
    return mask


PROBLEMS: dict[str, Problem] = {
    "plain": Problem.of([1.0, 0.3, 2.2], items=17),
    "p = 1": Problem.of([1.0, 0.3, 2.2], items=17, norm=1),
    "p = inf": Problem.of([1.0, 0.3, 2.2], items=17, norm=math.inf),
    "one item": Problem.of([1.0, 0.3, 2.2], items=1),
    "one judge": Problem.of([0.7], items=9),
    "one pair": Problem.of([0.7], items=1),
    "equal costs": Problem.of([0.1] * 4, items=12),
    "cost per pair": Problem.of(np.random.default_rng(2).lognormal(size=(15, 3))),
    "masked pairs": Problem.of([1.0, 0.3, 2.2, 0.5], items=20, mask=masked(20, 4)),
    "ratings": Problem.of([1.0, 0.3], items=10, score_range=(1, 5)),
    "dollars": Problem.of([0.0044, 0.0011, 0.00037], items=30),
    "unequal weights": Problem.of([1.0, 0.3, 2.2], items=17, weights=[0, 1, 3]),
}

LITTLE, SOME, MUCH = "little", "some", "much"
CALLS_PER_ITEM = {LITTLE: 9.0, SOME: 25.0, MUCH: 60.0}
OF_THE_PANEL = {LITTLE: 3.0, SOME: 9.0, MUCH: 60.0}
"""It learns in each of some forty rounds, and needs no pilot: much money is for one problem."""


def together(*names: str) -> object:
    """Tests that look at the same runs: one worker plays them once."""
    return pytest.param(*names, marks=pytest.mark.xdist_group(" ".join(names[:2])))


def pairs_of(strategies: Sequence[str]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("strategy_name", "problem_name"),
        [together(strategy, problem) for problem in PROBLEMS for strategy in strategies],
    )


every_run = pytest.mark.parametrize(
    ("strategy_name", "problem_name", "money"),
    [
        together(strategy, problem, money)
        for problem in PROBLEMS
        for strategy in STRATEGIES
        for money in CALLS_PER_ITEM
        if (strategy, money) != ("panel", MUCH) or problem == "plain"
    ],
)


every_strategy = pytest.mark.parametrize("strategy_name", STRATEGIES)
every_pair = pairs_of([*STRATEGIES])


def budget_of(strategy_name: str, problem: Problem, money: str) -> float:
    calls_per_item = (OF_THE_PANEL if strategy_name == "panel" else CALLS_PER_ITEM)[money]
    return calls_per_item * problem.items * problem.average_cost


def answers(batch: Allocation, problem: Problem, rng: np.random.Generator) -> Moments:
    """Scores of judges that rate on a grid and fail now and then."""
    low, high = problem.score_range
    n = rng.binomial(batch.counts, 0.9)
    mean, m2 = np.zeros(n.shape), np.zeros(n.shape)
    for pair in zip(*np.nonzero(n), strict=True):
        scores = low + (high - low) * rng.integers(0, 5, n[pair]) / 4
        mean[pair], m2[pair] = scores.mean(), scores.var() * n[pair]
    return Moments(n=n, mean=mean, m2=m2)


Turn = tuple[Evidence, float, Allocation]


def turns(strategy: Strategy, problem: Problem, budget: float, *, seed: int) -> Iterator[Turn]:
    """Every turn of a run: what was seen, what remained, what was asked for."""
    for_strategy, for_answers = np.random.default_rng(seed).spawn(2)
    evidence, remaining = Evidence.none(problem), budget
    while batch := strategy.next_batch(problem, evidence, remaining, for_strategy):
        yield evidence, remaining, batch
        evidence = evidence.plus(batch, answers(batch, problem, for_answers))
        remaining -= batch.cost(problem)
    yield evidence, remaining, batch


@cache
def run_of(strategy_name: str, problem_name: str, money: str) -> list[Turn]:
    """A run of this strategy, played once for all that is asked of it."""
    problem = PROBLEMS[problem_name]
    strategy, budget = STRATEGIES[strategy_name](problem), budget_of(strategy_name, problem, money)
    return list(turns(strategy, problem, budget, seed=1))


def some_of(run: list[Turn]) -> list[int]:
    """The first turns, the last, and every fifth between: the panel has some forty."""
    return sorted({*range(min(3, len(run))), *range(0, len(run), 5), len(run) - 1})


@every_run
def test_a_strategy_never_spends_more_than_its_budget_and_comes_to_an_end(
    strategy_name: str, problem_name: str, money: str
) -> None:
    problem = PROBLEMS[problem_name]
    budget = budget_of(strategy_name, problem, money)
    for evidence, remaining, batch in run_of(strategy_name, problem_name, money):
        assert batch.cost(problem) <= remaining + 1e-9 * budget
        assert (batch.counts >= 0).all()
        assert not batch.counts[~problem.mask].any()
        last = evidence
    assert last.cost(problem) <= budget * (1 + 1e-9)
    assert last.calls.sum(axis=1).min() >= 1


@pairs_of([name for name in STRATEGIES if "no noise" not in name])
def test_a_strategy_uses_what_it_is_given(strategy_name: str, problem_name: str) -> None:
    *_, (_, remaining, _) = run_of(strategy_name, problem_name, SOME)
    problem = PROBLEMS[problem_name]
    assert remaining < problem.price_per_call.max() * (1 + 1e-9)


@every_pair
def test_the_same_seed_gives_the_same_run(strategy_name: str, problem_name: str) -> None:
    problem = PROBLEMS[problem_name]
    strategy, budget = STRATEGIES[strategy_name](problem), budget_of(strategy_name, problem, LITTLE)
    first = run_of(strategy_name, problem_name, LITTLE)
    second = list(turns(strategy, problem, budget, seed=1))
    assert len(first) == len(second)
    for (_, _, batch), (_, _, again) in zip(first, second, strict=True):
        assert np.array_equal(batch.counts, again.counts)
        assert batch.phase == again.phase


@every_pair
def test_a_strategy_interrupted_within_a_batch_asks_for_no_more_than_was_missing(
    strategy_name: str, problem_name: str
) -> None:
    problem = PROBLEMS[problem_name]
    strategy, budget = STRATEGIES[strategy_name](problem), budget_of(strategy_name, problem, SOME)
    run = run_of(strategy_name, problem_name, SOME)
    for turn in some_of(run):
        evidence, remaining, batch = run[turn]
        rng = np.random.default_rng(turn)
        done = Allocation(counts=rng.binomial(batch.counts, 0.5), phase=batch.phase)
        partial = evidence.plus(done, answers(done, problem, rng))
        left = remaining - done.cost(problem)
        resumed = strategy.next_batch(problem, partial, left, np.random.default_rng(99))
        missing = batch.cost(problem) - done.cost(problem)
        following = run[turn + 1][2].cost(problem) if turn + 1 < len(run) else 0.0
        # Which calls are best may have changed with what was seen, and the rest of a batch may
        # be too little to wait for; more than that and the next batch was never asked for.
        # (The panel's first look decides how much learning may take: it may decide anew.)
        if strategy_name != "panel":
            assert resumed.cost(problem) <= missing + following + problem.price_per_call.max()
        assert resumed.cost(problem) <= left + 1e-9 * budget


PLANNERS = [name for name in STRATEGIES if name not in ("robin-hood", "panel", "known panel")]


@pairs_of(PLANNERS)
def test_a_planned_batch_is_completed_exactly_after_an_interruption(
    strategy_name: str, problem_name: str
) -> None:
    """All but ROBIN-HOOD plan a phase as a whole: what is missing is the batch less its part."""
    problem = PROBLEMS[problem_name]
    strategy, budget = STRATEGIES[strategy_name](problem), budget_of(strategy_name, problem, SOME)
    evidence, remaining = Evidence.none(problem), budget
    for seed in range(3):
        batch = strategy.next_batch(problem, evidence, remaining, np.random.default_rng(7))
        rng = np.random.default_rng(seed)
        done = Allocation(counts=rng.binomial(batch.counts, 0.5), phase=batch.phase)
        if not batch or (done.counts == batch.counts).all():
            break
        evidence = evidence.plus(done, answers(done, problem, rng))
        remaining -= done.cost(problem)
        rest = strategy.next_batch(problem, evidence, remaining, np.random.default_rng(7))
        assert rest.phase == batch.phase
        assert np.array_equal(rest.counts, batch.counts - done.counts)


@every_pair
def test_estimates_lie_within_the_score_range_from_the_first_score_on(
    strategy_name: str, problem_name: str
) -> None:
    problem = PROBLEMS[problem_name]
    strategy = STRATEGIES[strategy_name](problem)
    low, high = problem.score_range
    run = run_of(strategy_name, problem_name, SOME)
    for evidence, _, _ in (run[turn] for turn in some_of(run)):
        estimate = strategy.estimate(problem, evidence)
        interval = estimate.interval(0.9)
        assert ((low <= estimate.score) & (estimate.score <= high)).all()
        assert ((interval.low <= estimate.score) & (estimate.score <= interval.high)).all()
        assert ((low <= interval.low) & (interval.high <= high)).all()
        assert np.isfinite(estimate.variance).all()
        assert (estimate.variance >= 0).all()
        assert math.isfinite(estimate.norm_error())
        sums = estimate.weights.sum(axis=1)
        assert np.allclose(sums, np.where(evidence.pooled.n.sum(axis=1) > 0, 1, 0))


@pytest.mark.parametrize("strategy_name", [name for name in STRATEGIES if name != "known panel"])
def test_judges_that_always_agree_are_no_trouble(strategy_name: str) -> None:
    problem = PROBLEMS["plain"]
    strategy = STRATEGIES[strategy_name](problem)
    evidence, remaining = Evidence.none(problem), budget_of(strategy_name, problem, SOME)
    rng = np.random.default_rng(0)
    while batch := strategy.next_batch(problem, evidence, remaining, rng):
        n = batch.counts
        constant = Moments(n=n, mean=np.where(n > 0, 0.25, 0.0), m2=np.zeros(n.shape))
        evidence = evidence.plus(batch, constant)
        remaining -= batch.cost(problem)
    assert np.allclose(strategy.estimate(problem, evidence).score, 0.25, atol=0.001)


@every_pair
def test_the_unit_of_money_changes_no_plan(strategy_name: str, problem_name: str) -> None:
    problem = PROBLEMS[problem_name]
    cents = Problem.of(
        problem.price_per_call * 128,  # a power of two: scaling is exact
        norm=problem.norm,
        score_range=problem.score_range,
        weights=problem.weights,
        mask=problem.mask,
    )
    strategy, budget = STRATEGIES[strategy_name](problem), budget_of(strategy_name, problem, LITTLE)
    plain = run_of(strategy_name, problem_name, LITTLE)
    scaled = turns(strategy, cents, budget * 128, seed=1)
    for (_, _, batch), (_, _, same) in zip(plain, scaled, strict=True):
        assert np.array_equal(batch.counts, same.counts)


@every_strategy
def test_the_scale_of_scores_changes_no_plan_and_scales_the_scores(strategy_name: str) -> None:
    problem = PROBLEMS["plain"]
    wide = Problem.of([1.0, 0.3, 2.2], items=17, score_range=(1, 9))
    strategy, of_wide = STRATEGIES[strategy_name](problem), STRATEGIES[strategy_name](wide)
    run = run_of(strategy_name, "plain", LITTLE)
    wider_run = list(turns(of_wide, wide, budget_of(strategy_name, problem, LITTLE), seed=1))
    for (_, _, batch), (_, _, same) in zip(run, wider_run, strict=True):
        assert np.array_equal(batch.counts, same.counts)
    for turn in some_of(run):
        score = strategy.estimate(problem, run[turn][0]).score
        scaled = of_wide.estimate(wide, wider_run[turn][0]).score
        assert np.allclose(1 + 8 * score, scaled)
