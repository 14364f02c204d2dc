"""The gain from people's labels for a panel, and from a panel for labels, on recorded judges.

`python -m benchmarks.people --data FOLDER` plays every cell and writes `results/people.csv`;
`python -m benchmarks.people --print` prints the averages and the bars of that file again.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.evidence import Evidence
from adjudge.core.groups import GroupMean
from adjudge.core.labels import Labels
from adjudge.core.panel import Guarding, Target, learn
from adjudge.core.panel.learning import Learned
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
from benchmarks.people_data import SETS, correlations, only, read
from benchmarks.people_table import MORE, Row, averaged, read_rows, table, write

RESULTS = Path(__file__).parent / "results" / "people.csv"
LEVEL = 0.9
LABELS = (25, 50, 100, 200)
FEW = (1, 5, 20)
"""Numbers of labels that must do no harm."""
CALLS = (1.0, 3.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One data set, with a number of items and of calls per item."""

    dataset: str
    axis: str
    items: int
    calls: float
    """Budget, in calls of average price per item."""


def measure(folder: Path, work: tuple[Cell, int]) -> list[Row]:
    """One run of a cell: rows for each number of labels.

    Calls are planned with one random set of labels of each number. Further sets are drawn for the
    same calls, since one set gives only one mean. The smallest numbers share the calls planned for
    the fewest of them.
    """
    cell, run = work
    size = (cell.dataset, cell.axis, cell.items)
    people = read(folder, cell.dataset, cell.axis).some(cell.items, stream(1, "items", *size, run))
    everyone = World.of(people.scores, cell, run)
    best = int(np.argmax(correlations(people)))
    single = World.of(only(people.scores, best), cell, run, budget=everyone.budget)
    panel = everyone.played(Panel()).estimate.score
    judge = Scorer.of(single, single.played(Panel()).evidence)
    rows = []
    for number in LABELS:
        order = stream(1, "labels", *size, run, number).permutation(cell.items)
        planned = everyone.with_labels(people.labels(np.sort(order[:number])))
        both = Scorer.of(everyone, planned.played(Panel(target=Target.REFERENCE)).evidence)
        for labels in (number, *(FEW if number == LABELS[0] else ())):
            for more in range(MORE):
                if more or labels != number:
                    rng = stream(1, "more labels", *asdict(cell).values(), run, labels, more)
                    order = rng.permutation(cell.items)
                given = people.labels(np.sort(order[:labels]))
                found = Found(panel=panel, both=both.scores(given), judge=judge.scores(given).score)
                rows.append(replace(found.row(cell, people.truth, order), runs=int(not more)))
    return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class World:
    """Judges to simulate, and the budget."""

    world: CategoricalWorld
    problem: Problem
    budget: float
    seed: tuple[object, ...]

    @classmethod
    def of(
        cls, scores: RecordedScores, cell: Cell, run: int, *, budget: float | None = None
    ) -> World:
        """The world of these judges; by default the budget is in calls of average price."""
        world = scores.world()
        problem = world.instance.problem(confidence=LEVEL)
        money = cell.calls * problem.items * problem.average_cost if budget is None else budget
        seed = (cell.dataset, cell.axis, cell.items, cell.calls, run)
        return cls(world=world, problem=problem, budget=money, seed=seed)

    def with_labels(self, labels: Labels) -> World:
        """The same world with labels."""
        return replace(self, problem=replace(self.problem, labels=labels))

    def played(self, strategy: Panel) -> Outcome:
        """One run."""
        rng = stream(1, "play", *self.seed)
        return play(strategy, self.problem, self.world, self.budget, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scorer:
    """The fit to the calls of a run, to be combined with any labels."""

    world: World
    evidence: Evidence
    learned: Learned

    @classmethod
    def of(cls, world: World, evidence: Evidence) -> Scorer:
        """The fit to the calls alone."""
        learned = learn(world.problem, evidence, draws=8, guarding=Guarding.OFF)
        # The panel's own interval is not measured, so one posterior draw is enough.
        return cls(world=world, evidence=evidence, learned=replace(learned, laws=(learned.law,)))

    def scores(self, labels: Labels) -> PeopleEstimate:
        """The scores on the people's scale."""
        problem = self.world.with_labels(labels).problem
        return people_estimate(problem, self.evidence, learned=self.learned)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """The scores of one run."""

    panel: FloatArray
    """(b) The panel's own scores; shape (K,)."""
    both: PeopleEstimate
    """(c) The panel with labels."""
    judge: FloatArray
    """(d) The best judge with labels; shape (K,)."""

    def row(self, cell: Cell, truth: FloatArray, order: IntArray) -> Row:
        """Errors of all four methods; `order` has the labelled items first."""
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


def _mean_square(errors: FloatArray) -> float:
    return float(np.mean(errors**2))


def _holds(found: GroupMean, truth: float) -> float:
    low, high = found.interval(LEVEL)
    return float(low <= truth <= high)


def main() -> None:
    """Simulate all cells, or print earlier results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--calls", type=float, nargs="+", default=CALLS, help="calls per item")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=Path, default=RESULTS)
    parser.add_argument("--print", action="store_true", help="print the file, measure nothing")
    options = parser.parse_args()
    if not options.print:
        if not options.data.is_dir():
            print(f"no recorded scores in {options.data}; give their folder with --data")
            return
        work = [
            (Cell(dataset=dataset, axis=axis, items=options.items, calls=calls), run)
            for run, (dataset, axis), calls in product(range(options.runs), SETS, options.calls)
        ]
        rows: list[Row] = []
        for found in in_parallel(measure, options.data, work, jobs=options.jobs):
            rows += found
            # Written after every result, since a long measurement may be stopped.
            write(options.csv, averaged(rows))
    print("\n".join(table(read_rows(options.csv))))


if __name__ == "__main__":
    main()
