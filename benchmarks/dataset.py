"""Reading a million items from each format: rows per second and peak memory."""

from __future__ import annotations

import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import orjson
import polars as pl

from adjudge.dataset import read_items

ROWS = 1_000_000
FORMATS = ("jsonl", "csv", "parquet")


def main() -> None:
    """Print one line for each format, compared with unchecked reading by the format's library.

    Every reading runs in its own process.
    """
    print(f"\n## Reading {ROWS:,} items\n")
    print("| format | file, MB | processor s | rows/s | ratio to bare reading | peak memory, MB |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        for name in FORMATS:
            file = Path(folder) / f"items.{name}"
            bare, taken = (measured(what, file)[0] for what in ("bare", "items"))
            memory = measured("items", file)[1]
            print(
                f"| {name} | {file.stat().st_size / 1e6:.0f} | {taken:.1f} | {ROWS / taken:,.0f} | "
                f"{taken / bare:.1f} | {memory:.0f} |"
            )


def write(folder: Path) -> None:
    """Write the same rows in every format: id, prompt, response, group and one more column."""
    with (folder / "items.jsonl").open("w") as lines, (folder / "items.csv").open("w") as cells:
        writer = csv.writer(cells)
        writer.writerow(["id", "prompt", "response", "group", "length"])
        for k in range(ROWS):
            row = {
                "id": f"item-{k}",
                "prompt": f"Question {k // 2}: what follows from it, in one sentence?",
                "response": f"Answer {k}, with a comma. " + "It goes on for a while. " * 4,
                "group": "ab"[k % 2],
                "length": k % 97,
            }
            lines.write(json.dumps(row) + "\n")
            writer.writerow(row.values())
    pl.read_ndjson(folder / "items.jsonl").write_parquet(folder / "items.parquet")


def measured(what: str, file: Path) -> tuple[float, float]:
    """CPU seconds and megabytes of one reading in a new process."""
    command = [sys.executable, "-m", "benchmarks.dataset", what, str(file)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def bare(file: Path) -> list[object]:
    """The unchecked rows, as read by the format's library."""
    if file.suffix == ".jsonl":
        with file.open("rb") as lines:
            return [orjson.loads(line) for line in lines]
    if file.suffix == ".csv":
        with file.open(newline="") as cells:
            return list(csv.reader(cells))
    return pl.read_parquet(file).rows()


def measure(work: Callable[[Path], list[object]], file: Path) -> None:
    """Print the time and memory of one reading."""
    began = time.process_time()
    assert len(work(file)) >= ROWS
    seconds = time.process_time() - began
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        measure(bare if sys.argv[1] == "bare" else read_items, Path(sys.argv[2]))
