"""A gate, the report and the Python API tell the same difference of the same groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.report.runs import NOW, plain_items, result_of

import adjudge
from adjudge.gates import Decision, Outcome, decide, parse_gate
from adjudge.records import Item
from adjudge.report.content import DifferenceLine, content_of
from adjudge.run import Result

ITEMS = 40


def scored(*, unasked: Sequence[int] = ()) -> Result:
    """Two groups in turn, b a little better; prompts are easy or hard for both."""
    rng = np.random.default_rng(5)
    hardness = np.repeat(rng.normal(0.4, 0.2, ITEMS // 2), 2)
    quality = hardness + np.tile([0.0, 0.06], ITEMS // 2)
    mean = quality[:, None] + rng.normal(0, 0.03, (ITEMS, 2))
    n = np.full((ITEMS, 2), 3)
    n[list(unasked)] = 0
    return result_of(n, np.clip(mean, 0, 1), m2=2 * 0.03**2)


def items_with(*, shared: int) -> list[Item]:
    """So many prompts that both groups answer; the others are answered by one."""
    return [
        item if k // 2 < shared else replace(item, prompt=f"own {k}")
        for k, item in enumerate(plain_items(ITEMS, groups="ab"))
    ]


def decided(items: Sequence[Item], result: Result, text: str) -> Decision:
    return decide(parse_gate(text), result, items)


def told(items: Sequence[Item], result: Result) -> DifferenceLine:
    (line,) = content_of(items, result, title="t", now=NOW).differences
    assert (line.first, line.second) == ("b", "a")
    return line


@pytest.mark.parametrize("unasked", [(), (1, 8, 21)], ids=["all asked", "some not asked"])
@pytest.mark.parametrize(("shared", "pairs"), [(20, True), (12, True), (3, False), (0, False)])
def test_a_gate_has_the_figure_and_the_interval_of_the_report(
    shared: int, pairs: bool, unasked: Sequence[int]
) -> None:
    items, result = items_with(shared=shared), scored(unasked=unasked)
    line = told(items, result)
    assert (line.pairs > 0) is pairs
    figure = decided(items, result, "mean(group=b) - mean(group=a) > 0").figure
    assert figure is not None
    report = [line.mean, line.interval.low, line.interval.high]
    assert [figure.value, figure.low, figure.high] == pytest.approx(report, rel=1e-12)
    back = decided(items, result, "mean(group=a) - mean(group=b) < 0").figure
    assert back is not None
    assert [-back.value, -back.high, -back.low] == pytest.approx(report, rel=1e-12)


def test_a_gate_says_which_items_its_pairs_leave_out() -> None:
    claim = "mean(group=b) - mean(group=a) > 0"
    decision = decided(items_with(shared=12), scored(), claim)
    assert decision.sentence.endswith(
        ", without 16 scored items that have no partner with their prompt"
    )
    assert "without" not in decided(items_with(shared=20), scored(), claim).sentence


def test_a_gate_and_the_report_agree_on_what_is_told_apart() -> None:
    """Nine prompts have a score of b alone, so that the two means are of different prompts."""
    items, result = items_with(shared=20), scored(unasked=range(0, 18, 2))
    line = told(items, result)
    assert line.pairs == 11
    decision = decided(items, result, "mean(group=b) > mean(group=a)")
    assert (decision.outcome is Outcome.PASSED) is line.told_apart
    assert decision.figure is not None
    assert decision.figure.value == pytest.approx(line.mean)


@pytest.mark.parametrize("shared", [True, False])
def test_the_difference_in_python_is_that_of_the_report(tmp_path: Path, shared: bool) -> None:
    rows = [
        {
            "id": f"{group}{k}",
            "prompt": f"prompt {k}" if shared else f"prompt {k} of {group}",
            "response": "x" * (3 * k + 4 * (group == "long")),
            "group": group,
        }
        for k in range(1, 9)
        for group in ("short", "long")
    ]

    def rough(item: Item) -> float:
        return min(len(item.response) / 4 + len(item.id) % 2, 10)

    judges = [
        {"function": lambda item: min(len(item.response) / 3, 10), "price_per_call": 0.001},
        {"function": rough, "price_per_call": 0.001, "name": "rough"},
    ]
    found = adjudge.evaluate(
        rows,
        judges,
        budget=0.05,
        scale={"low": 0, "high": 10},
        ledger=tmp_path / "ledger.sqlite",
    )
    (line,) = content_of(found.items, found.result, title="t", now=NOW).differences
    assert (line.pairs > 0) is shared
    own = found.difference(line.first, line.second)
    assert (own.score, own.low, own.high) == pytest.approx(
        (line.mean, line.interval.low, line.interval.high), rel=1e-12
    )
