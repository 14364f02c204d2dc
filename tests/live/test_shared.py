"""Processes that share a ledger in PostgreSQL, some of which are killed."""

from contextlib import contextmanager
from dataclasses import replace

from adjudge.records import nano_dollars
from adjudge.store import PostgresAddress
from adjudge.testing.server import PracticeServer
from tests.live.child import Task
from tests.live.shared_kills import kill_at_random
from tests.live.support import PRICES
from tests.proxy import Proxy


def test_processes_that_are_killed_leave_books_that_hold_and_the_same_estimate(
    tmp_path, postgres, other_host
):
    step = nano_dollars("0.01")
    with PracticeServer(prices=PRICES, latency=0.002) as server:
        task = Task(url=server.url, ledger=PostgresAddress.of(postgres), budget=step)
        with reached_from(other_host, task) as task:
            report = kill_at_random(server, task, tmp_path, kills=3, processes=3, step=step)
    assert report.scored > 0


@contextmanager
def reached_from(host, task):
    """The task on this host, if there is one, with the ledger and the endpoint on ours."""
    if host is None:
        yield task
        return
    port = int(task.url.rsplit(":", 1)[1].split("/")[0])
    proxy = Proxy(port, host.here)
    try:
        yield replace(
            task,
            url=f"http://{host.here}:{proxy.port}/v1",
            ledger=PostgresAddress.of(task.ledger.url.replace("127.0.0.1", host.here)),
            host=host.file,
        )
    finally:
        proxy.close()
