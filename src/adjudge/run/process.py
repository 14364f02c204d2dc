"""A live run in its own process: opens the ledger, handles signals, runs the event loop."""

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
    """Score the plan's items within the budget; Ctrl-C, SIGTERM and SIGHUP stop the run cleanly.

    `budget` limits everything ever spent through this ledger. Answers in the ledger count: a run
    that was stopped or killed continues, and a larger budget buys more answers. `watch` gets the
    progress, and `on_settled` the calls that have ended, once they are on disk. A shared ledger
    keeps `job`, which tells processes on other machines what to run.
    """
    return _run(plan, ledger, budget, seed, job=job, watch=watch, on_settled=on_settled)


def work(plan: Plan, ledger: Address, *, watch: Watcher | None = None) -> Result:
    """Make calls of a run that another process plans, until the run ends; needs a shared ledger.

    Ctrl-C, SIGTERM and SIGHUP stop this process cleanly. The budget is the ledger's.
    """
    return _run(plan, ledger, None, secrets.randbits(32), watch=watch, may_plan=False)


def probe(plan: Plan, ledger: Address, *, budget: Money, seed: int = 0) -> list[Probe]:
    """Ask every judge once, about its cheapest item, without retries.

    The calls are paid and kept in the ledger, and count when the plan is run. One failure says
    little about a judge, so the ledger does not record a judge as switched off.
    """
    probed = [ProbedJudge(judge) for judge in plan.judges_in_place]

    def asked() -> BoolArray:
        return np.array([judge.found.outcome is not None for judge in probed])

    quick = replace(
        plan,
        judges=probed,
        place=None,
        strategy=OneEach(rest=plan.strategy, asked=asked),
        patience=replace(plan.patience, attempts=1, pauses=0),
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

    # Checked before the ledger is opened, so that an error or Ctrl-C here leaves no file behind.
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
    """The event loop of uvloop if it is installed; None for Python's own."""
    try:
        factory: Callable[[], asyncio.AbstractEventLoop]
        factory = importlib.import_module("uvloop").new_event_loop
    except ImportError:
        return None
    return factory
