"""Looking at a ledger from outside, as an auditor would: plain SQL and the server's own bill."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.core.evidence import Allocation
from adjudge.core.strategies import Uniform
from adjudge.judges import FunctionJudge
from adjudge.run import Plan, run
from adjudge.store import Address, PostgresAddress, State
from adjudge.testing.server import PracticeServer
from tests.live.support import SCALE, short_prompt, some_items

Row = tuple[Any, ...]


_QUERY = (
    "SELECT call.id, state, item.name, judge.name, phase, ordinal, score, charged, reserved"
    " FROM call JOIN item ON item.id = item JOIN judge ON judge.id = judge"
)


def rows(path: Address) -> tuple[dict[int, Row], tuple[int, int, int]]:
    """Every entry on disk, by number, and the purse."""
    if isinstance(path, PostgresAddress):
        return _shared_rows(path)
    if not path.exists() or path.stat().st_size == 0:
        return {}, (0, 0, 0)
    with closing(sqlite3.connect(path)) as database:
        # Killed between the file's header and its tables.
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'purse'").fetchone():
            return {}, (0, 0, 0)
        entries = {row[0]: row[1:] for row in database.execute(_QUERY)}
        return entries, database.execute("SELECT budget, spent, reserved FROM purse").fetchone()


def _shared_rows(address: PostgresAddress) -> tuple[dict[int, Row], tuple[int, int, int]]:
    import psycopg

    with psycopg.connect(address.url) as database:
        if database.execute("SELECT to_regclass('adjudge.ledger')").fetchone() == (None,):
            return {}, (0, 0, 0)
        database.execute("SET search_path = adjudge")
        database.execute("COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ")
        entries = {row[0]: row[1:] for row in database.execute(_QUERY)}
        purse = database.execute(
            "SELECT budget, (purse.spent + coalesce(sum(lease.spent), 0))::bigint,"
            " coalesce(sum(lease.reserved), 0)::bigint FROM purse"
            " LEFT JOIN lease ON lease.purse = purse.id AND NOT closed GROUP BY purse.id"
        ).fetchone()
        return entries, purse


def settled(entries: dict[int, Row]) -> dict[int, Row]:
    return {number: row for number, row in entries.items() if row[0] == State.SETTLED}


def check_books(
    server: PracticeServer, path: Address, before: dict[int, Row], durable: set[int]
) -> dict[int, Row]:
    """What must hold after any kill; the answers that are now settled."""
    entries, (budget, spent, reserved) = rows(path)
    now = settled(entries)
    assert spent + reserved <= budget
    assert server.bill <= spent + reserved
    assert all(now[number] == row for number, row in before.items())
    known = {number for number, row in entries.items() if row[0] != State.RESERVED}
    assert durable <= known
    return now


def check_paid_once(server: PracticeServer, path: Address) -> None:
    """Per pair, the server was paid no more often than the ledger says, presumed ones included."""
    entries, _ = rows(path)
    prompts = {item.id: short_prompt().messages(item)[0]["content"] for item in some_items(30)}
    answered, presumed = Counter(), Counter()
    for state, item, judge, *_ in entries.values():
        answered[judge, prompts[item]] += state == State.SETTLED
        presumed[judge, prompts[item]] += state == State.PRESUMED
    for pair, paid in server.billed.items():
        assert answered[pair] <= paid <= answered[pair] + presumed[pair]


def replayed(path: Address, folder: Path | None = None) -> list[float]:
    """The scores of an undisturbed run that gets the same answers, in another order."""
    folder = path.parent if isinstance(path, Path) else folder
    assert folder is not None
    entries, _ = rows(path)
    answers = {}
    counts = np.zeros((30, 2), np.int64)
    # Lost calls come last: a judge whose first answers hold no score is switched off.
    for state, item, judge, _, _, score, *_ in sorted(entries.values(), key=repr, reverse=True):
        if state in (State.SETTLED, State.PRESUMED):
            answers.setdefault((judge, item), []).append(score)
            counts[int(item.split("-")[1]), ["ann", "bob"].index(judge)] += 1

    class Exactly(Uniform):
        def next_batch(self, problem, evidence, remaining, rng):
            return Allocation(counts=np.maximum(counts - evidence.calls, 0))

    def judge_named(name):
        async def answer(item):
            return answers[name, item.id].pop()

        return FunctionJudge(name, answer, scale=SCALE, price=1)

    plan = Plan(
        items=some_items(30),
        judges=[judge_named("ann"), judge_named("bob")],
        scale=SCALE,
        strategy=Exactly(),
        ask_again=0,
    )
    result = run(plan, folder / "replayed.db", budget=10**9)
    return result.estimate.score.tolist()
