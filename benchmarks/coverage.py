"""Coverage of intervals if not every item was asked, for several score distributions.

`python -m benchmarks.coverage` measures every cell and writes `results/coverage.csv`;
`python -m benchmarks.coverage --print` prints the table of that file again.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.groups import difference, group_mean
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel
from adjudge.simulate.grid import stream

RESULTS = Path(__file__).parent / "results" / "coverage.csv"
ITEMS = 200
LEVELS = (0.9, 0.95)
ASKED = (5, 10, 20, 40, 100, ITEMS)
ASKED_BY_STRATEGY = (20, ITEMS, 300)
"""Call budgets of the strategy; few, since its runs take ten times as long as those of a plan.

With three judges 300 calls reach every item, but not every pair.
"""
FIRST_LOOK = 0.5
"""Share of its runs after which a cell ends, if all its coverages are clearly above the level."""
AGREEMENT = 0.7
"""Correlation of two judges' answers on the latent normal scale."""
LAWS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "60 % pass": lambda u: (u < 0.6).astype(np.float64),
    "90 % pass": lambda u: (u < 0.9).astype(np.float64),
    "97 % pass": lambda u: (u < 0.97).astype(np.float64),
    "99 % pass": lambda u: (u < 0.99).astype(np.float64),
    "uniform": lambda u: u,
    "normal": lambda u: np.clip(0.6 + 0.15 * ndtri(u), 0.0, 1.0),
    "two points": lambda u: np.where(u < 0.3, 0.3, 0.8),
    "skewed": lambda u: 1 - 0.02 * np.minimum((1 - u) ** -0.7 - 1, 50.0),
}
"""Maps uniform numbers on 0 to 1 to scores. The last kind is mostly near 1, rarely far below."""
ROUNDING = 1e-9
MEAN, DIFFERENCE, UNASKED = "mean", "difference", "unasked item"
BY_PLAN, BY_STRATEGY = "every judge once", "strategy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One world, and how many calls are made in it."""

    law: str
    judges: int
    asked: int
    """Items asked once of every judge, or the strategy's budget in calls."""
    chosen: str
    runs: int
    """Most runs; see `measure`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Coverage and width of one kind of interval in a cell."""

    law: str
    judges: int
    asked: int
    chosen: str
    items: float
    """Mean number of items asked."""
    quantity: str
    level: float
    runs: int
    """Runs in which the quantity exists."""
    coverage: float
    error: float
    """Standard error of the coverage, if the true coverage is the level."""
    width: float

    @property
    def holds(self) -> bool:
        """Whether coverage is not below the level by more than three standard errors."""
        return self.coverage >= self.level - 3 * self.error

    @property
    def holds_clearly(self) -> bool:
        """Whether coverage is at least one standard error above the level."""
        return self.coverage >= self.level + self.error


def truth_of(cell: Cell, rng: np.random.Generator) -> FloatArray:
    """Each judge's answer on each item; judges have no noise; shape (K, J)."""
    common = rng.standard_normal((ITEMS, 1))
    own = rng.standard_normal((ITEMS, cell.judges))
    mixed = math.sqrt(AGREEMENT) * common + math.sqrt(1 - AGREEMENT) * own
    return LAWS[cell.law](ndtr(mixed))


def evidence_of(
    cell: Cell, problem: Problem, truth: FloatArray, rng: np.random.Generator
) -> Evidence:
    """The evidence of a run on these answers."""
    evidence = Evidence.none(problem)
    if cell.chosen == BY_PLAN:
        counts = np.zeros(truth.shape, np.int64)
        counts[rng.permutation(ITEMS)[: cell.asked]] = 1
        return evidence.plus(Allocation(counts=counts), _answers(truth, counts))
    remaining = float(cell.asked)
    while batch := Panel().next_batch(problem, evidence, remaining, rng):
        evidence = evidence.plus(batch, _answers(truth, batch.counts))
        remaining -= batch.cost(problem)
        if remaining < -DUST:
            raise RuntimeError("the strategy spent more than it had")
    return evidence


def _answers(truth: FloatArray, counts: IntArray) -> Moments:
    return Moments(n=counts, mean=np.where(counts > 0, truth, 0.0), m2=np.zeros(truth.shape))


def measure(cell: Cell, *, seed: int = 1) -> list[Row]:
    """Coverage and width of every kind of interval.

    A cell ends after `FIRST_LOOK` of its runs if all coverages are clearly above the level: they
    need no more precision.
    """
    held: dict[tuple[str, float], list[tuple[float, float]]] = {}
    asked = []
    for run in range(cell.runs):
        rng = stream(seed, "coverage", cell.law, cell.judges, cell.asked, cell.chosen, run)
        truth = truth_of(cell, rng)
        problem = Problem.of(np.ones(cell.judges), items=ITEMS)
        evidence = evidence_of(cell, problem, truth, rng)
        estimate = Panel().estimate(problem, evidence)
        seen = evidence.pooled.n.any(axis=1)
        asked.append(np.count_nonzero(seen))
        for level in LEVELS:
            for quantity, found in _outcomes(estimate, truth.mean(axis=1), seen, level):
                held.setdefault((quantity, level), []).append(found)
        if run + 1 == math.ceil(FIRST_LOOK * cell.runs):
            rows = _rows(cell, asked, held)
            if all(row.holds_clearly for row in rows):
                return rows
    return _rows(cell, asked, held)


def _rows(
    cell: Cell, asked: Sequence[int], held: dict[tuple[str, float], list[tuple[float, float]]]
) -> list[Row]:
    return [_row(cell, float(np.mean(asked)), key, found) for key, found in held.items()]


def _outcomes(
    estimate: Estimate, score: FloatArray, seen: BoolArray, level: float
) -> Iterator[tuple[str, tuple[float, float]]]:
    """For every kind of interval, the share that covers the truth, and the mean width."""
    yield MEAN, _held(group_mean(estimate, np.arange(ITEMS)).interval(level), float(score.mean()))
    first = np.arange(ITEMS) < ITEMS // 2
    if seen[first].any() and seen[~first].any():
        apart = float(score[first].mean() - score[~first].mean())
        yield DIFFERENCE, _held(difference(estimate, first, ~first).interval(level), apart)
    if not seen.all():
        interval = estimate.interval(level)
        low, high, own = interval.low[~seen], interval.high[~seen], score[~seen]
        inside = (low <= own + ROUNDING) & (own <= high + ROUNDING)
        yield UNASKED, (float(inside.mean()), float((high - low).mean()))


def _held(interval: tuple[float, float], truth: float) -> tuple[float, float]:
    low, high = interval
    return float(low - ROUNDING <= truth <= high + ROUNDING), high - low


def _row(
    cell: Cell, items: float, key: tuple[str, float], found: Sequence[tuple[float, float]]
) -> Row:
    quantity, level = key
    covered, widths = np.array(found).T
    # Unasked items of a run share one interval, so use the standard deviation between runs.
    spread = float(covered.std()) if quantity == UNASKED else math.sqrt(level * (1 - level))
    return Row(
        law=cell.law,
        judges=cell.judges,
        asked=cell.asked,
        chosen=cell.chosen,
        items=round(items, 1),
        quantity=quantity,
        level=level,
        runs=len(found),
        coverage=round(float(covered.mean()), 4),
        error=round(spread / math.sqrt(len(found)), 4),
        width=round(float(widths.mean()), 4),
    )


def cells(
    runs: int, runs_of_strategy: int, asked: Sequence[int], asked_by_strategy: Sequence[int]
) -> Iterator[Cell]:
    """All cells."""
    for chosen, number, sizes in (
        (BY_PLAN, runs, asked),
        (BY_STRATEGY, runs_of_strategy, asked_by_strategy),
    ):
        for judges, law, size in product((1, 3), LAWS, sizes if number else ()):
            if size > ITEMS * judges:
                continue
            yield Cell(law=law, judges=judges, asked=size, chosen=chosen, runs=number)


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Coverage in percent and width, one line per world and number of items asked."""
    kinds = list(product((MEAN, DIFFERENCE, UNASKED), LEVELS))
    names = [f"{quantity}, {level:.0%}" for quantity, level in kinds]
    yield f"| scores | judges | asked | chosen by | items asked | {' | '.join(names)} |"
    yield "|" + "---|" * (5 + len(names))
    found: dict[tuple[object, ...], dict[tuple[str, float], Row]] = {}
    for row in rows:
        cell = (row.law, row.judges, row.asked, row.chosen, f"{row.items:g}")
        found.setdefault(cell, {})[row.quantity, row.level] = row
    for cell, own in found.items():
        shown = [_shown(own.get(kind)) for kind in kinds]
        yield f"| {' | '.join(map(str, cell))} | {' | '.join(shown)} |"


def _shown(row: Row | None) -> str:
    if row is None:
        return "-"
    return f"{100 * row.coverage:.1f} ({row.width:.3f}){'' if row.holds else ' !'}"


def read(path: Path) -> list[Row]:
    """The rows written by an earlier run."""
    kinds = {"judges": int, "asked": int, "runs": int}
    texts = {"law", "chosen", "quantity"}
    with path.open(newline="") as file:
        return [
            Row(
                **{
                    name: value if name in texts else kinds.get(name, float)(value)
                    for name, value in line.items()
                }
            )
            for line in csv.DictReader(file)
        ]


def write(path: Path, rows: Sequence[Row]) -> None:
    """All rows as CSV."""
    path.parent.mkdir(exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def main() -> None:
    """Measure all cells, or print earlier results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--print", action="store_true", dest="only_print")
    parser.add_argument("--runs", type=int, default=80)
    parser.add_argument("--runs-of-strategy", type=int, default=40)
    parser.add_argument("--asked", type=int, nargs="+", default=ASKED)
    parser.add_argument("--asked-by-strategy", type=int, nargs="+", default=ASKED_BY_STRATEGY)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--file", type=Path, default=RESULTS)
    choice = parser.parse_args()
    if not choice.only_print:
        with ProcessPoolExecutor(choice.jobs) as pool:
            chosen = cells(
                choice.runs, choice.runs_of_strategy, choice.asked, choice.asked_by_strategy
            )
            measured = list(pool.map(measure, chosen))
        write(choice.file, [row for rows in measured for row in rows])
    rows = read(choice.file)
    print("\n".join(table(rows)))
    short = [row for row in rows if not row.holds]
    worst = min(rows, key=lambda row: (row.coverage - row.level) / max(row.error, 1e-4))
    print(
        f"\n{len(rows)} cells; more than three standard errors below their level: {len(short)}. "
        f"The worst: {worst.law}, {worst.judges} judges, {worst.asked} asked by {worst.chosen}, "
        f"{worst.quantity}, {worst.coverage:.1%} of {worst.level:.0%}."
    )


if __name__ == "__main__":
    main()
