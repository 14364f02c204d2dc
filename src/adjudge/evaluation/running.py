"""Running a plan from wherever Python is: a script, a coroutine, a notebook."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path

import numpy as np

from adjudge.records import Money
from adjudge.run import Plan, Result, Stop, Watcher, judge_items, run
from adjudge.store import SqliteStore


async def run_here(
    plan: Plan,
    ledger: Path,
    *,
    budget: Money,
    seed: int,
    watch: Watcher | None,
    stop: Stop | None = None,
) -> Result:
    """The run, within the event loop that is running."""
    store = SqliteStore.open(ledger, budget=budget)
    try:
        rng = np.random.default_rng(seed)
        return await judge_items(plan, store, rng=rng, stop=stop, watch=watch)
    finally:
        store.close()


def run_anywhere(
    plan: Plan, ledger: Path, *, budget: Money, seed: int, watch: Watcher | None
) -> Result:
    """The run, for a caller who cannot await it; where an event loop is running, beside it."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run(plan, ledger, budget=budget, seed=seed, watch=watch)
    return _run_beside(plan, ledger, budget=budget, seed=seed, watch=watch)


def _run_beside(
    plan: Plan, ledger: Path, *, budget: Money, seed: int, watch: Watcher | None
) -> Result:
    """In a thread with a loop of its own; Ctrl-C (a notebook's stop button) ends it in order."""
    done: Future[Result] = Future()
    began: Future[tuple[asyncio.AbstractEventLoop, Stop]] = Future()

    async def work() -> Result:
        stop = Stop()
        began.set_result((asyncio.get_running_loop(), stop))
        return await run_here(plan, ledger, budget=budget, seed=seed, watch=watch, stop=stop)

    def in_thread() -> None:
        try:
            done.set_result(asyncio.run(work()))
        except BaseException as error:  # belongs to whoever waits for it
            done.set_exception(error)

    threading.Thread(target=in_thread, name="adjudge", daemon=True).start()
    while True:
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, stop = began.result()
            with suppress(RuntimeError):  # it may have ended meanwhile
                loop.call_soon_threadsafe(stop.request)
