"""Gates may end a run: at the stated error rate, however often it looks."""

from types import MappingProxyType

import numpy as np
import pytest

from adjudge.core.evidence import Evidence, Moments, Phase
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel, Uniform
from adjudge.gates import Outcome, decide, enough_by, level_at_the_end, parse_gate, plan_until
from adjudge.gates.enough import level_of_look
from adjudge.judges import FunctionJudge, Scale
from adjudge.records import Item, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.store import Balance

PRICE = nano_dollars("0.00001")
SCALE = Scale(low=0, high=10)


def noisy(center, noise=2.0, seed=1):
    rng = np.random.default_rng(seed)

    def score(item):
        return float(np.clip(rng.normal(center(item), noise), 0, 10))

    return score


def plan_of(groups, center, *, noise=2.0):
    judges = [
        FunctionJudge(f"j{n}", noisy(center, noise, n), scale=SCALE, price=PRICE) for n in (1, 2)
    ]
    items = [
        Item(id=f"{group}{k}", response=f"{group}{k}", group=group)
        for group in groups
        for k in range(10)
    ]
    return Plan(items=items, judges=judges, scale=SCALE, strategy=Panel())


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_all_looks_and_the_end_together_use_up_the_allowed_error(confidence):
    looks = sum(1 - level_of_look(confidence, look) for look in range(1, 100_000))
    assert looks + 1 - level_at_the_end(confidence) <= 1 - confidence + 1e-12
    assert looks > 0.0999 * (1 - confidence)


def test_looking_again_and_again_decides_wrongly_no_more_often_than_stated(rng):
    """The true mean is the bound itself: whoever decides is wrong, one way or the other."""
    gate, confidence, wrong, runs = parse_gate("mean > 5"), 0.8, 0, 300
    items = [Item(id=f"{k}", response="x") for k in range(8)]
    problem = Problem.of(np.ones((8, 2)), confidence=confidence)
    strategy = Uniform()
    for _ in range(runs):
        scores = np.clip(rng.normal(0.5, 0.1, (8, 2, 160)), 0, 1)
        decided = False
        for look, calls in enumerate(range(8, 161, 8), start=1):
            seen = scores[:, :, :calls]
            mean = seen.mean(axis=2)
            moments = Moments(
                n=np.full((8, 2), calls),
                mean=mean,
                m2=np.square(seen - mean[:, :, None]).sum(axis=2),
            )
            nothing = Moments.none(8, 2)
            evidence = Evidence(
                asked=MappingProxyType({Phase.PILOT: np.zeros((8, 2), int), Phase.MAIN: moments.n}),
                moments=MappingProxyType({Phase.PILOT: nothing, Phase.MAIN: moments}),
            )
            level = (
                level_at_the_end(confidence) if calls == 160 else level_of_look(confidence, look)
            )
            result = _Scores(strategy.estimate(problem, evidence), problem)
            decided |= decide(gate, result, items, level=level).outcome is not Outcome.INCONCLUSIVE
        wrong += decided
    allowed = 1 - confidence
    assert wrong / runs <= allowed + 3 * np.sqrt(allowed * (1 - allowed) / runs)
    assert wrong > 0, "nothing was ever decided: the test would not notice"


class _Scores:
    """As much of a result as a gate about scores looks at."""

    def __init__(self, estimate, problem):
        self.estimate = estimate
        self.problem = problem
        self.scale = SCALE
        self.balance = Balance(budget=1, spent=1, reserved=0)


def test_a_run_ends_once_its_gates_are_decided_and_the_end_agrees(tmp_path):
    plan = plan_of(("old", "new"), lambda item: 7 if item.group == "new" else 4)
    gate = parse_gate("mean(group=new) - mean(group=old) > 0")
    stopping = plan_until(plan, (), require=[gate])
    result = run(stopping, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.end is End.ENOUGH
    assert "is decided (`spend: all` goes on)" in result.end_reason
    assert result.answered.sum() < 2_000
    level = level_at_the_end(plan.confidence)
    assert decide(gate, result, plan.items, level=level).outcome is Outcome.PASSED


def test_a_limit_of_the_spend_that_holds_from_the_beginning_ends_no_run(tmp_path):
    plan = plan_of(("a", "b"), lambda item: 5)
    stopping = plan_until(plan, (), require=[parse_gate("spent <= 3")])
    result = run(stopping, tmp_path / "ledger.db", budget=nano_dollars("1"))
    assert "spent" not in result.end_reason
    assert result.asked.all()


def test_a_run_ends_as_soon_as_all_of_until_holds(tmp_path):
    plan = plan_of(("a",), lambda item: 5)
    stopping = plan_until(plan, ["width < 1.5", "spent > 0.001"])
    result = run(stopping, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.end is End.ENOUGH
    assert result.interval().width.mean() < 1.5
    assert nano_dollars("0.001") < result.balance.spent < nano_dollars("0.05")
    assert result.end_reason.endswith("hold"), "no advice that would change nothing"


def test_until_is_waited_for_even_where_gates_are_decided(tmp_path):
    plan = plan_of(("a",), lambda item: 8, noise=1.0)
    stopping = plan_until(plan, ["width < 0.8"], require=[parse_gate("mean > 1")])
    result = run(stopping, tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.interval().width.mean() < 0.8


def test_with_spend_all_the_budget_is_spent(tmp_path):
    plan = plan_of(("a",), lambda item: 5, noise=0.0)
    assert enough_by(plan.items, spend_all=True) is None
    whole = plan_until(plan, (), require=[parse_gate("mean > 1")], spend_all=True)
    result = run(whole, tmp_path / "ledger.db", budget=300 * PRICE)
    assert result.balance.spent == 300 * PRICE


def test_judges_without_noise_are_not_asked_for_what_they_said_before(tmp_path):
    plan = plan_of(("a",), lambda item: int(item.id[1:]), noise=0.0)
    result = run(plan_until(plan, ()), tmp_path / "ledger.db", budget=nano_dollars("5"))
    assert result.end is End.ENOUGH
    assert result.answered.sum() < 3_000
