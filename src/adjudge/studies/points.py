"""The results of an experiment: points of its curves, and reference values."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The error of one strategy in one run."""

    panel: str
    """The setting: a cost structure, or an axis of recorded scores."""
    norm: float
    strategy: str
    budget: float
    run: int
    error: float
    spent: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The smallest budget that a strategy accepts in one run."""

    panel: str
    norm: float
    strategy: str
    run: int
    budget: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LowerBound:
    """A lower bound on the expected error of any method in one run: scale / sqrt(budget)."""

    panel: str
    norm: float
    kind: str
    """`bounded` or `gaussian` scores."""
    run: int
    scale: float
    holds_from: float
    """The budget from which the theorem's conditions are met; infinite if they never are."""
    unmet: str
    """The conditions that no budget can meet, with their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """The asymptotic error of a strategy, above zero where judges' means differ."""

    panel: str
    norm: float
    strategy: str
    run: int
    error: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One run of one experiment: the unit of checkpointing."""

    run: int
    points: tuple[Point, ...]
    starts: tuple[Start, ...]
    bounds: tuple[LowerBound, ...]
    limits: tuple[Limit, ...] = ()

    @classmethod
    def joined(cls, run: int, parts: Iterable[Unit]) -> Unit:
        """The parts of one run as one unit."""
        parts = tuple(parts)
        return cls(
            run=run,
            points=tuple(point for part in parts for point in part.points),
            starts=tuple(start for part in parts for start in part.starts),
            bounds=tuple(bound for part in parts for bound in part.bounds),
            limits=tuple(limit for part in parts for limit in part.limits),
        )


def to_json(unit: Unit) -> dict[str, Any]:
    """A unit as JSON values; an infinite number is the text "inf"."""
    return {
        "run": unit.run,
        "points": as_rows(unit.points),
        "starts": as_rows(unit.starts),
        "bounds": as_rows(unit.bounds),
        "limits": as_rows(unit.limits),
    }


def from_json(values: Mapping[str, Any]) -> Unit:
    """The unit that :func:`to_json` wrote."""
    return Unit(
        run=values["run"],
        points=tuple(Point(**_numbers(row)) for row in values["points"]),
        starts=tuple(Start(**_numbers(row)) for row in values["starts"]),
        bounds=tuple(LowerBound(**_numbers(row)) for row in values["bounds"]),
        limits=tuple(Limit(**_numbers(row)) for row in values["limits"]),
    )


def as_rows(records: Iterable[Point | Start | LowerBound | Limit]) -> list[dict[str, Any]]:
    """Records as mappings of JSON values."""
    return [
        {
            name: "inf" if isinstance(value, float) and math.isinf(value) else value
            for name, value in dataclasses.asdict(record).items()
        }
        for record in records
    ]


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: math.inf if value == "inf" else value for name, value in row.items()}
