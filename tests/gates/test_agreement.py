"""Gates on agreement with people, and claims that something lies within a bound."""

from dataclasses import replace

import pytest
from tests.report.runs import SCALE, plain_items, spoken_plan
from tests.report.runs import result_of as made

from adjudge.core.strategies import Panel, Uniform
from adjudge.errors import InputError
from adjudge.gates import Gate, Kind, Outcome, check_gate_of, decide, parse_gate
from adjudge.judges import Scale
from adjudge.records import Label
from adjudge.run import People

PEOPLE = People(labels=(Label(item="q00-plain", value=3),), scale=SCALE)


def test_whose_agreement_it_is_can_be_a_judge_with_any_name() -> None:
    gate = parse_gate('agreement("a judge, (v2)") >= 0.8')
    assert (gate.first.kind, gate.first.who) == (Kind.AGREEMENT, "a judge, (v2)")
    assert gate.measured == "agreement(a judge, (v2))"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("bias(panel) within 0.2", (-0.2, 0, 0.2), (-0.21, 0.3)),
        ("mean(group=a) - mean(group=b) within 1", (-1, 1), (1.1, -2)),
    ],
)
def test_within_holds_between_the_bound_and_its_negative(
    text: str, inside: tuple[float, ...], outside: tuple[float, ...]
) -> None:
    gate = parse_gate(text)
    assert all(gate.holds(value) for value in inside)
    assert not any(gate.holds(value) for value in outside)


def test_a_group_called_within_is_no_comparison() -> None:
    gate = parse_gate("mean(group=from within it) > 3")
    assert gate.first.where == (("group", "from within it"),)
    assert not gate.within


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("agreement > 0.8", r"say whose, as agreement\(panel\), or name a judge"),
        ("bias(panel) within -1", "within must be followed by a number of 0 or more"),
        ("1 within bias(panel)", "within must be followed by a number"),
        ("agreement(a) - agreement(b) > 0", "only means and scores have differences"),
    ],
)
def test_a_gate_that_cannot_be_read_says_why(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_gate(text)


@pytest.mark.parametrize(
    ("text", "changes", "why"),
    [
        ("agreement(panel) > 0.8", {}, "nobody has labelled an item; give labels"),
        ("agreement(panel) > 8", {"people": PEOPLE}, "give a bound from -1 to 1"),
        ("bias(nobody) < 1", {"people": PEOPLE}, "name one of panel, anchored, large, small"),
        (
            "bias(panel) < 1",
            {"people": PEOPLE, "strategy": Uniform()},
            "this strategy does not estimate it; use the panel strategy",
        ),
    ],
)
def test_a_gate_that_the_run_cannot_decide_is_refused_before_anything_is_spent(
    text: str, changes: dict[str, object], why: str
) -> None:
    with pytest.raises(InputError, match=why):
        check_gate_of(parse_gate(text), spoken_plan(**{"strategy": Panel(), **changes}))


@pytest.mark.parametrize(
    ("bound", "outcome"),
    [(9, Outcome.PASSED), (1, Outcome.INCONCLUSIVE), (0.001, Outcome.FAILED)],
)
def test_a_difference_within_a_bound_passes_or_fails_or_is_open(
    bound: float, outcome: Outcome
) -> None:
    result = made([[3, 3]] * 12, [[0.4, 0.5], [0.5, 0.6]] * 6, m2=0.02)
    gate = parse_gate(f"mean(group=a) - mean(group=b) within {bound}")
    decision = decide(gate, result, plain_items(12, groups="ab"))
    assert isinstance(decision.gate, Gate)
    assert decision.outcome is outcome


def test_the_scale_of_a_gate_is_that_of_the_scores() -> None:
    five = People(labels=PEOPLE.labels, scale=Scale(low=1, high=5, whole=True))
    with pytest.raises(InputError, match="give a bound from 1 to 10"):
        check_gate_of(parse_gate("mean > 11"), spoken_plan(people=five))


@pytest.mark.parametrize(
    ("labels", "why"),
    [(12, "all labels are equal"), (2, "too few items have a label and a score")],
)
def test_agreement_that_cannot_be_told_says_why(labels: int, why: str) -> None:
    items = plain_items(12, groups="ab")
    said = tuple(Label(item=items[k].id, value=3 if labels > 2 else 3 + k) for k in range(labels))
    people = People(labels=said, scale=SCALE)
    result = made([[3, 3]] * 12, [[0.4, 0.5], [0.5, 0.6]] * 6, m2=0.02)
    problem = replace(result.problem, labels=people.of_items(items))
    found = replace(result, people=people, problem=problem)
    decision = decide(parse_gate("agreement(panel) > 0.5"), found, items)
    assert decision.outcome is Outcome.INCONCLUSIVE
    assert decision.sentence.startswith(why)
