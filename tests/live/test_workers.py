"""Several processes carry out one run: it is planned once, and every call is made once."""

import asyncio
import signal
import threading
import time
from contextlib import closing
from dataclasses import replace

import numpy as np
import psycopg
import pytest

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Uniform
from adjudge.judges import Limits
from adjudge.records import nano_dollars
from adjudge.run import End, Plan, judge_items
from adjudge.run.plan import Patience
from adjudge.run.throttle import Throttle
from adjudge.store import NoteKind, PostgresAddress, look, open_store_at
from adjudge.testing.server import PracticeServer
from tests.live.child import Child, Report, Task
from tests.live.support import HASTY, PRICES, SCALE, openai_judge, some_items

BUDGET = nano_dollars("0.02")


def plan_for(url: str) -> Plan:
    return Plan(
        items=some_items(40),
        judges=[openai_judge(url, name, concurrency=4) for name in ("ann", "bob")],
        scale=SCALE,
        strategy=Uniform(),
        patience=HASTY,
    )


def carried_out(url, address, *, may_plan, results):
    """One process's part, with a connection, an event loop and judges of its own."""
    with closing(open_store_at(address, budget=BUDGET)) as store:
        results.append(
            asyncio.run(
                judge_items(
                    plan_for(url),
                    store,
                    rng=np.random.default_rng(len(results)),
                    may_plan=may_plan,
                )
            )
        )


def test_a_run_is_planned_by_one_and_its_calls_are_made_by_all(postgres):
    address, results = PostgresAddress.of(postgres), []
    with PracticeServer(prices=PRICES, latency=0.02) as server:
        open_store_at(address, budget=BUDGET).close()
        parts = [
            threading.Thread(
                target=carried_out,
                args=(server.url, address),
                kwargs={"may_plan": may_plan, "results": results},
            )
            for may_plan in (False, True, True)
        ]
        for part in parts:
            part.start()
        for part in parts:
            part.join(60)
        bill = server.bill
    assert len(results) == 3
    with closing(look(address)) as view:
        notes, balance, calls = view.notes(), view.balance(), list(view.calls())
    kinds = [note.kind for note in notes if note.kind is not NoteKind.REMARK]
    assert kinds == [NoteKind.BEGUN, NoteKind.ENDED]
    assert balance.spent == bill <= BUDGET
    assert balance.reserved == 0
    with psycopg.connect(postgres) as connection:
        rows = connection.execute("SELECT count(DISTINCT owner) FROM adjudge.call").fetchone()
    assert rows[0] >= 2, "others made calls, too"
    assert len(calls) > 80
    leader = max(results, key=lambda result: result.rounds)
    assert leader.end in {End.BUDGET, End.DONE}


def test_another_process_plans_on_when_the_one_that_planned_has_died(postgres):
    address = PostgresAddress.of(postgres)
    one = open_store_at(address, budget=10)
    with closing(open_store_at(address, budget=10)) as other:
        assert one.plans.lead("run")
        assert not other.plans.lead("run")
        assert other.plans.lead("another run")
        assert one.plans.lead("run"), "as long as it lives"
        one.close()
        assert other.plans.lead("run")


def test_a_rate_that_the_user_set_is_shared_by_the_processes():
    throttle = Throttle(
        Limits(concurrency=100, requests_per_minute=600), Patience(), np.random.default_rng(1)
    )
    throttle.share(4)
    for _ in range(1000):
        throttle.admitted = 0
        if throttle.delay(0.0) > 0:
            break
        throttle.admit(0.0, 1)
    throttle.admitted = 0
    # One call in 0.4 s in place of one in 0.1 s.
    assert throttle.delay(0.0) == pytest.approx(0.4, abs=0.4)
    assert throttle.delay(0.0) > 0.1


class OnceEach(Uniform):
    """One call of every pair, in one round."""

    def next_batch(self, problem, evidence, remaining, rng):
        return Allocation(counts=np.maximum(1 - evidence.calls, 0))


def test_who_comes_late_leaves_a_round_that_others_have_made(postgres):
    address, stale = PostgresAddress.of(postgres), 16
    with PracticeServer(prices=PRICES, latency=0.2) as server:
        task = Task(
            url=server.url,
            ledger=address,
            budget=nano_dollars("0.1"),
            items=150,
            strategy=OnceEach(),
        )
        leader = Child(task)
        leader.wait_for_first_answer()
        late = Child(replace(task, concurrency=1))
        late.wait_for_first_answer()
        stop_between_transactions(late, postgres)
        server.latency = 0.0
        wait_until_nobody_writes(postgres)
        late.signal(signal.SIGCONT)
        for said in (leader.finish(), late.finish()):
            assert isinstance(said, Report), said
        assert server.requests == 300
    with psycopg.connect(postgres) as connection:
        made, asked = connection.execute(
            "SELECT count(*), next_call - last_call + 1023"
            " FROM adjudge.call JOIN adjudge.lease ON lease.id = owner"
            " WHERE lease.id = (SELECT max(id) FROM adjudge.lease) GROUP BY lease.id"
        ).fetchone()
    # Of each judge so many in a row, and the few that were asked for ahead of them.
    assert 2 * stale <= asked - made <= 2 * (stale + 4)


def stop_between_transactions(child, url):
    """Freeze the process while it holds no row."""
    with psycopg.connect(url, autocommit=True) as connection:
        while True:
            child.signal(signal.SIGSTOP)
            time.sleep(0.02)  # what the server had been sent is done
            (open_,) = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND state LIKE 'idle in transaction%'"
            ).fetchone()
            if not open_:
                return
            child.signal(signal.SIGCONT)
            time.sleep(0.02)


def wait_until_nobody_writes(url):
    with psycopg.connect(url, autocommit=True) as connection:
        steps = None
        while True:
            before, steps = (
                steps,
                connection.execute("SELECT sum(step) FROM adjudge.lease").fetchone(),
            )
            if steps == before:
                return
            time.sleep(0.2)
