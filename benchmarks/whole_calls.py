"""Time and memory to round variances to whole calls, for a million items and ten judges."""

import math

import numpy as np

from adjudge.core.problem import Problem
from adjudge.core.whole_calls import whole_calls
from benchmarks.timing import peak_bytes, seconds

ITEMS, JUDGES = 1_000_000, 10


def main() -> None:
    """Print the time relative to one copy and one sort of the variances, and the memory."""
    rng = np.random.default_rng(1)
    variance = rng.uniform(1e-4, 0.2, (ITEMS, JUDGES))
    cost = rng.uniform(0.5, 1.5, JUDGES)
    target, keys = np.empty_like(variance), rng.random(ITEMS)
    copy = seconds(lambda: np.copyto(target, variance))
    sort = seconds(lambda: np.sort(keys))
    print(f"\n## Whole calls: K = {ITEMS:,}, J = {JUDGES}\n")
    print(f"one copy of the variances {1e3 * copy:.1f} ms, one sort {1e3 * sort:.1f} ms\n")
    print("| calls per item | p | time, ms | ratio to copy + sort | peak memory / variances |")
    print("|---|---|---|---|---|")
    for calls in (2, 10, 100):
        for norm in (1.0, 2.0, math.inf):
            problem = Problem.of(cost, items=ITEMS, norm=norm)
            budget = calls * ITEMS * float(cost.mean())
            taken = seconds(lambda: whole_calls(problem, variance, budget), repeats=5)  # noqa: B023
            memory = peak_bytes(lambda: whole_calls(problem, variance, budget))  # noqa: B023
            print(
                f"| {calls} | {norm:g} | {1e3 * taken:.0f} | {taken / (copy + sort):.1f} | "
                f"{memory / variance.nbytes:.2f} |"
            )
