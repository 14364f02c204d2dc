"""Averages of the runs of `unseen` per cell and kind, with standard errors, against the bars."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.core.arrays import FloatArray

QUANTITIES = ("item", "mean", "group", "difference", "by_score")
LEVEL = 0.9
HELD_TO_BARS = ("item", "mean", "group", "difference")
LOWEST, HIGHEST, LOWEST_CELL = 0.87, 0.94, 0.84
LARGEST_RATIO = 1.05
CLEARLY = 2
"""Number of standard errors beyond which a miss is not noise."""
NEGLIGIBLE = 1e-3
"""Added to both errors of a ratio, so that two tiny errors count as equal; share of the range."""

Runs = Sequence[Any]
"""Rows of `unseen`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """An average, and its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values: FloatArray) -> Figure:
        """Mean of the finite values; nan if there are none."""
        found = values[np.isfinite(values)]
        if not found.size:
            return cls(value=math.nan, error=math.nan)
        spread = float(found.std(ddof=1)) if found.size > 1 else math.nan
        return cls(value=float(found.mean()), error=spread / math.sqrt(found.size))

    @classmethod
    def of_coverage(cls, values: FloatArray, *, many: bool) -> Figure:
        """Mean of shares of covering intervals, each of `many` intervals or of a few.

        If every share is 0 or 1, the sample standard deviation may be zero by chance. So the
        standard error is at least that of as many intervals with the nominal coverage.
        """
        found = values[np.isfinite(values)]
        plain = cls.of(values)
        if many or not found.size or not np.isin(found, (0.0, 1.0)).all():
            return plain
        least = math.sqrt(LEVEL * (1 - LEVEL) / found.size)
        # With one run the second is nan, and max() then returns the first.
        return cls(value=plain.value, error=max(least, plain.error))

    @classmethod
    def average(cls, figures: Sequence[Figure]) -> Figure:
        """Every cell counts alike."""
        found = [figure for figure in figures if not math.isnan(figure.value)]
        if not found:
            return cls(value=math.nan, error=math.nan)
        error = math.sqrt(sum(figure.error**2 for figure in found)) / len(found)
        return cls(value=float(np.mean([figure.value for figure in found])), error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A cell, a kind, or all of them."""

    name: str
    ratio: Figure
    """Logarithm of the error over that of the better of uniform and cyclic."""
    covered: dict[str, Figure]

    @classmethod
    def of_cell(cls, name: str, runs: Runs) -> Line:
        """The line of a cell; the better baseline has the smaller error on average over runs."""
        ratios = [
            Figure.of(
                np.log(
                    [(run.error + NEGLIGIBLE) / (getattr(run, other) + NEGLIGIBLE) for run in runs]
                )
            )
            for other in ("uniform", "cyclic")
        ]
        covered = {
            quantity: Figure.of_coverage(
                np.array([getattr(run, quantity) for run in runs]), many=quantity == "item"
            )
            for quantity in QUANTITIES
        }
        return cls(name=name, ratio=max(ratios, key=lambda found: found.value), covered=covered)

    @classmethod
    def average(cls, name: str, lines: Sequence[Line]) -> Line:
        """Every cell counts alike."""
        return cls(
            name=name,
            ratio=Figure.average([line.ratio for line in lines]),
            covered={
                quantity: Figure.average([line.covered[quantity] for line in lines])
                for quantity in QUANTITIES
            },
        )

    def __str__(self) -> str:
        shown = [self._ratio(), *(_percent(self.covered[name]) for name in QUANTITIES)]
        return f"| {self.name} | {' | '.join(shown)} |"

    def _ratio(self) -> str:
        ratio = math.exp(self.ratio.value)
        return f"{ratio:.3f} ± {ratio * self.ratio.error:.3f}"


def cell_lines(runs: Runs) -> dict[str, list[Line]]:
    """The cells of each kind."""
    found: dict[tuple[str, str], list[Any]] = {}
    for run in runs:
        name = f"{run.family}, {run.items} items, {run.judges} judges, {run.calls:g} calls"
        found.setdefault((run.kind, name), []).append(run)
    lines: dict[str, list[Line]] = {}
    for (kind, name), own in found.items():
        lines.setdefault(kind, []).append(Line.of_cell(name, own))
    return lines


def kind_lines(runs: Runs) -> list[Line]:
    """An average per kind."""
    return [Line.average(kind, lines) for kind, lines in cell_lines(runs).items()]


def table(runs: Runs, *, by_cell: bool = False) -> Iterator[str]:
    """One line per kind, or per cell and kind, and one for all kinds."""
    yield (
        "| kind | error over the better of uniform and cyclic | items | mean of all | group means "
        "| differences | halves by score |"
    )
    yield "|---|---|---|---|---|---|---|"
    kinds = kind_lines(runs)
    for kind, lines in zip(kinds, cell_lines(runs).values(), strict=True):
        if by_cell:
            yield from map(str, lines)
        yield str(kind)
    yield str(Line.average("all kinds", kinds))


def misses(runs: Runs) -> Iterator[str]:
    """The bars that a kind misses, and the cells far below their bars."""
    count = 0
    for kind, lines in cell_lines(runs).items():
        for what in _missed(Line.average(kind, lines), lines):
            count += 1
            yield f"misses: {kind}: {what}"
    yield f"{count} bars missed"


def _missed(kind: Line, lines: Sequence[Line]) -> Iterator[str]:
    ratio = kind.ratio
    if ratio.value > math.log(LARGEST_RATIO):
        noise = _noise(ratio.value - math.log(LARGEST_RATIO), ratio.error)
        yield f"error {math.exp(ratio.value):.3f} above {LARGEST_RATIO}{noise}"
    for name in HELD_TO_BARS:
        figure = kind.covered[name]
        if figure.value < LOWEST:
            noise = _noise(LOWEST - figure.value, figure.error)
            yield f"{name} {_percent(figure)} below {100 * LOWEST:.0f}{noise}"
        if figure.value > HIGHEST:
            noise = _noise(figure.value - HIGHEST, figure.error)
            yield f"{name} {_percent(figure)} above {100 * HIGHEST:.0f}{noise}"
        for line in lines:
            own = line.covered[name]
            # Among many cells some are below by chance alone.
            if LOWEST_CELL - own.value > CLEARLY * own.error:
                yield f"{name} {_percent(own)} below {100 * LOWEST_CELL:.0f}: {line.name}"


def _noise(distance: float, error: float) -> str:
    return "" if distance > CLEARLY * error else f" (within {CLEARLY} standard errors)"


def _percent(figure: Figure) -> str:
    if math.isnan(figure.value):
        return "-"
    return f"{100 * figure.value:.1f} ± {100 * figure.error:.1f}"
