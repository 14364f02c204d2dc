"""Where the time goes in a run of 100,000 items and three judges over HTTP, with the panel."""

from __future__ import annotations

import resource
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel, Strategy
from adjudge.judges import ChatRequest, Limits, ModelJudge, ModelSettings, Prices, Prompt
from adjudge.records import Item, dollars, nano_dollars
from adjudge.run import Plan, Progress, run
from benchmarks.live.contenders import SCALE
from benchmarks.live.endpoint import endpoint

ITEMS = 100_000
CALLS_PER_ITEM = 2
MODELS = {"small": ("0.10", "0.40"), "middle": ("0.15", "0.60"), "large": ("0.50", "2.00")}
"""Dollars per million tokens of input and output."""


@dataclass(slots=True)
class Timed:
    """A wrapper that measures its strategy's time."""

    rest: Strategy
    planning: list[float] = field(default_factory=list)
    estimating: list[float] = field(default_factory=list)

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The strategy's own."""
        began = time.perf_counter()
        batch = self.rest.next_batch(problem, evidence, remaining, rng)
        self.planning.append(time.perf_counter() - began)
        return batch

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The strategy's own."""
        began = time.perf_counter()
        estimate = self.rest.estimate(problem, evidence)
        self.estimating.append(time.perf_counter() - began)
        return estimate


def plan(url: str, strategy: Strategy) -> Plan:
    """Three judges of different prices."""
    prompt = Prompt(scale=SCALE)
    judges = [
        ModelJudge(
            ModelSettings(
                name=model,
                request=ChatRequest(model=model, prompt=prompt, max_tokens=64),
                prices=Prices.of(input=input_price, output=output_price),
                base_url=url,
                key_variable="PRACTICE_KEY",
                limits=Limits(concurrency=64),
            )
        )
        for model, (input_price, output_price) in MODELS.items()
    ]
    items = [
        Item(id=f"item-{k}", prompt="Greet me.", response=f"Hello {k}! " * (1 + k % 9))
        for k in range(ITEMS)
    ]
    return Plan(items=items, judges=judges, scale=SCALE, strategy=strategy)


def main() -> None:
    """Run once and print the time of each part."""
    timed = Timed(Panel())
    heard: list[tuple[float, Progress]] = []
    with endpoint(0.0) as url, tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        began = time.perf_counter()
        result = run(
            plan(url, timed),
            Path(folder) / "ledger.db",
            budget=nano_dollars("9.5"),
            watch=lambda progress: heard.append((time.perf_counter() - began, progress)),
        )
        whole = time.perf_counter() - began
    calls = int(result.evidence.calls.sum())
    assert result.balance.reserved == 0
    assert int((result.answered.sum(axis=1) == 0).sum()) == 0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"\n{ITEMS:,} items, {len(MODELS)} judges, {calls:,} calls ({calls / ITEMS:.2f} per item), "
        f"{dollars(result.balance.spent)} of {dollars(result.balance.budget)}, "
        f"{result.rounds} rounds, ended: {result.end}\n"
        f"  {whole:.1f} s, {calls / whole:,.0f} calls/s from start to result, {memory:.0f} MB\n"
        f"  before the first round {heard[0][0]:.1f} s (prompts and prices of every pair, opening, "
        f"numbering)\n"
        f"  planning {sum(timed.planning):.1f} s, longest round {max(timed.planning):.1f} s; "
        f"estimating {sum(timed.estimating):.1f} s; calls and ledger "
        f"{whole - heard[0][0] - sum(timed.planning) - sum(timed.estimating[1:]):.1f} s"
    )
