from __future__ import annotations

import csv
import io
import json
import math

import numpy as np

from adjudge.studies import Outcome


def test_csv_and_json_hold_every_point(costs: Outcome) -> None:
    rows = list(csv.DictReader(io.StringIO(costs.csv())))
    values = json.loads(costs.json())
    points = [point for unit in costs.units for point in unit.points]
    assert len(rows) == len(values["points"]) == len(points)
    assert list(rows[0]) == [
        "study", "panel", "norm", "strategy", "budget", "run", "error", "spent", "calls",
    ]  # fmt: skip
    for row, point in zip(rows, points, strict=True):
        assert float(row["error"]) == point.error
        assert float(row["norm"]) == point.norm
    assert values["settings"]["items"] == 30
    assert values["runs"] == 6
    assert {start["strategy"] for start in values["starts"]} == {"oracle", "est-ivwe-bounded"}


def test_a_picture_for_each_norm_shows_every_strategy_and_both_bounds(synthetic: Outcome) -> None:
    pictures = synthetic.pictures()
    assert [picture.name for picture in pictures] == [
        "synthetic-l1",
        "synthetic-l2",
        "synthetic-linf",
    ]
    (errors,), (multiples,) = pictures[1].rows
    assert [line.label for line in errors.lines] == [
        "Oracle",
        "Uniform",
        "Uniform (IVW)",
        "Est-IVWE (Bounded)",
        "Est-IVWE (Gaussian)",
        "Lower bound, unbiased Gaussian scores",
        "Lower bound, bounded scores (conditions not met)",
    ]
    np.testing.assert_array_equal(multiples.lines[0].y, 1.0)
    assert pictures[1].caption.startswith("Mean of 16 runs, with the 10 % and 90 % quantiles")


def test_a_curve_that_starts_later_says_from_where(synthetic: Outcome) -> None:
    (errors,) = synthetic.pictures()[1].rows[0]
    lines = {line.key: line for line in errors.lines}
    assert lines["oracle"].begins is None
    late = lines["est-ivwe-bounded"]
    assert late.begins == synthetic.curves.begins("synthetic", 2.0, "est-ivwe-bounded")
    assert late.note.startswith("from ")
    assert late.x[0] >= late.begins > lines["oracle"].x[0]


def test_the_grid_of_recorded_judges_has_a_row_per_axis_and_a_column_per_norm(
    recorded_pair: tuple[Outcome, Outcome],
) -> None:
    filtered, differing = recorded_pair
    (grid,) = filtered.pictures()
    assert [[panel.title for panel in row] for row in grid.rows] == [
        ["tone, ℓ1", "tone, ℓ2", "tone, ℓ∞"],
        ["facts, ℓ1", "facts, ℓ2", "facts, ℓ∞"],
    ]
    (side_by_side,) = differing.pictures()
    assert [[panel.title for panel in row] for row in side_by_side.rows] == [
        ["tone, ℓ2", "facts, ℓ2"]
    ]


def test_the_cost_picture_compares_structures_by_strategy_and_by_their_gap(costs: Outcome) -> None:
    (picture,) = costs.pictures()
    assert [len(row) for row in picture.rows] == [3, 3, 3]
    for row in picture.rows:
        for panel in row:
            assert {line.key for line in panel.lines} == set(costs.study.panels)
    gap = picture.rows[2][1].lines[0]
    assert 0.8 < gap.y[-1] < 1.5
    assert math.isfinite(gap.y[0])
