"""Strategies x budgets x norms x runs, in parallel and reproducible from the seed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from adjudge.errors import BudgetError, InputError
from adjudge.simulate.contenders import CONTENDERS, Options
from adjudge.simulate.parallel import in_parallel
from adjudge.simulate.play import play
from adjudge.worlds import FAMILIES, ConstantJudgeWorld, RecordedScores, World


class Source(Protocol):
    """The source of a simulation's worlds, one per run."""

    def world(self, rng: np.random.Generator) -> World:
        """A random world."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilySource:
    """Random instances of a named family."""

    family: str
    items: int
    judges: int

    def __post_init__(self) -> None:
        if self.family not in FAMILIES:
            raise InputError("family", self.family, f"choose one of {', '.join(FAMILIES)}")
        for name, value in (("items", self.items), ("judges", self.judges)):
            if value < 1:
                raise InputError(name, str(value), "give at least 1")

    def world(self, rng: np.random.Generator) -> World:
        """A random instance."""
        return FAMILIES[self.family](self.items, self.judges, rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedSource:
    """Random items of recorded scores."""

    scores: RecordedScores
    items: int | None = None
    """Items per run; None means all."""

    def world(self, rng: np.random.Generator) -> World:
        """A random subset of the items."""
        return self.scores.sample(self.items, rng)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WithConstantJudge:
    """Another source, plus a judge that always answers the middle of the scale."""

    source: Source
    cost: float

    def world(self, rng: np.random.Generator) -> World:
        """A random world of the source, with the judge."""
        return ConstantJudgeWorld.of(self.source.world(rng), self.cost)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A budget as money, or as calls of average price per item."""

    money: float | None = None
    calls_per_item: float | None = None

    def __post_init__(self) -> None:
        given = [value for value in (self.money, self.calls_per_item) if value is not None]
        if len(given) != 1:
            raise InputError("budget", f"{len(given)} values", "give money or calls per item")
        if not 0 < given[0] < float("inf"):
            raise InputError("budget", f"{given[0]}", "a budget must be positive and finite")

    def amount(self, world: World) -> float:
        """The money in this world."""
        if self.money is not None:
            return self.money
        assert self.calls_per_item is not None
        instance = world.instance
        price = np.mean(instance.price_per_call, where=instance.mask)
        return float(self.calls_per_item * instance.price_per_call.shape[0] * price)

    def __str__(self) -> str:
        if self.money is not None:
            return f"{self.money:g}"
        return f"{self.calls_per_item:g} calls/item"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What to simulate."""

    source: Source
    strategies: tuple[str, ...]
    budgets: tuple[Budget, ...]
    norms: tuple[float, ...] = (2.0,)
    runs: int = 20
    seed: int = 0
    confidence: float = 0.95
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        for name in self.strategies:
            if name not in CONTENDERS:
                raise InputError("strategy", name, f"choose among {', '.join(CONTENDERS)}")
        if self.runs < 1:
            raise InputError("runs", str(self.runs), "give at least 1")
        if self.seed < 0:
            raise InputError("seed", str(self.seed), "give 0 or more")
        for norm in self.norms:
            if not norm >= 1:
                raise InputError("norm", f"{norm}", "give numbers from 1 to inf")
        if not (self.strategies and self.budgets and self.norms):
            raise InputError("grid", "empty", "give at least one strategy, budget and norm")

    @property
    def size(self) -> int:
        """Number of rows, if no strategy refuses a budget."""
        return len(self.strategies) * len(self.budgets) * len(self.norms) * self.runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The outcome of one strategy in one run."""

    strategy: str
    budget: float
    norm: float
    run: int
    error: float
    spent: float
    calls: int
    coverage: float
    """Share of the items whose 90 % interval holds the true score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One cell of the grid: its row, or why there is none."""

    budget: Budget
    """The budget as requested."""
    row: Row | None
    strategy: str
    norm: float
    refusal: str = ""


def simulate(grid: Grid, *, jobs: int = 1) -> Iterator[Result]:
    """All results as they finish; interrupting the iteration stops the work.

    Every run has one instance, shared by all strategies, budgets and norms. A cell's numbers
    depend only on the seed and the cell, not on other cells or the number of jobs.
    """
    cells = ((run, budget) for run in range(grid.runs) for budget in grid.budgets)
    for results in in_parallel(_cell, grid, cells, jobs=jobs):
        yield from results


def stream(seed: int, *labels: object) -> np.random.Generator:
    """An independent random stream for these labels, unaffected by other labels."""
    key = tuple(zlib.crc32(repr(label).encode()) for label in labels)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def _cell(grid: Grid, cell: tuple[int, Budget]) -> list[Result]:
    run, budget = cell
    world = grid.source.world(stream(grid.seed, "instance", run))
    money = budget.amount(world)
    results = []
    for name in grid.strategies:
        for norm in grid.norms:
            result = Result(budget=budget, row=None, strategy=name, norm=norm)
            problem = world.instance.problem(norm=norm, confidence=grid.confidence)
            strategy = CONTENDERS[name](problem, world.instance, money, grid.options)
            rng = stream(grid.seed, "play", run, name, str(budget), norm)
            try:
                outcome = play(strategy, problem, world, money, rng=rng)
            except BudgetError as refusal:
                results.append(replace(result, refusal=str(refusal)))
                continue
            row = Row(
                strategy=name,
                budget=_without_dust(money),
                norm=norm,
                run=run,
                error=outcome.error(world.instance.truth, norm),
                spent=_without_dust(outcome.spent),
                calls=outcome.calls,
                coverage=outcome.coverage(world.instance.truth),
            )
            results.append(replace(result, row=row))
    return results


def _without_dust(money: float) -> float:
    """Money rounded to 12 digits, to drop the rounding errors of sums."""
    return float(f"{money:.12g}")
