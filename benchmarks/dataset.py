"""A million items from each format: rows per second and peak memory, beside a bare reading."""

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
    """Print one line for each format; each is read in a process of its own."""
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
    """The same rows in every format: an id, a prompt, a response, a group and one column more."""
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
    """Processor seconds and megabytes of one reading in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.dataset", what, str(file)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def bare(file: Path) -> list[object]:
    """The rows as the library for the format gives them, unchecked."""
    if file.suffix == ".jsonl":
        with file.open("rb") as lines:
            return [orjson.loads(line) for line in lines]
    if file.suffix == ".csv":
        with file.open(newline="") as cells:
            return list(csv.reader(cells))
    return pl.read_parquet(file).rows()


def measure(work: Callable[[Path], list[object]], file: Path) -> None:
    """Print what one reading took."""
    began = time.process_time()
    assert len(work(file)) >= ROWS
    seconds = time.process_time() - began
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        measure(bare if sys.argv[1] == "bare" else read_items, Path(sys.argv[2]))
