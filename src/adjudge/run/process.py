"""A live run as the whole work of a process: a ledger, signals, a fast event loop."""

from __future__ import annotations

import asyncio
import importlib
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.records import Money
from adjudge.run.afford import check_budget
from adjudge.run.identity import identity_of
from adjudge.run.live import judge_items
from adjudge.run.one_each import OneEach
from adjudge.run.plan import Plan
from adjudge.run.probed import Probe, ProbedJudge
from adjudge.run.progress import Watcher
from adjudge.run.result import Result
from adjudge.run.stop import Stop, stopping_on_signals
from adjudge.store import Address, Heard, new_salt, open_store_at


def run(
    plan: Plan,
    ledger: Address,
    *,
    budget: Money,
    seed: int = 0,
    watch: Watcher | None = None,
    on_settled: Heard | None = None,
    job: bytes | None = None,
) -> Result:
    """Score the plan's items within the budget; Ctrl-C, SIGTERM and SIGHUP stop it in order.

    `budget` is for everything ever spent through this ledger. What the ledger holds already counts:
    a run that was stopped or killed goes on, and a raised budget buys more of the same. `watch`
    hears of the progress, `on_settled` of calls that have ended, once they are on disk. A shared
    ledger keeps `job`, by which processes elsewhere take part.
    """
    return _run(plan, ledger, budget, seed, job=job, watch=watch, on_settled=on_settled)


def work(plan: Plan, ledger: Address, *, watch: Watcher | None = None) -> Result:
    """Make calls of a run that another process plans, until it ends; needs a shared ledger.

    Ctrl-C, SIGTERM and SIGHUP stop it in order. The budget is the one that the ledger has.
    """
    return _run(plan, ledger, None, secrets.randbits(32), watch=watch, may_plan=False)


def probe(plan: Plan, ledger: Address, *, budget: Money, seed: int = 0) -> list[Probe]:
    """Ask every judge once, about the item that costs it least, with little patience.

    The calls are paid, kept, and count when the plan is run.
    """
    probed = [ProbedJudge(judge) for judge in plan.judges_in_place]

    def asked() -> BoolArray:
        return np.array([judge.found.outcome is not None for judge in probed])

    quick = replace(
        plan,
        judges=probed,
        place=None,
        strategy=OneEach(rest=plan.strategy, asked=asked),
        patience=replace(plan.patience, attempts=1, pauses=1),
        ask_again=0,
    )
    _run(quick, ledger, budget, seed, noted=False)
    return [judge.found for judge in probed]


def _run(
    plan: Plan,
    ledger: Address,
    budget: Money | None,
    seed: int,
    *,
    job: bytes | None = None,
    **options: Any,
) -> Result:
    async def until_stopped() -> Result:
        stop = Stop()
        with stopping_on_signals(stop):
            rng = np.random.default_rng(seed)
            return await judge_items(plan, store, rng=rng, stop=stop, quotes=quotes, **options)

    # Before there is a ledger or anything to stop: a mistake or Ctrl-C here leaves nothing behind.
    salt = new_salt()
    quotes = None if budget is None else check_budget(plan, ledger, budget, salt=salt)
    store = open_store_at(ledger, budget=budget, salt=salt)
    try:
        if job is not None and store.plans is not None:
            store.plans.keep_job(identity_of(plan), job)
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
