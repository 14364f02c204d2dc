"""Runs a plan from a script, a coroutine or a notebook."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from adjudge.errors import BudgetError
from adjudge.records import Money, dollars
from adjudge.run import Plan, Result, Stop, Watcher, check_budget, judge_items, run, standing
from adjudge.store import Address, look, new_salt, open_store_at, there_is_none


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of a run, or what its ledger already held."""

    result: Result
    remarks: tuple[str, ...] = ()
    """Remarks for the caller on how the result came about."""


async def run_here(
    plan: Plan, ledger: Address, *, budget: Money, seed: int, watch: Watcher | None
) -> Outcome:
    """The run, within the event loop that is running."""
    try:
        return Outcome(
            result=await _run_within(plan, ledger, budget=budget, seed=seed, watch=watch)
        )
    except BudgetError as error:
        return as_it_stands(plan, ledger, budget, error)


def run_anywhere(
    plan: Plan, ledger: Address, *, budget: Money, seed: int, watch: Watcher | None
) -> Outcome:
    """The run, for a caller that cannot await it; in a thread if an event loop is running."""
    try:
        if _loop_is_running():
            result = _run_beside(plan, ledger, budget=budget, seed=seed, watch=watch)
        else:
            result = run(plan, ledger, budget=budget, seed=seed, watch=watch)
        return Outcome(result=result)
    except BudgetError as error:
        return as_it_stands(plan, ledger, budget, error)


def as_it_stands(plan: Plan, ledger: Address, budget: Money, error: BudgetError) -> Outcome:
    """The ledger's scores, if they already cost more than this budget; otherwise raises."""
    if there_is_none(ledger):
        raise error
    view = look(ledger)
    try:
        balance = view.balance()
    finally:
        view.close()
    bound = balance.spent + balance.reserved
    if budget >= bound:
        raise error
    result = standing(plan, ledger)
    if not result.evidence.calls.any():
        raise BudgetError(
            f"{dollars(budget)} is below the {dollars(bound)} that {ledger} has spent or reserved "
            "for other items or judges",
            "raise it, or name another ledger",
            needed=float(bound),
        ) from error
    remark = (
        f"Nothing was asked: this budget is {dollars(budget)}, and {dollars(bound)} was spent or "
        f"reserved before. These are the scores that {ledger} holds."
    )
    return Outcome(result=result, remarks=(remark,))


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _run_within(
    plan: Plan,
    ledger: Address,
    *,
    budget: Money,
    seed: int,
    watch: Watcher | None,
    stop: Stop | None = None,
) -> Result:
    """The run, within the event loop that is running."""
    salt = new_salt()
    quotes = check_budget(plan, ledger, budget, salt=salt)
    store = open_store_at(ledger, budget=budget, salt=salt)
    try:
        rng = np.random.default_rng(seed)
        return await judge_items(plan, store, rng=rng, stop=stop, watch=watch, quotes=quotes)
    finally:
        store.close()


def _run_beside(
    plan: Plan, ledger: Address, *, budget: Money, seed: int, watch: Watcher | None
) -> Result:
    """The run in a thread with its own loop; Ctrl-C (a notebook's stop button) stops it cleanly."""
    done: Future[Result] = Future()
    began: Future[tuple[asyncio.AbstractEventLoop, Stop]] = Future()

    async def work() -> Result:
        stop = Stop()
        began.set_result((asyncio.get_running_loop(), stop))
        return await _run_within(plan, ledger, budget=budget, seed=seed, watch=watch, stop=stop)

    def in_thread() -> None:
        try:
            done.set_result(asyncio.run(work()))
        except BaseException as error:  # raised again in the waiting thread
            done.set_exception(error)

    threading.Thread(target=in_thread, name="adjudge", daemon=True).start()
    while True:
        try:
            return done.result()
        except KeyboardInterrupt:
            loop, stop = began.result()
            with suppress(RuntimeError):  # the loop may have closed meanwhile
                loop.call_soon_threadsafe(stop.request)
