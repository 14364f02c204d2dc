"""What the default strategy promises beyond the contract."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.panel import PanelEstimate, Target
from adjudge.core.problem import Problem
from adjudge.core.strategies import Oracle, Panel, Uniform
from adjudge.simulate import CONTENDERS, Options, Outcome, play
from adjudge.worlds import (
    FAMILIES,
    BetaWorld,
    ConstantJudgeWorld,
    Instance,
    RecordedScores,
    World,
)

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
RUNS = 3


def errors(name: str, worlds: list[World], calls_per_item: float, norm: float = 2.0) -> np.ndarray:
    found = []
    for number, world in enumerate(worlds):
        instance = world.instance
        problem = instance.problem(norm=norm)
        budget = calls_per_item * problem.items * float(problem.price_per_call.mean())
        strategy = CONTENDERS[name](problem, instance, budget, Options())
        outcome = play(strategy, problem, world, budget, rng=np.random.default_rng(number))
        found.append(outcome.error(instance.truth, norm))
    return np.array(found)


def family(name: str, items: int = 120, judges: int = 4) -> list[World]:
    return [FAMILIES[name](items, judges, np.random.default_rng(run)) for run in range(RUNS)]


share_runs = pytest.mark.xdist_group("runs of the panel on judges like real ones")


@cache
def realistic() -> list[World]:
    """Judges like real ones: they differ in strictness, and on single items."""
    return family("offsets-deviations", items=200)


@cache
def outcomes(calls: float) -> list[Outcome]:
    """What the panel finds there."""
    found = []
    for number, world in enumerate(realistic()):
        problem = world.instance.problem()
        budget = calls * problem.items * float(problem.price_per_call.mean())
        found.append(play(Panel(), problem, world, budget, rng=np.random.default_rng(number)))
    return found


@pytest.mark.parametrize(
    ("name", "calls"), [("offsets", 1.0), ("deviations", 2.0), ("lengths", 3.0)]
)
def test_the_panel_is_no_worse_than_uniform(name: str, calls: float) -> None:
    worlds = family(name)
    assert errors("panel", worlds, calls).mean() < 1.02 * errors("uniform", worlds, calls).mean()


def sorted_by_level(rng: np.random.Generator) -> World:
    level = np.sort(rng.uniform(0.1, 0.9, 400))
    mean = np.clip(level[:, None] + 0.05 * rng.standard_normal((400, 3)), 0.02, 0.98)
    variance = np.minimum(0.003, 0.5 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=np.ones(3)))


@pytest.mark.parametrize("items", [5, 40])
def test_a_budget_of_one_call_per_pair_asks_every_pair_once(items: int) -> None:
    world = FAMILIES["quiet"](items, 4, np.random.default_rng(items))
    problem = world.instance.problem()
    budget = problem.cost_of_every_pair
    found = play(Panel(), problem, world, budget, rng=np.random.default_rng(1))
    seen = found.evidence.pooled
    assert (seen.n == 1).all()
    # Nothing tells the noise yet: to draw scores to their mean would be a guess.
    assert np.allclose(found.estimate.score, seen.mean.mean(axis=1))


def test_a_file_sorted_by_score_does_not_make_judges_look_strict_or_lenient() -> None:
    offsets = []
    for run in range(3):
        rng = np.random.default_rng(run)
        world = sorted_by_level(rng)
        outcome = play(Panel(), world.instance.problem(), world, 400.0, rng=rng)
        assert isinstance(outcome.estimate, PanelEstimate)
        offsets.append([judge.offset for judge in outcome.estimate.judges])
    assert float(np.abs(offsets).max()) < 0.12


@share_runs
@pytest.mark.parametrize("calls", [3.0, 10.0])
def test_the_panel_comes_near_the_oracle_that_knows_the_judges(calls: float) -> None:
    worlds = realistic()
    panel = [
        outcome.error(world.instance.truth, 2.0)
        for outcome, world in zip(outcomes(calls), worlds, strict=True)
    ]
    assert np.mean(panel) < 1.25 * errors("judge-oracle", worlds, calls).mean()


def test_where_judges_agree_a_large_budget_comes_near_the_papers_oracle() -> None:
    worlds = family("mult", items=200, judges=3)
    panel, uniform = (errors(name, worlds, 200.0) for name in ("panel", "uniform"))
    oracle = errors("oracle", worlds, 200.0)
    assert panel.mean() < 1.2 * oracle.mean()
    assert panel.mean() < 0.85 * uniform.mean()


@pytest.mark.parametrize("calls", [1.0, 4.0])
def test_after_every_tenth_of_the_budget_the_panel_is_learned_again(calls: float) -> None:
    world = FAMILIES["deviations"](200, 4, np.random.default_rng(1))
    problem = world.instance.problem(norm=2.0)
    budget = calls * problem.items * float(problem.price_per_call.mean())
    spends: list[float] = []

    class Watched(Panel):
        def next_batch(
            self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
        ) -> Allocation:
            batch = super().next_batch(problem, evidence, remaining, rng)
            spends.append(batch.cost(problem) / budget)
            return batch

    play(Watched(), problem, world, budget, rng=np.random.default_rng(1))
    assert sum(spends) == pytest.approx(1.0, abs=0.02)
    assert max(spends) < 0.2


@pytest.mark.parametrize("norm", [1.0, math.inf])
def test_other_norms_gain_too(norm: float) -> None:
    worlds = family("lengths")
    panel, uniform = (errors(name, worlds, 2.0, norm) for name in ("panel", "uniform"))
    assert panel.mean() < 0.9 * uniform.mean()


@share_runs
@pytest.mark.parametrize("calls", [3.0, 10.0])
def test_intervals_cover_the_truth_at_their_level(calls: float) -> None:
    covered = [
        outcome.estimate.interval(0.9).covers(world.instance.truth).mean()
        for outcome, world in zip(outcomes(calls), realistic(), strict=True)
    ]
    assert 0.82 < np.mean(covered) < 0.97


def test_half_a_call_per_item_still_gives_every_item_a_score_and_says_how_unsure_it_is() -> None:
    world = FAMILIES["deviations"](400, 4, np.random.default_rng(1))
    problem = world.instance.problem()
    budget = 0.5 * 400 * float(problem.price_per_call.min())
    outcome = play(Panel(), problem, world, budget, rng=np.random.default_rng(2))
    never = outcome.evidence.calls.sum(axis=1) == 0
    assert never.any()
    estimate = outcome.estimate
    assert isinstance(estimate, PanelEstimate)
    assert np.ptp(estimate.score[never]) < 1e-9
    assert np.isnan(estimate.raw_score[never]).all()
    width = estimate.interval(0.9).width
    assert width[never].mean() > 1.2 * width[~never].mean()
    assert estimate.interval(0.9).covers(world.instance.truth)[never].mean() > 0.8


@share_runs
def test_a_constant_cheap_judge_costs_little_accuracy_and_little_money() -> None:
    alone, shared, share = [], [], []
    for number, (world, without) in enumerate(zip(realistic(), outcomes(3.0), strict=True)):
        money = 3.0 * 200 * float(world.instance.price_per_call.mean())
        place = ConstantJudgeWorld.of(world, 0.1 * float(world.instance.price_per_call.min()))
        rng = np.random.default_rng(number)
        outcome = play(Panel(), place.instance.problem(), place, money, rng=rng)
        alone.append(without.error(world.instance.truth, 2.0))
        shared.append(outcome.error(world.instance.truth, 2.0))
        judges = outcome.estimate.judges  # type: ignore[attr-defined]
        assert not judges[-1].follows
        share.append(judges[-1].spent / money)
    assert np.mean(shared) < 1.15 * np.mean(alone)
    assert max(share) < 0.1


@pytest.mark.parametrize("calls_per_item", [1, 3])
def test_a_judge_that_is_switched_off_is_not_asked_to_the_end_of_the_start(
    calls_per_item: int,
) -> None:
    for seed in range(2):
        plain = FAMILIES["deviations"](400, 4, np.random.default_rng(seed))
        world = ConstantJudgeWorld.of(plain, 0.2)
        budget = calls_per_item * 400 * float(plain.instance.price_per_call.mean())
        rng = np.random.default_rng(seed)
        outcome = play(Panel(), world.instance.problem(), world, budget, rng=rng)
        assert 0.2 * outcome.evidence.calls[:, -1].sum() < 0.05 * budget


def quiet(rng: np.random.Generator, items: int = 500, judges: int = 4) -> World:
    """One call of any judge tells most of an item."""
    mean = rng.beta(2, 2, (items, 1)) + 0.05 * rng.standard_normal((items, judges))
    mean = np.clip(mean, 0.02, 0.98)
    variance = np.minimum(0.003, 0.5 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=np.ones(judges)))


def test_a_constant_cheap_judge_does_not_make_a_tight_budget_look_loose() -> None:
    """Of its half price, one call of every item and as much again for learning could be paid."""
    for seed in range(2):
        plain = quiet(np.random.default_rng(seed))
        world = ConstantJudgeWorld.of(plain, 0.5)
        rng = np.random.default_rng(seed)
        outcome = play(Panel(), world.instance.problem(), world, 500.0, rng=rng)
        assert np.count_nonzero(outcome.evidence.calls[:, :-1].any(axis=1)) > 450
        assert 0.5 * outcome.evidence.calls[:, -1].sum() < 0.05 * 500


def test_the_estimate_tells_what_each_judge_is_like() -> None:
    world = FAMILIES["offsets"](600, 4, np.random.default_rng(3))
    instance = world.instance
    problem = instance.problem()
    budget = 8.0 * 600 * float(problem.price_per_call.mean())
    outcome = play(Panel(), problem, world, budget, rng=np.random.default_rng(4))
    estimate = outcome.estimate
    assert isinstance(estimate, PanelEstimate)
    offsets = instance.mean.mean(axis=0) - instance.mean.mean()
    assert np.allclose([judge.offset for judge in estimate.judges], offsets, atol=0.03)
    assert sum(judge.calls for judge in estimate.judges) == outcome.calls
    assert sum(judge.spent for judge in estimate.judges) == pytest.approx(outcome.spent)
    assert estimate.spent.sum() == pytest.approx(outcome.spent)
    assert 1 <= estimate.independent_votes <= 4
    assert all(judge.failure_rate == 0 for judge in estimate.judges if judge.calls)
    realised = np.linalg.norm(estimate.score - instance.truth)
    assert estimate.norm_error() == pytest.approx(realised, rel=0.3)


def test_the_unbiased_target_takes_all_judges_as_measuring_one_score() -> None:
    worlds = family("mult", judges=4)
    found = []
    for number, world in enumerate(worlds):
        problem = world.instance.problem()
        budget = 5.0 * problem.items * float(problem.price_per_call.mean())
        rng = np.random.default_rng(number)
        outcome = play(Panel(target=Target.UNBIASED), problem, world, budget, rng=rng)
        assert outcome.estimate.target is Target.UNBIASED  # type: ignore[attr-defined]
        assert all(abs(judge.offset) < 1e-4 for judge in outcome.estimate.judges)  # type: ignore[attr-defined]
        found.append(outcome.error(world.instance.truth, 2.0))
    assert np.mean(found) < errors("uniform", worlds, 5.0).mean()


def test_failures_are_counted_as_calls_without_a_score() -> None:
    world = FAMILIES["failing-judge"](300, 3, np.random.default_rng(5))
    problem = world.instance.problem()
    budget = 6.0 * 300 * float(problem.price_per_call.mean())
    estimate = play(Panel(), problem, world, budget, rng=np.random.default_rng(6)).estimate
    rates = [judge.failure_rate for judge in estimate.judges]  # type: ignore[attr-defined]
    assert max(rates) == pytest.approx(0.4, abs=0.1)


@pytest.mark.skipif(not DATA.exists(), reason="recorded scores of real judges are not here")
@pytest.mark.parametrize("calls", [1.0, 3.0])
def test_real_judges_are_scored_with_at_most_two_thirds_of_uniforms_error(calls: float) -> None:
    prices = {
        "gpt-5.4": 0.0044, "gpt-5.4-mini": 0.0011, "gpt-5.4-nano": 0.00037,
        "claude-sonnet-4.6": 0.0046, "claude-haiku-4.5": 0.0016,
    }  # fmt: skip
    scores = RecordedScores.read(DATA / "rewardbench2_core5x8.parquet", prices=prices)
    worlds: list[World] = [scores.sample(500, np.random.default_rng(run)) for run in range(3)]
    assert errors("panel", worlds, calls).mean() < 0.67 * errors("uniform", worlds, calls).mean()


def test_strategies_that_are_compared_keep_their_kinds() -> None:
    world = FAMILIES["mult"](10, 2, np.random.default_rng(7))
    problem = world.instance.problem()
    made = {
        name: CONTENDERS[name](problem, world.instance, 100.0, Options())
        for name in ("panel", "uniform", "oracle")
    }
    assert [type(strategy) for strategy in made.values()] == [Panel, Uniform, Oracle]
