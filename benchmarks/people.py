"""What labels of people add to a panel, and a panel to labels, on recorded judges.

`python -m benchmarks.people --data FOLDER` plays every cell and writes `results/people.csv`;
`python -m benchmarks.people --print` prints the averages and the bars of that file again.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.core.panel import GroupMean, Target
from adjudge.core.people import (
    PeopleEstimate,
    PeopleMean,
    difference,
    group_mean,
    people_estimate,
)
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel
from adjudge.simulate import Outcome, in_parallel, play, stream
from adjudge.worlds.categorical import CategoricalWorld
from adjudge.worlds.recorded import RecordedScores

RESULTS = Path(__file__).parent / "results" / "people.csv"
LEVEL = 0.9
LABELS = (25, 50, 100, 200)
CALLS = (1.0, 3.0, 10.0)
HUMANS = ("human1", "human2", "human3")
AXES = ("coherence", "complexity", "empathy", "engagement", "relevance", "surprise")
PRICES = {
    "gpt-5.4": 0.0044,
    "gpt-5.4-mini": 0.0011,
    "gpt-5.4-nano": 0.00037,
    "claude-sonnet-4.6": 0.0046,
    "claude-haiku-4.5": 0.0016,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One set, with so many items and calls per item."""

    dataset: str
    axis: str
    items: int
    calls: float
    """Budget, in calls of average price per item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The mean over the runs of a cell; errors on the scale 0 to 1, over items without a label."""

    dataset: str
    axis: str
    items: int
    calls: float
    labels: int
    runs: int
    labels_alone: float
    """(a) Root mean squared error of the labels' mean."""
    panel_alone: float
    """(b) Of the panel's own score."""
    both: float
    """(c) Of the panel with labels."""
    best_judge: float
    """(d) Of the judge that goes best with people in the long run, with labels."""
    mean_by_labels: float
    """Root mean squared error of the mean of all items, by labels alone."""
    mean_by_both: float
    """The same with judges."""
    worth: float
    """Labels alone that one label beside judges is worth for that mean, by the standard errors."""
    mean_covered: float
    """Share of 90 % intervals of the mean of all items that hold."""
    difference_covered: float
    """Of the difference between the first and the second half of the items."""
    items_covered: float
    """Share of items without a label whose interval holds."""
    items_width: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """Recorded judges, and what each rater said of the items; on the scale 0 to 1."""

    scores: RecordedScores
    ratings: FloatArray
    """Shape (K, raters)."""
    yes_or_no: bool

    @property
    def truth(self) -> FloatArray:
        """What people say on average; shape (K,)."""
        truth: FloatArray = self.ratings.mean(axis=1)
        return truth

    def some(self, items: int, rng: np.random.Generator) -> People:
        """So many random items, or all if there are no more."""
        chosen = np.sort(rng.permutation(self.scores.items)[:items])
        return replace(self, scores=self.scores.keep(chosen), ratings=self.ratings[chosen])

    def labels(self, items: IntArray) -> Labels:
        """All raters' ratings of these items."""
        raters = self.ratings.shape[1]
        return Labels.of(
            np.repeat(items, raters),
            self.ratings[items].ravel(),
            items=self.scores.items,
            rater=np.tile(np.arange(raters), items.size),
            yes_or_no=self.yes_or_no,
        )


def read(folder: Path, dataset: str, axis: str) -> People:
    """The judges of a set and its people: three raters, or the reference."""
    path = folder / f"{dataset}.parquet"
    if dataset.startswith("hanna"):
        table = pl.read_parquet(path).filter(pl.col("axis") == axis)
        names = sorted(set(table["judge"]) - set(HUMANS))
        scores = RecordedScores.read(path, axis=axis, judges=names)
        table = table.filter(pl.col("judge").is_in(HUMANS))
        wide = table.group_by("item", "judge").agg(pl.col("score").mean())
        found = {(item, judge): score for item, judge, score in wide.iter_rows()}
        low, high = scores.scale
        ratings = np.array([[found[i, h] for h in HUMANS] for i in scores.item_names])
        return People(scores=scores, ratings=(ratings - low) / (high - low), yes_or_no=False)
    scores = RecordedScores.read(path, axis=axis, prices=PRICES, judges=list(PRICES))
    table = pl.read_csv(folder / f"{dataset}.items.csv.gz").filter(pl.col("axis") == axis)
    reference = dict(zip(table["item"], table["reference"], strict=True))
    ratings = np.array([[reference[item]] for item in scores.item_names], np.float64)
    return People(scores=scores, ratings=ratings, yes_or_no=True)


def measure(folder: Path, work: tuple[Cell, int]) -> list[Row]:
    """One run of a cell: a row for each number of labels."""
    cell, run = work
    size = (cell.dataset, cell.axis, cell.items)
    people = read(folder, cell.dataset, cell.axis).some(cell.items, stream(1, "items", *size, run))
    everyone = World.of(people.scores, cell, run)
    best = int(np.argmax(_correlations(people)))
    single = World.of(_only(people.scores, best), cell, run, budget=everyone.budget)
    panel = everyone.played(Panel())
    judge = single.played(Panel())
    rows = []
    for number in LABELS:
        order = stream(1, "labels", *size, run, number).permutation(cell.items)
        labels = people.labels(np.sort(order[:number]))
        both = everyone.with_labels(labels).played(Panel(target=Target.REFERENCE)).estimate
        one = people_estimate(single.with_labels(labels).problem, judge.evidence)
        assert isinstance(both, PeopleEstimate)
        found = Found(panel=panel.estimate.score, both=both, judge=one.score)
        rows.append(found.row(cell, people.truth, order))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """Judges to play with, and what they may cost."""

    world: CategoricalWorld
    problem: Problem
    budget: float
    seed: tuple[object, ...]

    @classmethod
    def of(
        cls, scores: RecordedScores, cell: Cell, run: int, *, budget: float | None = None
    ) -> World:
        """The world of these judges; the budget in their average price unless given."""
        world = scores.world()
        problem = world.instance.problem(confidence=LEVEL)
        money = cell.calls * problem.items * problem.average_cost if budget is None else budget
        seed = (cell.dataset, cell.axis, cell.items, cell.calls, run)
        return cls(world=world, problem=problem, budget=money, seed=seed)

    def with_labels(self, labels: Labels) -> World:
        """The same with labels."""
        return replace(self, problem=replace(self.problem, labels=labels))

    def played(self, strategy: Panel) -> Outcome:
        """One run."""
        rng = stream(1, "play", *self.seed)
        return play(strategy, self.problem, self.world, self.budget, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The scores of one run."""

    panel: FloatArray
    """(b); shape (K,)."""
    both: PeopleEstimate
    """(c)."""
    judge: FloatArray
    """(d); shape (K,)."""

    def row(self, cell: Cell, truth: FloatArray, order: IntArray) -> Row:
        """Errors of all four; `order` has the labelled items first."""
        number = self.both.labels.labelled.size
        labelled, rest = order[:number], order[number:]
        alone = float(truth[labelled].mean())
        whole = group_mean(self.both, np.arange(truth.size))
        assert isinstance(whole, PeopleMean)
        first = np.arange(truth.size) < truth.size // 2
        apart = difference(self.both, first, ~first)
        interval = self.both.interval(LEVEL)
        return Row(
            **asdict(cell),
            labels=number,
            runs=1,
            labels_alone=_mean_square(truth[rest] - alone),
            panel_alone=_mean_square(truth[rest] - self.panel[rest]),
            both=_mean_square(truth[rest] - self.both.score[rest]),
            best_judge=_mean_square(truth[rest] - self.judge[rest]),
            mean_by_labels=(alone - float(truth.mean())) ** 2,
            mean_by_both=(whole.mean - float(truth.mean())) ** 2,
            worth=whole.worth_of_a_label,
            mean_covered=_holds(whole, float(truth.mean())),
            difference_covered=_holds(apart, float(truth[first].mean() - truth[~first].mean())),
            items_covered=float(interval.covers(truth)[rest].mean()),
            items_width=float(interval.width[rest].mean()),
        )


def _only(scores: RecordedScores, judge: int) -> RecordedScores:
    """The scores of one judge, of the items that it scored; of others it is asked for nothing."""
    one = [judge]
    # A judge without a score of an item gets its mean over the others.
    times = scores.times[:, one].copy()
    values = scores.values[:, one].copy()
    missing = times.sum(axis=(1, 2)) == 0
    usual = float((values * times).sum() / times.sum())
    values[missing, :, 0], times[missing, :, 0] = usual, 1
    return replace(
        scores,
        values=values,
        times=times,
        price=scores.price[one],
        judge_names=(scores.judge_names[judge],),
    )


def _correlations(people: People) -> list[float]:
    """Of each judge's long-run answers with people."""
    times = people.scores.times
    total = times.sum(axis=2)
    mean = (people.scores.values * times).sum(axis=2) / np.maximum(total, 1)
    return [
        float(np.corrcoef(mean[seen, j], people.truth[seen])[0, 1])
        for j, seen in enumerate((total > 0).T)
    ]


def _mean_square(errors: FloatArray) -> float:
    return float(np.mean(errors**2))


def _holds(found: GroupMean, truth: float) -> float:
    low, high = found.interval(LEVEL)
    return float(low <= truth <= high)


ROOTS = ("labels_alone", "panel_alone", "both", "best_judge", "mean_by_labels", "mean_by_both")


def averaged(rows: Sequence[Row]) -> list[Row]:
    """One row for each cell and number of labels: means, and roots of mean squares."""
    cells: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        cells.setdefault((row.dataset, row.axis, row.calls, row.labels), []).append(row)
    found = []
    for same in cells.values():
        values = {
            field.name: float(np.mean([getattr(row, field.name) for row in same]))
            for field in fields(Row)
            if field.type == "float"
        }
        values |= {name: math.sqrt(values[name]) for name in ROOTS}
        rounded: dict[str, Any] = {name: round(value, 4) for name, value in values.items()}
        found.append(replace(same[0], runs=len(same), **rounded))
    return sorted(found, key=lambda row: (row.dataset, row.axis, row.calls, row.labels))


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Averages over sets and axes, a line for each number of calls and labels, and the bars."""
    yield (
        "| calls | labels | labels alone | panel alone | both | best judge | both / better | "
        "worth of a label | mean, % | difference, % | items, % |"
    )
    yield "|" + "---|" * 11
    for calls, labels in product(sorted({r.calls for r in rows}), sorted({r.labels for r in rows})):
        some = [row for row in rows if (row.calls, row.labels) == (calls, labels)]
        yield "| " + " | ".join([f"{calls:g}", f"{labels}", *_averages(some)]) + " |"
    fifty = [row for row in rows if row.labels == 50]
    every = _mean(rows, "runs") * len(rows)
    yield ""
    yield f"Both over the better of the two at 50 labels: {_ratio(fifty):.3f} (at most 0.95)."
    yield f"A label for means is worth {_mean(rows, 'worth'):.2f} labels (at least 1.3)."
    yield (
        f"90 % intervals hold for {_mean(rows, 'mean_covered'):.1%} of means (88 to 93), "
        f"{_mean(rows, 'difference_covered'):.1%} of differences and "
        f"{_mean(rows, 'items_covered'):.1%} of items (87 to 93); {every:.0f} runs."
    )


def _averages(rows: Sequence[Row]) -> Iterator[str]:
    for name in ("labels_alone", "panel_alone", "both", "best_judge"):
        yield f"{_mean(rows, name):.3f}"
    yield f"{_ratio(rows):.3f}"
    yield f"{_mean(rows, 'worth'):.2f}"
    for name in ("mean_covered", "difference_covered", "items_covered"):
        yield f"{100 * _mean(rows, name):.1f}"


def _mean(rows: Sequence[Row], name: str) -> float:
    """Over sets, each the mean of its axes."""
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


def write(path: Path, rows: Sequence[Row]) -> None:
    """The rows as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def read_rows(path: Path) -> list[Row]:
    """The rows that a run wrote."""
    kinds = {"float": float, "int": int, "str": str}
    with path.open(newline="") as file:
        return [
            Row(**{field.name: kinds[str(field.type)](row[field.name]) for field in fields(Row)})
            for row in csv.DictReader(file)
        ]


def main() -> None:
    """Play all cells, or print what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--calls", type=float, nargs="+", default=CALLS, help="calls per item")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="print the file, measure nothing")
    options = parser.parse_args()
    if not options.print:
        sets = [("hanna_llm_prompts", axis) for axis in AXES] + [("rewardbench2_core5x8", "base")]
        work = [
            (Cell(dataset=dataset, axis=axis, items=options.items, calls=calls), run)
            for run, (dataset, axis), calls in product(range(options.runs), sets, options.calls)
        ]
        rows: list[Row] = []
        for found in in_parallel(measure, options.data, work, jobs=options.jobs):
            rows += found
            # Written as it grows: a measurement of an hour may be stopped.
            write(options.csv, averaged(rows))
    print("\n".join(table(read_rows(options.csv))))


if __name__ == "__main__":
    main()
