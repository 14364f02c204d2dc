"""The bookkeeping of `benchmarks/unseen.py`."""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from benchmarks.unseen import Choice, Row, measure, world_of
from benchmarks.unseen_cells import CALLS, KINDS, Cell, cells
from benchmarks.unseen_coverage import Coverage
from benchmarks.unseen_table import cell_lines, kind_lines, misses, table

from adjudge.core.evidence import Evidence
from adjudge.core.strategies import Uniform
from adjudge.simulate import Outcome, play
from adjudge.worlds import FAMILIES, Instance

HERE = Path(__file__).parents[2]
CELL = Cell(kind="two-systems", family="two-systems", items=12, judges=3, calls=2.0)
ROW = Row(
    kind="quiet", family="quiet", items=9, judges=3, calls=1.0, run=0, error=0.02, uniform=0.04,
    cyclic=0.03, item=0.9, mean=1.0, group=0.5, difference=1.0, by_score=math.nan, width=0.1,
)  # fmt: skip


def uniform_on(name: str, calls: int) -> tuple[Outcome, Instance]:
    world = FAMILIES[name](12, 3, np.random.default_rng(1))
    problem = world.instance.problem(confidence=0.9)
    budget = calls * problem.cost_of_every_pair
    played = play(Uniform(), problem, world, budget, rng=np.random.default_rng(2))
    return played, world.instance


def test_every_kind_has_cells_of_known_families_at_every_budget() -> None:
    found = list(cells(list(KINDS), CALLS))
    assert {cell.kind for cell in found} == set(KINDS)
    assert {cell.family for cell in found} <= set(FAMILIES)
    assert {cell.calls for cell in found if cell.kind == "drift"} == set(CALLS)
    assert len(set(found)) == len(found)


def test_a_run_is_the_same_again_and_its_numbers_are_in_range() -> None:
    choice = Choice(strategy="panel", seed=1)
    row = measure(choice, (CELL, 0))
    assert row == measure(choice, (CELL, 0))
    assert row != measure(choice, (CELL, 1))
    assert 0 < row.error < 1
    for share in (row.item, row.mean, row.group, row.difference, row.by_score):
        assert 0 <= share <= 1


def test_all_budgets_of_a_run_have_the_same_world() -> None:
    choice = Choice(strategy="panel", seed=1)
    one, other = (world_of(choice, replace(CELL, calls=calls), 0) for calls in (1.0, 10.0))
    np.testing.assert_array_equal(one.instance.mean, other.instance.mean)
    assert not np.array_equal(one.instance.mean, world_of(choice, CELL, 1).instance.mean)


def test_items_that_are_known_for_certain_do_not_count() -> None:
    outcome, instance = uniform_on("deterministic", 1)
    known = Coverage.of(outcome, instance, 0.9)
    assert all(math.isnan(share) for share in known.as_dict().values())
    nothing = replace(outcome, evidence=Evidence.none(instance.problem()))
    assert Coverage.of(nothing, instance, 0.9).item >= 0


def test_intervals_that_miss_are_counted() -> None:
    outcome, instance = uniform_on("two-systems", 50)
    estimate = outcome.estimate
    sure = replace(estimate, score=instance.truth, variance=np.full(12, 1e-12))
    right = Coverage.of(replace(outcome, estimate=sure), instance, 0.9)
    assert set(right.as_dict().values()) == {1.0}
    shifted = replace(sure, score=np.clip(instance.truth + 0.01, 1, 10))
    wrong = Coverage.of(replace(outcome, estimate=shifted), instance, 0.9)
    assert (wrong.item, wrong.mean, wrong.group) == (0.0, 0.0, 0.0)
    assert (wrong.difference, wrong.by_score) == (1.0, 1.0)


def test_a_line_has_the_ratio_to_the_better_baseline_and_mean_coverage() -> None:
    runs = [ROW, replace(ROW, run=1, error=0.04, uniform=0.08, cyclic=0.02, item=0.8, mean=0.0)]
    [line] = kind_lines(runs)
    expected = math.sqrt(21 / 31 * 41 / 21)
    assert math.exp(line.ratio.value) == pytest.approx(expected)
    assert line.covered["item"].value == pytest.approx(0.85)
    assert line.covered["item"].error == pytest.approx(0.05)
    assert line.covered["mean"].value == 0.5
    assert math.isnan(line.covered["by_score"].value)
    *_, total = table(runs)
    assert total.startswith("| all kinds | 1.15")


def test_every_cell_of_a_kind_counts_alike() -> None:
    other = [replace(ROW, items=20, item=0.5, run=run) for run in range(3)]
    assert len(cell_lines([ROW, *other])["quiet"]) == 2
    [line] = kind_lines([ROW, *other])
    assert line.covered["item"].value == pytest.approx(0.7)


def test_missed_bars_are_named_with_what_noise_allows() -> None:
    runs = [
        replace(ROW, run=run, error=0.08, item=0.5 + 0.01 * run, mean=float(run > 0), group=0.9)
        for run in range(10)
    ]
    found = list(misses(runs))
    assert any("quiet: error" in line and "standard errors" not in line for line in found)
    assert any("item 54.5 ± 1.0 below 84: quiet, 9 items" in line for line in found)
    assert any("difference 100.0 ± 9.5 above 94 (within 2" in line for line in found)
    assert not any("mean" in line or "group" in line for line in found)


def test_another_checkout_is_measured_on_the_worlds_of_this_one(tmp_path: Path) -> None:
    """A copy of the package without the families: strategies are its own, worlds are not."""
    package = tmp_path / "src" / "adjudge"
    package.parent.mkdir()
    subprocess.run(["cp", "-r", str(HERE / "src" / "adjudge"), str(package)], check=True)
    (package / "worlds" / "stress_families.py").unlink()
    table = tmp_path / "runs.csv"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.unseen", "--runs", "1", "--kinds", "drift",
         "--calls", "1", "--csv", str(table)],
        env=os.environ | {"PYTHONPATH": f"{package.parent}{os.pathsep}{HERE}"},
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(package) in done.stdout
    with table.open(newline="") as file:
        [row] = csv.DictReader(file)
    assert (row["kind"], row["calls"], row["run"]) == ("drift", "1.0", "0")
