"""The tables of `benchmarks/results` as Markdown.

`python -m benchmarks.tables` prints all of them, `python -m benchmarks.tables NAME` one.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Print the tables named on the command line, or all."""
    files = {path.stem: path for path in sorted(RESULTS.glob("*.csv"))}
    for name in sys.argv[1:] or files:
        if name not in files:
            sys.exit(f"no table {name}; there are {', '.join(files)}")
        print(f"\n## {name}\n")
        print("\n".join(markdown(read(files[name]))))


def read(path: Path) -> list[list[str]]:
    """The rows of a CSV file, its header first."""
    with path.open(newline="") as file:
        return list(csv.reader(file))


def markdown(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows as a Markdown table with padded columns; numbers are aligned right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = [all(map(_is_number, column[1:])) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [
            cell.rjust(width) if numeric else cell.ljust(width)
            for cell, width, numeric in zip(row, widths, right, strict=True)
        ]
        yield f"| {' | '.join(cells)} |"
        if number == 0:
            lines = [
                "-" * (width + 1) + (":" if numeric else "-")
                for width, numeric in zip(widths, right, strict=True)
            ]
            yield f"|{'|'.join(lines)}|"


def _is_number(cell: str) -> bool:
    try:
        float(cell.partition(" ")[0] or "0")
    except ValueError:
        return False
    return True


if __name__ == "__main__":
    main()
