"""Ctrl-C and SIGTERM end a run in order, and soon."""

import asyncio
import signal
import socket
import threading

import numpy as np
import pytest

from adjudge.core.strategies import Uniform
from adjudge.judges import FunctionJudge
from adjudge.records import Reason, nano_dollars
from adjudge.run import End, Plan, Stop, judge_items, stopping_on_signals
from adjudge.store import SqliteStore
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.live.child import Child, Task
from tests.live.support import PRICES, SCALE, some_items

BUDGET = nano_dollars("0.02")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, latency=0.02, slow=60) as running:
        yield running


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_settles_what_is_under_way_and_the_run_can_go_on(server, tmp_path, number):
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    child = Child(task)
    child.wait_for_first_answer()
    child.signal(number)
    report = child.finish()
    assert report.end is End.STOPPED
    assert (report.presumed, report.reserved) == (0, 0)
    assert server.bill == report.spent < BUDGET
    again = Child(task).finish()
    assert again.end in {End.BUDGET, End.DONE}
    assert again.scored > report.scored
    assert server.bill == again.spent <= BUDGET


def test_calls_that_do_not_end_within_the_grace_time_are_presumed_billed(server, tmp_path):
    answered = threading.Event()

    def hang_after_twenty(number):
        if number >= 20:
            answered.set()
            return Fault.SLOW
        return None

    server.schedule = hang_after_twenty
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET, grace=0.2, timeout=50)
    child = Child(task)
    assert answered.wait(30)
    child.signal(signal.SIGTERM)
    assert child.ended_within(20), "it waits for a judge that hangs"
    report = child.finish()
    assert report.end is End.STOPPED
    assert report.reserved == 0
    assert set(report.reasons) == {"abandoned"}
    assert server.bill <= report.spent <= BUDGET


def test_asking_twice_does_not_wait_at_all(server, tmp_path):
    answered = threading.Event()
    server.schedule = lambda number: answered.set() or Fault.SLOW
    task = Task(
        url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET, grace=300, timeout=500
    )
    child = Child(task)
    assert answered.wait(30)
    child.signal(signal.SIGINT)
    child.signal(signal.SIGTERM)
    assert child.ended_within(20), "the second signal was not heard"
    assert child.finish().reasons == ("abandoned",) * 2


def test_a_signal_while_judges_are_being_opened_ends_the_run_at_once(tmp_path):
    # Connections are taken, by the system, and nobody ever answers.
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        child = Child(
            Task(
                url=url,
                ledger=tmp_path / "ledger.db",
                budget=BUDGET,
                timeout=300,
                connect_timeout=200,
            )
        )
        with silent.accept()[0]:
            child.signal(signal.SIGINT)
            assert child.ended_within(20), "it waits for a judge that does not answer"
    report = child.finish()
    assert report.end is End.STOPPED
    assert (report.spent, report.reserved, report.scored) == (0, 0, 0)


def test_a_program_can_stop_its_run_and_a_cancelled_one_keeps_its_books(tmp_path):
    started = asyncio.Event()

    async def hang(item):
        started.set()
        await asyncio.sleep(3600)

    async def cancelled():
        plan = Plan(
            items=some_items(3),
            judges=[FunctionJudge("f", hang, scale=SCALE, price=10, timeout=7200)],
            scale=SCALE,
            strategy=Uniform(),
        )
        running = asyncio.create_task(
            judge_items(plan, store, rng=np.random.default_rng(1), stop=Stop())
        )
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    store = SqliteStore.open(tmp_path / "ledger.db", budget=1000)
    try:
        asyncio.run(cancelled())
        assert store.balance().reserved == 0
        assert {call.reason for call in store.presumed()} <= {Reason.ABANDONED}
    finally:
        store.close()


def test_a_hangup_that_the_process_was_told_to_ignore_stays_ignored():
    before = {
        number: signal.signal(number, handler)
        for number, handler in ((signal.SIGHUP, signal.SIG_IGN), (signal.SIGTERM, signal.SIG_DFL))
    }

    async def hang_up():
        stop = Stop()
        with stopping_on_signals(stop):
            signal.raise_signal(signal.SIGHUP)
            await asyncio.sleep(0)
            ignored = not stop.requested
            signal.raise_signal(signal.SIGTERM)
            await asyncio.wait_for(stop.wait(), 10)
            return ignored

    try:
        assert asyncio.run(hang_up())
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
