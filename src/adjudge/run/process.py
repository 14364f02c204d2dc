"""A live run as the whole work of a process: a ledger in a file, signals, a fast event loop."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from adjudge.records import Money
from adjudge.run.live import Watcher, judge_items
from adjudge.run.plan import Plan
from adjudge.run.result import Result
from adjudge.run.stop import Stop, stopping_on_signals
from adjudge.store import SqliteStore


def run(
    plan: Plan, ledger: Path, *, budget: Money, seed: int = 0, watch: Watcher | None = None
) -> Result:
    """Score the plan's items within the budget; Ctrl-C and SIGTERM stop it in order.

    `budget` is for everything ever spent through this ledger. What the ledger holds already counts:
    a run that was stopped or killed goes on, and a raised budget buys more of the same.
    """

    async def until_stopped() -> Result:
        stop = Stop()
        with stopping_on_signals(stop):
            return await judge_items(
                plan, store, rng=np.random.default_rng(seed), stop=stop, watch=watch
            )

    store = SqliteStore.open(ledger, budget=budget)
    try:
        with asyncio.Runner(loop_factory=_fastest_loop()) as runner:
            return runner.run(until_stopped())
    finally:
        store.close()


def _fastest_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The event loop of uvloop where it is installed; None for Python's own."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop]
        factory = importlib.import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
