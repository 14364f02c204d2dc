"""Runs of one process, a run of another, looks at the ledger, and a ledger that vanishes."""

import asyncio
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.strategies import Uniform
from adjudge.errors import StoreError
from adjudge.judges import FunctionJudge
from adjudge.records import nano_dollars
from adjudge.run import End, Plan, judge_items, run, standing
from adjudge.store import SqliteStore
from adjudge.testing.server import PracticeServer
from tests.live.books import rows
from tests.live.child import Child, Task
from tests.live.support import PRICES, SCALE, some_items

BUDGET = nano_dollars("0.01")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, latency=0.005) as running:
        yield running


async def evaluate(task, name):
    """As `evaluate_async` does: a store of its own, in the loop that runs."""
    store = SqliteStore.open(task.ledger, budget=task.budget)
    try:
        plan = Task(url=task.url, ledger=task.ledger, budget=task.budget, judges=(name,)).plan()
        return await judge_items(plan, store, rng=np.random.default_rng(1))
    finally:
        store.close()


def come_and_go(task):
    """A process that opens the ledger and, being refused, closes it again."""
    assert "BudgetError" in Child(replace(task, budget=1)).finish()


def test_two_runs_in_one_process_beside_others_never_exceed_the_budget(server, tmp_path):
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    children = []

    async def both():
        first = asyncio.create_task(evaluate(task, "cas"))
        second = asyncio.create_task(evaluate(task, "dan"))
        while server.requests < 50:
            await asyncio.sleep(0)
        await asyncio.to_thread(come_and_go, task)
        children.append(Child(task))
        return await asyncio.gather(first, second)

    results = asyncio.run(both())
    reports = [child.finish() for child in children]
    _, (budget, spent, reserved) = rows(task.ledger)
    ends = {End.BUDGET, End.DONE}
    assert {result.end for result in results} <= ends
    # Who comes when others have spent all of it is told so.
    late = [report for report in reports if isinstance(report, str)]
    assert all("pays for no call" in error for error in late)
    assert {report.end for report in reports if report not in late} <= ends
    assert server.bill == spent <= budget
    assert reserved == 0


def test_looking_at_a_run_again_and_again_beside_another_never_exceeds_the_budget(server, tmp_path):
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    plan, begun, over = task.plan(), threading.Event(), threading.Event()

    def look():
        assert begun.wait(60)
        looks = [standing(plan, task.ledger).balance]
        come_and_go(task)
        child = Child(task)
        while not over.is_set():
            looks.append(standing(plan, task.ledger).balance)
        return looks, child.finish()

    with ThreadPoolExecutor(1) as beside:
        looking = beside.submit(look)
        result = run(plan, task.ledger, budget=BUDGET, on_settled=lambda _: begun.set())
        over.set()
        looks, report = looking.result()
    _, (_, spent, _) = rows(task.ledger)
    assert {result.end, report.end} <= {End.BUDGET, End.DONE}
    assert server.bill == spent <= BUDGET
    assert all(found.spent + found.reserved <= BUDGET for found in looks)
    assert [found.spent for found in looks] == sorted(found.spent for found in looks)


@pytest.mark.parametrize("replaced", [False, True], ids=["removed", "replaced"])
def test_a_run_whose_ledger_is_gone_stops_and_asks_no_more(tmp_path, replaced):
    ledger, asked, gone_after = tmp_path / "ledger.db", [], 20

    async def answer(item):
        asked.append(item.id)
        if len(asked) == gone_after:
            if replaced:
                shutil.copy(ledger, tmp_path / "other.db")
            ledger.unlink()
            if replaced:
                (tmp_path / "other.db").rename(ledger)
        return 5

    plan = Plan(
        items=some_items(30),
        judges=[FunctionJudge("ann", answer, scale=SCALE, price=1000)],
        scale=SCALE,
        strategy=Uniform(),
    )
    with pytest.raises(StoreError, match=r"ledger\.db: was re(moved|placed)"):
        run(plan, ledger, budget=10**7)
    under_way = plan.judges[0].limits.concurrency
    assert gone_after <= len(asked) <= gone_after + 2 * under_way
