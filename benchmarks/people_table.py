"""The tables of `people`: averages over runs and data sets, and the bars."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

MORE = 100
"""Random sets of labels of each number, for the calls of one run."""
FEWEST = 25
"""Smallest number of labels at which the bars are measured."""
ROOTS = ("labels_alone", "panel_alone", "both", "best_judge", "mean_by_labels", "mean_by_both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Means over the runs of a cell; errors are on the scale 0 to 1, over unlabelled items."""

    dataset: str
    axis: str
    items: int
    calls: float
    labels: int
    runs: int
    labels_alone: float
    """(a) Root mean squared error of the labels' mean."""
    panel_alone: float
    """(b) The same of the panel's own score."""
    both: float
    """(c) The same of the panel with labels."""
    best_judge: float
    """(d) The same of the judge with the highest long-run correlation with people, with labels."""
    mean_by_labels: float
    """Root mean squared error of the mean of all items, by labels alone."""
    mean_by_both: float
    """The same, by labels and judges."""
    worth: float
    """Labels alone that equal one label with judges, for the standard error of that mean."""
    mean_covered: float
    """Coverage of 90 % intervals of the mean of all items."""
    difference_covered: float
    """Coverage of the difference between the first and the second half of the items."""
    items_covered: float
    """Coverage of unlabelled items."""
    items_width: float


def averaged(rows: Sequence[Row]) -> list[Row]:
    """One row for each cell and number of labels: means, and roots of mean squares."""
    cells: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.dataset, row.axis, row.calls, row.labels), []).append(row)
    found = []
    for same in cells.values():
        values = {
            field.name: _known_mean([getattr(row, field.name) for row in same])
            for field in fields(Row)
            if field.type == "float"
        }
        values |= {name: math.sqrt(values[name]) for name in ROOTS}
        rounded: dict[str, Any] = {name: round(value, 4) for name, value in values.items()}
        found.append(replace(same[0], runs=sum(row.runs for row in same), **rounded))
    return sorted(found, key=lambda row: (row.dataset, row.axis, row.calls, row.labels))


def _known_mean(values: Sequence[float]) -> float:
    """Mean of the values that are not nan; nan if all are."""
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Averages over sets and axes, one line per number of calls and labels, and the bars."""
    yield (
        "| calls | labels | labels alone | panel alone | both | best judge | both / better | "
        "worth of a label | mean, % | difference, % | items, % |"
    )
    yield "|" + "---|" * 11
    for calls, labels in product(sorted({r.calls for r in rows}), sorted({r.labels for r in rows})):
        some = [row for row in rows if (row.calls, row.labels) == (calls, labels)]
        yield "| " + " | ".join([f"{calls:g}", f"{labels}", *_averages(some)]) + " |"
    yield ""
    for labels in sorted({row.labels for row in rows}):
        some = [row for row in rows if row.labels == labels]
        yield (
            f"{labels} labels: both over the panel alone {_over(some, 'both', 'panel_alone')}, "
            f"means by both over labels alone {_over(some, 'mean_by_both', 'mean_by_labels')}."
        )
    rows = [row for row in rows if row.labels >= FEWEST]
    fifty = [row for row in rows if row.labels == 50]
    every = sum(row.runs for row in rows)
    yield ""
    yield f"Both over the better of the two at 50 labels: {_ratio(fifty):.3f} (at most 0.95)."
    yield (
        f"A label for means is worth {_mean(rows, 'worth'):.2f} labels by the standard errors, "
        f"{_worth_by_errors(rows):.2f} by the errors made (at least 1.3)."
    )
    yield (
        f"90 % intervals hold for {_mean(rows, 'mean_covered'):.1%} of means (88 to 93), "
        f"{_mean(rows, 'difference_covered'):.1%} of differences and "
        f"{_mean(rows, 'items_covered'):.1%} of items (87 to 93); {every} runs, "
        f"{MORE} sets of labels in each."
    )


def _over(rows: Sequence[Row], one: str, other: str) -> str:
    """Ratio of two errors: the mean over sets, and the largest of any set and axis."""
    ratios = [replace(row, worth=getattr(row, one) / getattr(row, other)) for row in rows]
    cells: dict[tuple[str, str], list[float]] = {}
    for row in ratios:
        cells.setdefault((row.dataset, row.axis), []).append(row.worth)
    worst = max(float(np.mean(values)) for values in cells.values())
    return f"{_mean(ratios, 'worth'):.3f} (at most {worst:.3f} of a set and axis)"


def _averages(rows: Sequence[Row]) -> Iterator[str]:
    for name in ("labels_alone", "panel_alone", "both", "best_judge"):
        yield f"{_mean(rows, name):.3f}"
    yield f"{_ratio(rows):.3f}"
    yield f"{_mean(rows, 'worth'):.2f}"
    for name in ("mean_covered", "difference_covered", "items_covered"):
        yield f"{100 * _mean(rows, name):.1f}"


def _mean(rows: Sequence[Row], name: str) -> float:
    """Mean over sets of the mean over each set's axes."""
    sets: dict[str, list[float]] = {}
    for row in rows:
        sets.setdefault(row.dataset, []).append(float(getattr(row, name)))
    return float(np.mean([np.mean(values) for values in sets.values()]))


def _ratio(rows: Sequence[Row]) -> float:
    sets: dict[str, list[float]] = {}
    for row in rows:
        better = min(row.labels_alone, row.panel_alone)
        sets.setdefault(row.dataset, []).append(row.both / better)
    return float(np.mean([np.mean(values) for values in sets.values()]))


def _worth_by_errors(rows: Sequence[Row]) -> float:
    """Ratio of mean squared errors of the mean: labels alone over both.

    Weighted so that every number of labels counts equally.
    """
    sets: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        squares = row.labels * row.mean_by_labels**2, row.labels * row.mean_by_both**2
        sets.setdefault(row.dataset, []).append(squares)
    sums = [np.sum(squares, axis=0) for squares in sets.values()]
    return float(np.mean([alone / both for alone, both in sums]))


def write(path: Path, rows: Sequence[Row]) -> None:
    """Write the rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def read_rows(path: Path) -> list[Row]:
    """The rows written by an earlier run."""
    kinds = {"float": float, "int": int, "str": str}
    with path.open(newline="") as file:
        return [
            Row(**{field.name: kinds[str(field.type)](row[field.name]) for field in fields(Row)})
            for row in csv.DictReader(file)
        ]
