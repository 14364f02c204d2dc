"""Error and coverage on worlds that differ from the recorded sets used for tuning.

`python -m benchmarks.unseen` measures every cell and prints an average per kind of world, and the
kinds that miss a bar. With `PYTHONPATH` set to another checkout's `src` it measures that one.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path

import numpy as np

from benchmarks import own_worlds

# isort: split
# The import above decides which worlds are loaded, so it must come first.
from adjudge.core.problem import Problem
from adjudge.simulate import CONTENDERS, Options, Outcome, in_parallel, play, stream
from adjudge.worlds import FAMILIES, Instance, World
from benchmarks.unseen_cells import CALLS, KINDS, Cell, cells
from benchmarks.unseen_coverage import Coverage
from benchmarks.unseen_table import LEVEL, misses, table

BASELINES = ("uniform", "cyclic")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run of one cell."""

    kind: str
    family: str
    items: int
    judges: int
    calls: float
    run: int
    error: float
    """Root mean squared error of the strategy, as a share of the score range."""
    uniform: float
    cyclic: float
    item: float
    """This and the next shares are coverages; see `unseen_coverage.Coverage`."""
    mean: float
    group: float
    difference: float
    by_score: float
    width: float
    """Mean width of the items' intervals, as a share of the score range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Options shared by all cells."""

    strategy: str
    seed: int


def measure(choice: Choice, work: tuple[Cell, int]) -> Row:
    """One run: the strategy and the two baselines on the same world."""
    cell, run = work
    world = world_of(choice, cell, run)
    instance = world.instance
    problem = problem_of(instance)
    budget = cell.calls * problem.items * problem.average_cost
    outcomes = {}
    for name in (choice.strategy, *BASELINES):
        strategy = CONTENDERS[name](problem, instance, budget, Options())
        rng = stream(choice.seed, "play", name, *_size(cell), run, cell.calls)
        outcomes[name] = play(strategy, problem, world, budget, rng=rng)
    own = outcomes[choice.strategy]
    errors = {name: _rmse(found, instance) for name, found in outcomes.items()}
    return Row(
        **asdict(cell),
        run=run,
        error=errors[choice.strategy],
        uniform=errors["uniform"],
        cyclic=errors["cyclic"],
        **Coverage.of(own, instance, LEVEL).as_dict(),
        width=float(own.estimate.interval(LEVEL).width.mean()) / problem.score_width,
    )


def world_of(choice: Choice, cell: Cell, run: int) -> World:
    """The world of a run, the same for all budgets and strategies."""
    rng = stream(choice.seed, "instance", *_size(cell), run)
    return FAMILIES[cell.family](cell.items, cell.judges, rng)


def _size(cell: Cell) -> tuple[object, ...]:
    return cell.family, cell.items, cell.judges


def problem_of(instance: Instance) -> Problem:
    """The problem, with groups if the measured code supports them."""
    problem = instance.problem(confidence=LEVEL)
    if "groups" in {field.name for field in fields(Problem)} and instance.groups is not None:
        problem = replace(problem, groups=instance.groups)
    return problem


def _rmse(outcome: Outcome, instance: Instance) -> float:
    low, high = instance.score_range
    return float(np.sqrt(np.mean((outcome.estimate.score - instance.truth) ** 2))) / (high - low)


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write all runs as CSV."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def write_json(path: Path, rows: Sequence[Row]) -> None:
    """Write all runs as JSON, one per line; null for nan."""
    lines = [
        json.dumps({name: _or_null(value) for name, value in asdict(row).items()}) for row in rows
    ]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def _or_null(value: object) -> object:
    return None if isinstance(value, float) and math.isnan(value) else value


def main() -> None:
    """Measure the chosen kinds and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--kinds", default=",".join(KINDS), help="names, separated by commas")
    parser.add_argument("--calls", type=float, nargs="+", default=CALLS, help="calls per item")
    parser.add_argument("--strategy", default="panel", choices=list(CONTENDERS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--csv", type=Path, help="write every run to this file")
    parser.add_argument("--json", type=Path, help="write every run to this file")
    parser.add_argument("--cells", action="store_true", help="print every cell, too")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        sys.exit(f"no kind {unknown[0]}; there are {', '.join(KINDS)}")
    work = [(cell, run) for cell in cells(kinds, options.calls) for run in range(options.runs)]
    choice = Choice(strategy=options.strategy, seed=options.seed)
    rows = list(in_parallel(measure, choice, work, jobs=options.jobs))
    rows.sort(key=lambda row: (kinds.index(row.kind), row.items, row.judges, row.calls, row.run))
    if options.csv:
        write_csv(options.csv, rows)
    if options.json:
        write_json(options.json, rows)
    print(f"strategy {options.strategy} of {own_worlds.measured()}, {options.runs} runs a cell\n")
    print("\n".join(table(rows, by_cell=options.cells)))
    print("\n".join(misses(rows)))


if __name__ == "__main__":
    main()
