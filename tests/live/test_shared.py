"""Processes that share a ledger in PostgreSQL, some of which are killed."""

from adjudge.records import nano_dollars
from adjudge.store import PostgresAddress
from adjudge.testing.server import PracticeServer
from tests.live.child import Task
from tests.live.shared_kills import kill_at_random
from tests.live.support import PRICES


def test_processes_that_are_killed_leave_books_that_hold_and_the_same_estimate(tmp_path, postgres):
    step = nano_dollars("0.01")
    with PracticeServer(prices=PRICES, latency=0.002) as server:
        task = Task(url=server.url, ledger=PostgresAddress.of(postgres), budget=step)
        report = kill_at_random(server, task, tmp_path, kills=3, processes=3, step=step)
    assert report.scored > 0
