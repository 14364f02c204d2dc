"""What the default strategy promises beyond the contract."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.panel import PanelEstimate, Target
from adjudge.core.panel.start import second_hearing
from adjudge.core.problem import Allocation, Evidence, Moments, Phase, Problem
from adjudge.core.strategies import Oracle, Panel, Uniform
from adjudge.simulate import CONTENDERS, Options, play
from adjudge.worlds import (
    FAMILIES,
    BetaWorld,
    ConstantJudgeWorld,
    Instance,
    RecordedScores,
    World,
)

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"
RUNS = 5


def errors(name: str, worlds: list[World], calls_per_item: float, norm: float = 2.0) -> np.ndarray:
    found = []
    for number, world in enumerate(worlds):
        instance = world.instance
        problem = instance.problem(norm=norm)
        budget = calls_per_item * problem.items * float(problem.cost.mean())
        strategy = CONTENDERS[name](problem, instance, budget, Options())
        outcome = play(strategy, problem, world, budget, rng=np.random.default_rng(number))
        found.append(outcome.error(instance.truth, norm))
    return np.array(found)


def family(name: str, items: int = 200, judges: int = 5) -> list[World]:
    return [FAMILIES[name](items, judges, np.random.default_rng(run)) for run in range(RUNS)]


@pytest.mark.parametrize("name", ["offsets", "deviations", "offsets-deviations", "lengths"])
@pytest.mark.parametrize("calls", [1.0, 3.0, 10.0])
def test_the_panel_is_no_worse_than_uniform(name: str, calls: float) -> None:
    worlds = family(name)
    assert errors("panel", worlds, calls).mean() < 1.02 * errors("uniform", worlds, calls).mean()


def sorted_by_level(rng: np.random.Generator) -> World:
    level = np.sort(rng.uniform(0.1, 0.9, 400))
    mean = np.clip(level[:, None] + 0.05 * rng.standard_normal((400, 3)), 0.02, 0.98)
    variance = np.minimum(0.003, 0.5 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, cost=np.ones(3)))


def test_a_file_sorted_by_score_does_not_make_judges_look_strict_or_lenient() -> None:
    offsets = []
    for run in range(8):
        rng = np.random.default_rng(run)
        world = sorted_by_level(rng)
        outcome = play(Panel(), world.instance.problem(), world, 400.0, rng=rng)
        assert isinstance(outcome.estimate, PanelEstimate)
        offsets.append([judge.offset for judge in outcome.estimate.judges])
    assert float(np.abs(offsets).max()) < 0.12


@pytest.mark.parametrize("calls", [3.0, 10.0])
def test_the_panel_comes_near_the_oracle_that_knows_the_judges(calls: float) -> None:
    worlds = family("offsets-deviations", items=600)
    ratio = errors("panel", worlds, calls).mean() / errors("judge-oracle", worlds, calls).mean()
    assert ratio < 1.15


def test_where_judges_agree_a_large_budget_comes_near_the_papers_oracle() -> None:
    worlds = family("mult", items=200, judges=3)
    panel, uniform = (errors(name, worlds, 200.0) for name in ("panel", "uniform"))
    oracle = errors("oracle", worlds, 200.0)
    assert panel.mean() < 1.2 * oracle.mean()
    assert panel.mean() < 0.85 * uniform.mean()


def test_a_very_large_budget_comes_nearer_to_the_papers_oracle_than_a_large_one() -> None:
    worlds = [FAMILIES["paper"](40, 10, np.random.default_rng(run)) for run in range(8)]
    ratio = {
        calls: errors("panel", worlds, calls).mean() / errors("oracle", worlds, calls).mean()
        for calls in (200.0, 5000.0)
    }
    assert ratio[5000.0] < 1.45
    assert ratio[5000.0] < 0.85 * ratio[200.0]


def first_comparisons(world: World, calls_per_item: float) -> tuple[Problem, np.ndarray]:
    """What the start asked before the first round; shape (K, J)."""
    problem, asked, _ = start_and_first_round(world, calls_per_item)
    return problem, asked


def start_and_first_round(
    world: World, calls_per_item: float
) -> tuple[Problem, np.ndarray, np.ndarray]:
    """What the start asked, and what the first round; each of shape (K, J)."""
    problem = world.instance.problem(norm=2.0)
    budget = calls_per_item * problem.items * float(problem.cost.mean())
    rng = np.random.default_rng(3)
    evidence = Evidence.none(problem)
    while True:
        left = budget - evidence.cost(problem)
        batch = Panel().next_batch(problem, evidence, left, rng)
        if batch.phase is not Phase.PILOT:
            return problem, evidence.calls, batch.counts
        evidence = evidence.plus(batch, world.draw(batch, rng))


def test_the_start_compares_cheap_judges_more_often() -> None:
    problem, asked = first_comparisons(FAMILIES["costs-30x"](400, 6, np.random.default_rng(1)), 5)
    often = (asked > 0).sum(axis=0)
    assert often[problem.cost[0].argmin()] > 3 * often[problem.cost[0].argmax()]
    assert ((asked > 0).sum(axis=1)[asked.any(axis=1)] >= 2).all()


def test_the_start_stops_asking_twice_when_noise_is_known_well_enough() -> None:
    problem, asked = first_comparisons(FAMILIES["deviations"](1000, 4, np.random.default_rng(1)), 4)
    repeats = int(np.maximum(asked - 1, 0).sum())
    assert 16 * problem.judges - 3 < repeats <= 16 * problem.judges
    assert np.count_nonzero(asked.any(axis=1)) > 130


def test_with_more_items_the_start_repeats_more_calls_but_a_smaller_share_of_them() -> None:
    repeats = []
    for items in (1000, 8000):
        world = FAMILIES["deviations"](items, 4, np.random.default_rng(1))
        _, asked = first_comparisons(world, 4)
        repeats.append(int(np.maximum(asked - 1, 0).sum()))
    few, many = repeats
    assert 4 * few < many < 6 * few


@pytest.mark.parametrize("judges", [2, 3, 8])
def test_the_first_look_of_a_tight_budget_is_short_where_judges_are_few(judges: int) -> None:
    problem = Problem.of(cost=np.ones((1000, judges)))
    evidence, rng = Evidence.none(problem), np.random.default_rng(0)
    first = Panel().next_batch(problem, evidence, 1000.0, rng)
    assert first.phase is Phase.PILOT
    assert 2 <= first.calls <= min(4 * judges, 20)


def test_the_start_is_longer_where_one_call_tells_little() -> None:
    noisy = FAMILIES["binary"](1000, 3, np.random.default_rng(1))
    quiet = FAMILIES["homoskedastic"](1000, 3, np.random.default_rng(1))
    problem, few = first_comparisons(quiet, 1)
    assert few.sum() <= 0.05 * problem.items
    assert first_comparisons(noisy, 1)[1].sum() > 1.5 * few.sum()


@pytest.mark.parametrize("calls", [1.0, 4.0])
def test_after_every_tenth_of_the_budget_the_panel_is_learned_again(calls: float) -> None:
    world = FAMILIES["deviations"](200, 4, np.random.default_rng(1))
    problem = world.instance.problem(norm=2.0)
    budget = calls * problem.items * float(problem.cost.mean())
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
    assert max(spends) < 0.125


@pytest.mark.parametrize(("calls", "finish"), [(2.0, False), (3.0, True), (6.0, False)])
def test_first_rounds_finish_items_where_several_judges_can_be_asked_but_not_all(
    calls: float, finish: bool
) -> None:
    world = FAMILIES["deviations"](400, 6, np.random.default_rng(1))
    _, asked, first = start_and_first_round(world, calls)
    fresh = first.sum(axis=1)[first.any(axis=1) & ~asked.any(axis=1)]
    assert fresh.size >= 10
    assert (fresh.mean() > 2) == finish


def test_a_very_large_budget_tries_out_every_pair() -> None:
    world = FAMILIES["paper"](60, 4, np.random.default_rng(1))
    problem = world.instance.problem()
    budget = 200.0 * 60 * float(problem.cost.mean())
    outcome = play(Panel(), problem, world, budget, rng=np.random.default_rng(2))
    assert outcome.evidence.calls.min() >= 5
    assert outcome.spent <= budget * (1 + 1e-9)


@pytest.mark.parametrize("norm", [1.0, math.inf])
def test_other_norms_gain_too(norm: float) -> None:
    worlds = family("offsets-deviations")
    panel, uniform = (errors(name, worlds, 4.0, norm) for name in ("panel", "uniform"))
    assert panel.mean() < uniform.mean()


@pytest.mark.parametrize("calls", [2.0, 5.0, 15.0])
def test_intervals_cover_the_truth_at_their_level(calls: float) -> None:
    covered = []
    for number, world in enumerate(family("offsets-deviations", items=500)):
        problem = world.instance.problem()
        budget = calls * problem.items * float(problem.cost.mean())
        outcome = play(Panel(), problem, world, budget, rng=np.random.default_rng(number))
        covered.append(outcome.estimate.interval(0.9).covers(world.instance.truth).mean())
    assert 0.84 < np.mean(covered) < 0.96


def test_half_a_call_per_item_still_gives_every_item_a_score_and_says_how_unsure_it_is() -> None:
    world = FAMILIES["deviations"](400, 4, np.random.default_rng(1))
    problem = world.instance.problem()
    budget = 0.5 * 400 * float(problem.cost.min())
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


def test_a_constant_cheap_judge_costs_little_accuracy_and_little_money() -> None:
    draw = FAMILIES["offsets-deviations"]
    plain = [draw(300, 5, np.random.default_rng(run)) for run in range(10)]
    money = [3.0 * 300 * float(world.instance.cost.mean()) for world in plain]
    alone, shared, share = [], [], []
    for number, world in enumerate(plain):
        cheap = 0.1 * float(world.instance.cost.min())
        with_constant = ConstantJudgeWorld.of(world, cheap)
        for found, place in ((alone, world), (shared, with_constant)):
            problem = place.instance.problem()
            rng = np.random.default_rng(number)
            outcome = play(Panel(), problem, place, money[number], rng=rng)
            found.append(outcome.error(world.instance.truth, 2.0))
        judges = outcome.estimate.judges  # type: ignore[attr-defined]
        assert not judges[-1].follows
        share.append(judges[-1].spent / money[number])
    assert np.mean(shared) < 1.06 * np.mean(alone)
    assert max(share) < 0.05


@pytest.mark.parametrize("calls_per_item", [1, 3])
def test_a_judge_that_is_switched_off_is_not_asked_to_the_end_of_the_start(
    calls_per_item: int,
) -> None:
    for seed in range(3):
        plain = FAMILIES["deviations"](400, 4, np.random.default_rng(seed))
        world = ConstantJudgeWorld.of(plain, 0.2)
        budget = calls_per_item * 400 * float(plain.instance.cost.mean())
        rng = np.random.default_rng(seed)
        outcome = play(Panel(), world.instance.problem(), world, budget, rng=rng)
        assert outcome.evidence.calls[:, -1].sum() <= 15


def quiet(rng: np.random.Generator, items: int = 500, judges: int = 4) -> World:
    """One call of any judge tells most of an item."""
    mean = rng.beta(2, 2, (items, 1)) + 0.05 * rng.standard_normal((items, judges))
    mean = np.clip(mean, 0.02, 0.98)
    variance = np.minimum(0.003, 0.5 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, cost=np.ones(judges)))


def test_a_constant_cheap_judge_does_not_make_a_tight_budget_look_loose() -> None:
    """Of its half price, one call of every item and as much again for learning could be paid."""
    for seed in range(4):
        plain = quiet(np.random.default_rng(seed))
        world = ConstantJudgeWorld.of(plain, 0.5)
        rng = np.random.default_rng(seed)
        outcome = play(Panel(), world.instance.problem(), world, 500.0, rng=rng)
        assert np.count_nonzero(outcome.evidence.calls[:, :-1].any(axis=1)) > 465
        assert outcome.evidence.calls[:, -1].sum() <= 12


def test_judges_in_doubt_are_heard_on_items_that_others_answered_within_their_money() -> None:
    problem = Problem.of(cost=np.ones((40, 4)))
    asked = np.zeros((40, 4), int)
    asked[:12, :2] = 1
    asked[:3, 3] = 1
    batch = Allocation(counts=asked, phase=Phase.PILOT)
    evidence = Evidence.none(problem).plus(
        batch, Moments(n=asked, mean=0.5 * (asked > 0), m2=np.zeros(asked.shape))
    )
    answers, rng = np.array([0, 0, 0, 3]), np.random.default_rng(0)
    heard = second_hearing(problem, evidence, answers, 20.0, rng)
    assert heard.sum() == heard[3:12, 3].sum() == 3
    assert second_hearing(problem, evidence, answers, 5.0, rng).sum() == 2
    assert not second_hearing(problem, evidence, answers, 3.5, rng).any()
    assert not second_hearing(problem, evidence, np.zeros(4, int), 20.0, rng).any()


def test_a_judge_that_gave_only_one_answer_gets_no_more_calls_in_a_round_than_it_had() -> None:
    """So many say yes that a few of its yes prove nothing, and it is by far the cheapest."""
    rng = np.random.default_rng(5)
    problem = Problem.of(cost=np.tile([1.0, 1.0, 1.0, 0.3], (300, 1)))
    asked = np.zeros((300, 4), int)
    asked[:40, :3], asked[:8, 3] = 1, 1
    yes = (rng.random((300, 1)) < 0.93) ^ (rng.random((300, 4)) < 0.02)
    yes[:, 3] = True
    begun = Evidence.none(problem)
    for phase, items in ((Phase.PILOT, slice(0, 30)), (Phase.MAIN, slice(30, 40))):
        counts = np.zeros_like(asked)
        counts[items] = asked[items]
        answers = Moments(n=counts, mean=yes * (counts > 0.0), m2=np.zeros(counts.shape))
        begun = begun.plus(Allocation(counts=counts, phase=phase), answers)
    remaining = 300.0
    batch = Panel().next_batch(problem, begun, remaining, rng)
    assert batch.phase is Phase.MAIN
    assert 0 < batch.counts[:, 3].sum() <= 8
    varied = begun.moments[Phase.PILOT].mean.copy()
    varied[0, 3] = 0.0
    moments = begun.moments | {Phase.PILOT: replace(begun.moments[Phase.PILOT], mean=varied)}
    batch = Panel().next_batch(problem, replace(begun, moments=moments), remaining, rng)
    assert batch.counts[:, 3].sum() > 8


def test_the_estimate_tells_what_each_judge_is_like() -> None:
    world = FAMILIES["offsets"](600, 4, np.random.default_rng(3))
    instance = world.instance
    problem = instance.problem()
    budget = 8.0 * 600 * float(problem.cost.mean())
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
        budget = 5.0 * problem.items * float(problem.cost.mean())
        rng = np.random.default_rng(number)
        outcome = play(Panel(target=Target.UNBIASED), problem, world, budget, rng=rng)
        assert outcome.estimate.target is Target.UNBIASED  # type: ignore[attr-defined]
        assert all(abs(judge.offset) < 1e-9 for judge in outcome.estimate.judges)  # type: ignore[attr-defined]
        found.append(outcome.error(world.instance.truth, 2.0))
    assert np.mean(found) < errors("uniform", worlds, 5.0).mean()


def test_failures_are_counted_as_calls_without_a_score() -> None:
    world = FAMILIES["failing-judge"](300, 3, np.random.default_rng(5))
    problem = world.instance.problem()
    budget = 6.0 * 300 * float(problem.cost.mean())
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
    worlds: list[World] = [scores.sample(1000, np.random.default_rng(run)) for run in range(4)]
    assert errors("panel", worlds, calls).mean() < 0.67 * errors("uniform", worlds, calls).mean()


def test_strategies_that_are_compared_keep_their_kinds() -> None:
    world = FAMILIES["mult"](10, 2, np.random.default_rng(7))
    problem = world.instance.problem()
    made = {
        name: CONTENDERS[name](problem, world.instance, 100.0, Options())
        for name in ("panel", "uniform", "oracle")
    }
    assert [type(strategy) for strategy in made.values()] == [Panel, Uniform, Oracle]
