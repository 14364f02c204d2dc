"""Killing processes that share a ledger, at random, and looking at the books."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

from adjudge.testing.server import PracticeServer
from tests.live.books import Row, check_books, check_paid_once, replayed, rows
from tests.live.child import Child, Report, Task


def kill_at_random(
    server: PracticeServer, task: Task, folder: Path, *, kills: int, processes: int, step: int
) -> Report:
    """So many kills of one of so many processes; then the rest is done, and the books are checked.

    A killed process is replaced; when all come to their end, the budget is raised by `step`.
    """
    chance = random.Random(1)
    before: dict[int, Row] = {}
    children = [Child(task) for _ in range(processes)]
    durable: set[int] = set()
    done = 0
    while done < kills:
        place = chance.randrange(processes)
        child = children[place]
        if done % 2:
            child.wait_for_first_answer()
        if child.ended_within(chance.uniform(0.0, 0.1)):
            said = child.finish()
            assert isinstance(said, Report), said
            task = replace(task, budget=task.budget + step)
        else:
            child.kill()
            done += 1
        durable |= child.durable
        before = check_books(server, task.ledger, before, durable)
        children[place] = Child(task)
    for child in children:
        said = child.finish()
        assert isinstance(said, Report), said
        durable |= child.durable
    report = Child(task).finish()
    assert isinstance(report, Report), report
    entries, (budget, spent, reserved) = rows(task.ledger)
    check_paid_once(server, task.ledger)
    assert all(entries[number] == row for number, row in before.items())
    assert server.bill <= spent <= budget
    assert reserved == 0
    assert report.scores == replayed(task.ledger, folder)
    return report
