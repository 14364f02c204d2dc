"""Checks the tables printed by `benchmarks.panel` against the bars of the strategy."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

NEAR, NEAR_WHEN_FEW = 1.10, 1.25
"""Bars on the error relative to the judge oracle: from three calls per item on, and below."""
NO_WORSE = 1.02
"""Bar on the error relative to the better of uniform and cyclic."""
CHEAPER = 0.65
"""Bar on the error relative to uniform if prices differ, at up to three calls per item."""
BUDGETS = (1, 2, 3, 5, 10, 20, 50, 200)
PILOT = {
    "paper, J = 3": (1.34, 1.42, 1.44, 1.42, 1.38, 1.38, 1.21, 1.14),
    "paper, J = 10": (2.19, 2.13, 2.17, 2.16, 2.15, 2.10, 1.69, 1.42),
    "mult, J = 3": (1.29, 1.30, 1.23, 1.19, 1.14, 1.10, 1.08, 1.04),
    "mult, J = 10": (1.50, 1.45, 1.38, 1.30, 1.25, 1.23, 1.13, 1.12),
    "costs-30x, J = 10": (1.16, 1.19, 1.20, 1.16, 1.14, 1.10, 1.08, 1.08),
    "rating, J = 10": (1.21, 1.21, 1.20, 1.21, 1.16, 1.13, 1.12, 1.10),
    "binary, J = 10": (1.11, 1.04, 1.03, 1.04, 1.03, 1.04, 1.03, 1.00),
    "homoskedastic, J = 10": (0.99, 0.99, 1.00, 0.99, 1.00, 0.98, 1.00, 0.99),
}
"""Errors relative to the oracle (p = 2) of an earlier prototype that assumed that judges agree."""
ALLOWED = 1.08
"""Bar on the error relative to the prototype."""
ROUNDING = 0.005
"""Largest rounding error of a printed figure."""


@dataclass(frozen=True)
class Cell:
    """One row of a table."""

    family: bool
    name: str
    norm: str
    calls: float
    ratio: float
    """Panel's error relative to its oracle's."""
    error: float
    """Standard error of the ratio."""
    uniform: float
    """Uniform's error relative to that oracle's."""
    cyclic: float
    """Cyclic's error relative to that oracle's."""
    better: float
    """Panel's error relative to the better of uniform and cyclic."""
    covered: float
    """Coverage of 90 % intervals, in percent."""

    def __str__(self) -> str:
        calls = "one call" if self.calls == 1 else f"{self.calls:g} calls"
        return f"{self.name} at {calls}, p = {self.norm} ({self.ratio:.2f} ± {self.error:.2f})"


def cells_of(text: str) -> list[Cell]:
    """The rows of all tables in a text."""
    found = []
    columns: list[str] = []
    for line in text.splitlines():
        values = [value.strip() for value in line.split("|")[1:-1]]
        if "panel / better of uniform and cyclic" in values:
            columns = values
        elif columns and len(values) == len(columns) and "±" in line:
            cell = dict(zip(columns, values, strict=True))
            ratio, error = values[3].split(" ± ")
            found.append(
                Cell(
                    family="family" in cell,
                    name=values[0],
                    norm=cell["p"],
                    calls=float(cell["calls per item"]),
                    ratio=float(ratio),
                    error=float(error),
                    uniform=float(cell["uniform"].split()[0]),
                    cyclic=float(cell["cyclic"].split()[0]),
                    better=float(cell["panel / better of uniform and cyclic"]),
                    covered=float(cell["coverage 80/90/95"].split("/")[1]),
                )
            )
    return found


def mean(cells: Sequence[Cell]) -> str:
    return f"{np.mean([cell.ratio for cell in cells]):.2f}" if cells else "of none"


def listed(cells: Sequence[Cell]) -> str:
    return "; ".join(str(cell) for cell in cells) or "none"


def recorded_bars(cells: Sequence[Cell]) -> list[str]:
    """One sentence on each bar, for recorded judges."""
    finite = [cell for cell in cells if cell.norm != "inf"]
    many = [cell for cell in finite if cell.calls >= 3]
    few = [cell for cell in finite if cell.calls < 3]
    cheap = [c.ratio / c.uniform for c in cells if c.name == "core5x8" and c.calls <= 3]
    covered = [cell.covered for cell in cells]
    lines = [
        f"From 3 calls per item on, p = 1 or 2 ({len(many)} cells): mean {mean(many)}, from 10 "
        f"calls on {mean([cell for cell in many if cell.calls >= 10])}. Above {NEAR:.2f}: "
        f"{listed([cell for cell in many if cell.ratio > NEAR])}.",
        f"At 1 and 2 calls ({len(few)} cells): mean {mean(few)}, at one call "
        f"{mean([cell for cell in few if cell.calls == 1])}. Above {NEAR_WHEN_FEW:.2f}: "
        f"{listed([cell for cell in few if cell.ratio > NEAR_WHEN_FEW])}.",
        f"Worse than the better of uniform and cyclic by more than {100 * (NO_WORSE - 1):.0f} %: "
        + (
            "; ".join(f"{c}, {c.better:.2f} of it" for c in cells if c.better > NO_WORSE + ROUNDING)
            or "none"
        )
        + ".",
        f"90 % intervals cover {np.mean(covered):.0f} % on average, from {min(covered):.0f} to "
        f"{max(covered):.0f} by cell.",
    ]
    worst = [cell for cell in cells if cell.norm == "inf" and cell.calls >= 3]
    if worst:
        lines.append(f"For p = inf from 3 calls on ({len(worst)} cells): mean {mean(worst)}.")
    if cheap:
        lines.append(
            f"`core5x8` over uniform at 1 to 3 calls, all norms: {min(cheap):.2f} to "
            f"{max(cheap):.2f} (at most {CHEAPER})."
        )
    return lines


def family_bars(cells: Sequence[Cell]) -> list[str]:
    """One sentence on each bar, for synthetic families."""
    held = [
        (cell, ALLOWED * PILOT[cell.name][BUDGETS.index(int(cell.calls))])
        for cell in cells
        if cell.norm == "2" and cell.name in PILOT and cell.calls in BUDGETS
    ]
    above = [f"{cell}, limit {limit:.2f}" for cell, limit in held if cell.ratio > limit + ROUNDING]
    worse = [c for c in cells if c.ratio > NO_WORSE * c.uniform + ROUNDING]
    return [
        f"More than {100 * (ALLOWED - 1):.0f} % above the pilot, {len(above)} of {len(held)} "
        f"cells: {'; '.join(above) or 'none'}.",
        f"Above uniform by more than {100 * (NO_WORSE - 1):.0f} %: "
        + ("; ".join(f"{c} against {c.uniform:.2f}" for c in worse) or "none")
        + ".",
        f"90 % intervals cover {np.mean([cell.covered for cell in cells]):.0f} % on average.",
    ]


def print_bars(cells: Sequence[Cell]) -> None:
    """Print a list for each kind of table."""
    recorded = [cell for cell in cells if not cell.family]
    families = [cell for cell in cells if cell.family]
    lines = recorded_bars(recorded) if recorded else []
    lines += family_bars(families) if families else []
    print("\n".join(f"- {line}" for line in lines))


def main() -> None:
    """Read printed tables, which may be in parts, and print the bars."""
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=Path, nargs="+")
    print_bars([cell for path in parser.parse_args().tables for cell in cells_of(path.read_text())])


if __name__ == "__main__":
    main()
