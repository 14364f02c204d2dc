"""The bookkeeping of `benchmarks/people.py`."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.people_table import Row, averaged, read_rows, table, write

ROW = Row(
    dataset="one", axis="a", items=9, calls=1.0, labels=50, runs=1, labels_alone=0.04,
    panel_alone=0.09, both=0.01, best_judge=0.04, mean_by_labels=0.01, mean_by_both=0.0025,
    worth=2.0, mean_covered=1.0, difference_covered=1.0, items_covered=0.9, items_width=0.4,
)  # fmt: skip


def test_runs_are_averaged_and_squares_become_roots() -> None:
    other = replace(ROW, both=0.07, mean_covered=0.0)
    redrawn = replace(ROW, runs=0, both=0.04, worth=math.nan)
    (found,) = averaged([ROW, other, redrawn])
    assert found.runs == 2
    assert found.labels_alone == pytest.approx(0.2)
    assert found.both == pytest.approx(0.2)
    assert found.mean_covered == pytest.approx(2 / 3, abs=1e-4)
    assert found.worth == 2


def test_every_set_counts_alike_however_many_axes_it_has() -> None:
    rows = averaged([replace(ROW, axis=axis, worth=1.0) for axis in "abc"])
    lines = list(table([*rows, replace(rows[0], dataset="two", worth=3.0)]))
    assert any("worth 2.00 labels by the standard errors, 4.00" in line for line in lines)
    assert any("0.500" in line for line in lines)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    rows = averaged([ROW, replace(ROW, labels=25)])
    write(tmp_path / "people.csv", rows)
    assert read_rows(tmp_path / "people.csv") == rows
    assert [row.labels for row in rows] == [25, 50]
