"""Kills a run five hundred times at random moments, and checks that the ledger still balances."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.live.books import Row, check_books, check_paid_once, replayed, rows
from tests.live.child import Child, Task
from tests.live.support import PRICES

from adjudge.records import dollars, nano_dollars
from adjudge.testing.server import PracticeServer

KILLS = 500


def main() -> None:
    """Kill, check the ledger, resume; then compare with an undisturbed run."""
    chance = random.Random(1)
    step = nano_dollars("0.1")
    with (
        tempfile.TemporaryDirectory(dir=Path.cwd()) as folder,
        PracticeServer(prices=PRICES, latency=0.002) as server,
    ):
        task = Task(url=server.url, ledger=Path(folder) / "ledger.db", budget=step)
        before: dict[int, Row] = {}
        kills = 0
        while kills < KILLS:
            child = Child(task)
            if kills % 2:
                child.wait_for_first_answer()
            if child.ended_within(chance.uniform(0.0, 0.15)):
                child.finish()
                task = replace(task, budget=task.budget + step)
                continue
            child.kill()
            kills += 1
            before = check_books(server, task.ledger, before, child.durable)
        report = Child(task).finish()
        entries, (budget, spent, reserved) = rows(task.ledger)
        check_paid_once(server, task.ledger)
        assert all(entries[number] == row for number, row in before.items())
        assert server.bill <= spent <= budget
        assert reserved == 0
        assert report.scores == replayed(task.ledger)
        print(
            f"{kills} kills: {report.scored:,} answers kept, {report.presumed:,} calls presumed "
            f"billed and named; bill {dollars(server.bill)}, ledger {dollars(spent)}, budget "
            f"{dollars(budget)}; the estimate equals that of an undisturbed run"
        )
