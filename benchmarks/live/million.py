"""A ledger of a million calls: memory, disk, and the time to open and resume it."""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Uniform
from adjudge.judges import FunctionJudge, Limits, Scale
from adjudge.records import Item
from adjudge.run import Plan, ledger_calls, run, standing

ITEMS, JUDGES, REPEATS = 20_000, 5, 10
SCALE = Scale(low=1, high=10, whole=True)


@dataclass(frozen=True, slots=True)
class TenEach(Uniform):
    """A strategy that calls every pair ten times."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The calls not yet made."""
        return Allocation(counts=np.maximum(REPEATS - evidence.calls, 0))


async def length_of(item: Item) -> int:
    """The fastest possible judge."""
    await asyncio.sleep(0)
    return 1 + len(item.id) % 10


def plan() -> Plan:
    """A plan of a million calls to judges that take no time."""
    limits = Limits(concurrency=256)
    return Plan(
        items=[Item(id=f"item-{k}", response="x") for k in range(ITEMS)],
        judges=[
            FunctionJudge(f"judge-{j}", length_of, scale=SCALE, price=1000, limits=limits)
            for j in range(JUDGES)
        ],
        scale=SCALE,
        strategy=TenEach(),
    )


def main() -> None:
    """Make a million calls in one process, resume in a second, and read the ledger in a third."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        ledger = Path(folder) / "ledger.db"
        for what in ("make", "resume", "look"):
            command = [sys.executable, "-m", "benchmarks.live.million", what, str(ledger)]
            subprocess.run(command, check=True)


def look(ledger: Path) -> None:
    """Read the ledger without a run, and print time and memory."""
    began = time.perf_counter()
    calls = int(standing(plan(), ledger).answered.sum())
    whole = time.perf_counter()
    assert calls == ITEMS * JUDGES * REPEATS
    assert sum(1 for _ in ledger_calls(plan(), ledger)) == calls
    print(
        f"look   {calls:10,} calls: the result in {whole - began:.1f} s, every call one by one in "
        f"{time.perf_counter() - whole:.1f} s, {_memory():.0f} MB of memory"
    )


def measure(what: str, ledger: Path) -> None:
    """Run the plan and print time, memory and disk."""
    began = time.perf_counter()
    result = run(plan(), ledger, budget=10**15)
    seconds = time.perf_counter() - began
    calls = sum(judge.scored for judge in result.judges)
    assert calls == ITEMS * JUDGES * REPEATS
    disk = ledger.stat().st_size / calls
    print(
        f"{what:7}{calls:10,} calls in {seconds:6.1f} s, {_memory():5.0f} MB of memory (bar 1000), "
        f"{disk:4.0f} bytes of disk per call (bar 300)"
        + (f", bar 10 s: {'met' if seconds < 10 else 'MISSED'}" if what == "resume" else "")
    )


def _memory() -> float:
    """Peak memory of this process, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1] == "look":
        look(Path(sys.argv[2]))
    else:
        measure(sys.argv[1], Path(sys.argv[2]))
