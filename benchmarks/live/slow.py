"""The cost in time of a judge that is far slower than the others."""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np

from adjudge.core.strategies import Panel
from adjudge.judges import FunctionJudge, Limits, Scale
from adjudge.records import Item, nano_dollars
from adjudge.run import Plan, Result, run

ITEMS = 500
CALLS = 20_000
AT_ONCE = 16
LATENCY = 0.02
TIMES = (100, 1000)
"""Slowdowns of the second judge relative to the first."""
BAR = 1.10
"""Bar on the time with a judge a hundred times slower, relative to the time without it."""
SCALE = Scale(low=0, high=10)
PRICE = nano_dollars("0.001")


def main() -> None:
    """Print the time of each run, and its ratio to the time without the slow judge."""
    print(f"\n{ITEMS} items, {CALLS:,} calls' worth of money, {AT_ONCE} at a time of each judge")
    print(f"  {'':24}{'seconds':>9}{'ratio':>8}{'its calls':>11}{'all calls':>11}")
    without, result = _timed(None)
    print(f"  {'one judge':24}{without:9.1f}{1:8.2f}{'':>11}{result.scored.sum():11,}")
    for times in TIMES:
        seconds, result = _timed(times * LATENCY)
        ratio = seconds / without
        own = result.scored[:, 1].sum()
        name = f"and one {times:,}x slower"
        print(f"  {name:24}{seconds:9.1f}{ratio:8.2f}{own:11,}{result.scored.sum():11,}")
        if times == 100:
            print(f"  bar {BAR:.2f}: {'met' if ratio <= BAR else 'MISSED'}")


def _timed(slow: float | None) -> tuple[float, Result]:
    latencies = [LATENCY] if slow is None else [LATENCY, slow]
    plan = Plan(
        items=[Item(id=f"{k}", response="x") for k in range(ITEMS)],
        judges=[_judge(j, latency) for j, latency in enumerate(latencies)],
        scale=SCALE,
        strategy=Panel(),
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        result = run(plan, Path(folder) / "ledger.sqlite", budget=CALLS * PRICE)
        return time.perf_counter() - began, result


def _judge(number: int, latency: float) -> FunctionJudge:
    rng = np.random.default_rng(number)

    async def score(item: Item) -> float:
        await asyncio.sleep(latency)
        return float(np.clip(rng.normal(2 + int(item.id) % 7, 1), 0, 10))

    return FunctionJudge(
        f"judge-{number}", score, scale=SCALE, price=PRICE, limits=Limits(concurrency=AT_ONCE)
    )
