from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from adjudge.core.strategies import Panel, Uniform
from adjudge.core.strategies.protocol import Strategy
from adjudge.errors import InputError
from adjudge.gates import Decision, Outcome, decide, parse_gate
from adjudge.judges import FunctionJudge, Scale, SimulatedJudge
from adjudge.records import Item, nano_dollars
from adjudge.run import Plan, Result, run

SCALE = Scale(low=1, high=11)


def items(gap: float, *, pairs: int = 30) -> list[Item]:
    """Two systems that answer the same prompts; the second is better by a part of the scale."""
    truth = np.random.default_rng(1).uniform(0.3, 0.6, pairs)
    return [
        Item(
            id=f"{system}{i}",
            prompt=f"question {i}",
            response=f"answer {i} of {system}",
            group=system,
            metadata={"truth": float(truth[i] + gap * (system == "new")), "part": i % 2},
        )
        for system in ("old", "new")
        for i in range(pairs)
    ]


def scored(
    folder: Path, chosen: Sequence[Item], *, budget: str = "0.6", strategy: Strategy | None = None
) -> Result:
    judges = [
        SimulatedJudge(name="fine", scale=SCALE, price=nano_dollars("0.004"), noise=0.05),
        SimulatedJudge(
            name="rough", scale=SCALE, price=nano_dollars("0.001"), noise=0.1, offset=0.1
        ),
    ]
    plan = Plan(
        items=chosen, judges=judges, scale=SCALE, strategy=strategy or Panel(), confidence=0.9
    )
    return run(plan, folder / "ledger.sqlite", budget=nano_dollars(budget))


def decided(gate: str, result: Result, chosen: Sequence[Item]) -> Decision:
    return decide(parse_gate(gate), result, chosen)


@pytest.mark.parametrize("strategy", [Panel(), Uniform()])
def test_a_claim_passes_fails_or_stays_open_by_its_interval(
    tmp_path: Path, strategy: Strategy
) -> None:
    chosen = items(0.15)
    result = scored(tmp_path, chosen, strategy=strategy)
    difference = "mean(group=new) - mean(group=old)"
    assert decided(f"{difference} > 0", result, chosen).outcome is Outcome.PASSED
    assert decided("mean(group=new) > mean(group=old)", result, chosen).outcome is Outcome.PASSED
    assert decided(f"{difference} < 0", result, chosen).outcome is Outcome.FAILED
    assert decided(f"{difference} > 1.6", result, chosen).outcome is Outcome.INCONCLUSIVE
    assert decided(f"{difference} < 9", result, chosen).outcome is Outcome.PASSED
    assert decided("mean(group=old) > 1", result, chosen).outcome is Outcome.PASSED
    assert decided("mean(part=0, group=old) > 10", result, chosen).outcome is Outcome.FAILED
    assert decided("score(item=new3) <= 11", result, chosen).outcome is Outcome.PASSED
    assert decided("spent <= 0.6", result, chosen).outcome is Outcome.PASSED
    assert decided("spent < 0.1", result, chosen).outcome is Outcome.FAILED


def test_the_sentence_gives_the_numbers_on_the_scale_of_the_user(tmp_path: Path) -> None:
    chosen = items(0.15)
    decision = decided("mean(group=new) - mean(group=old) > 0", scored(tmp_path, chosen), chosen)
    words = decision.sentence.replace(",", "").split()
    assert decision.sentence.startswith("mean(group=new) - mean(group=old) is 1.")
    assert float(words[-3]) < 1.5 < float(words[-1])
    assert decision.more is None


def test_a_level_of_its_own_is_told_with_the_interval(tmp_path: Path) -> None:
    chosen = items(0.15)
    result, gate = scored(tmp_path, chosen), parse_gate("mean(group=new) - mean(group=old) > 0")
    looked = decide(gate, result, chosen, level=0.91).sentence
    assert looked.endswith(" (91 % interval, for repeated looks)")
    assert "%" not in decide(gate, result, chosen).sentence


def test_a_width_that_is_not_reached_names_its_price_and_the_price_is_right(tmp_path: Path) -> None:
    chosen = items(0.1)
    result = scored(tmp_path, chosen, budget="0.3")
    width = float(result.interval().width.mean())
    assert decided(f"width < {2 * width}", result, chosen).outcome is Outcome.PASSED
    wanted = 0.6 * width
    open_question = decided(f"width < {wanted}", result, chosen)
    assert open_question.outcome is Outcome.INCONCLUSIVE
    assert open_question.more is not None
    assert "more would decide" in open_question.sentence
    budget = (result.balance.spent + open_question.more) / 1e9
    later = scored(tmp_path, chosen, budget=str(round(1.2 * budget, 6)))
    assert float(later.interval().width.mean()) < 1.1 * wanted


def test_a_width_beyond_all_money_fails(tmp_path: Path) -> None:
    chosen = items(0.1)
    decision = decided("width < 1e-9", scored(tmp_path, chosen, budget="0.3"), chosen)
    assert decision.outcome is Outcome.FAILED
    assert decision.sentence.endswith("and no budget would bring them there")


def test_money_that_is_said_to_decide_decides(tmp_path: Path) -> None:
    chosen = items(0.02, pairs=60)
    claim = "mean(group=new) > mean(group=old)"
    first = decided(claim, result := scored(tmp_path, chosen, budget="0.12"), chosen)
    assert first.outcome is Outcome.INCONCLUSIVE
    assert first.more is not None
    assert f"about ${first.more / 1e9:.2f}" in first.sentence or "more would" in first.sentence
    # More than advised: the advice takes the measured difference for the true one.
    budget = (result.balance.spent + 3 * first.more) / 1e9
    later = scored(tmp_path, chosen, budget=str(round(budget, 6)))
    assert decided(claim, later, chosen).outcome is Outcome.PASSED


def test_equals_are_not_sold_a_decision(tmp_path: Path) -> None:
    chosen = items(0.0)
    result = scored(tmp_path, chosen)
    found = decided("mean(group=new) - mean(group=old) > 0", result, chosen).sentence
    middle = float(found.split(" is ")[1].split(",")[0])
    decision = decided(f"mean(group=new) - mean(group=old) > {middle}", result, chosen)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert decision.more is None
    assert decision.sentence.endswith("too near the bound for any sensible budget to decide")


def test_items_that_are_not_there_are_named(tmp_path: Path) -> None:
    chosen = items(0.1)
    result = scored(tmp_path, chosen)
    with pytest.raises(InputError, match=r"no item has group=newer; there are group = new, old"):
        decided("mean(group=newer) > 3", result, chosen)
    with pytest.raises(InputError, match=r"no item has a field 'lang' at all"):
        decided("mean(lang=en) > 3", result, chosen)
    expected = r"item 'old0' is on both sides; compare items that do not overlap"
    with pytest.raises(InputError, match=expected):
        decided("mean(group=old) > mean(part=0)", result, chosen)


def test_gates_are_inconclusive_while_they_rest_on_too_little(tmp_path: Path) -> None:
    """Every answer is the lowest score, but most of the items were never asked."""
    chosen = [Item(id=f"i{k}", prompt=f"q{k}", response="r", group="ab"[k % 2]) for k in range(40)]
    judge = FunctionJudge("low", lambda _: 1.0, scale=SCALE, price=nano_dollars("0.001"))
    plan = Plan(items=chosen, judges=[judge], scale=SCALE, strategy=Panel(), confidence=0.95)
    result = run(plan, tmp_path / "ledger.sqlite", budget=nano_dollars("0.006"))
    asked = result.scored.any(axis=1)
    assert 0 < np.count_nonzero(asked) <= 6
    for gate in ("mean < 2", "mean(group=a) < 2", "mean(group=a) - mean(group=b) < 1", "width < 1"):
        assert decided(gate, result, chosen).outcome is Outcome.INCONCLUSIVE, gate
    unasked = chosen[int(np.flatnonzero(~asked)[0])].id
    decision = decided(f"score(item={unasked}) < 5", result, chosen)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert decision.sentence == f"no item of score(item={unasked}) was scored by any judge"
