"""Killed at any moment, a run loses nothing that was paid and pays nothing twice."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from adjudge.records import nano_dollars
from adjudge.run import End
from adjudge.store import State
from adjudge.testing.server import PracticeServer
from tests.live.books import check_books, check_paid_once, replayed, rows, settled
from tests.live.child import Child, Task
from tests.live.support import PRICES

BUDGET = nano_dollars("0.03")
"""Some 3,000 calls."""


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, latency=0.002) as running:
        yield running


def test_a_run_killed_thirty_times_loses_nothing_and_pays_nothing_twice(server, tmp_path):
    chance = random.Random(20260101)
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    before = {}
    kills = 0
    while kills < 32:
        child = Child(task)
        if kills % 2:
            child.wait_for_first_answer()
        if child.ended_within(chance.uniform(0.0, 0.1)):
            assert child.finish().end in {End.BUDGET, End.DONE}
            task = replace(task, budget=task.budget + BUDGET)
            continue
        child.kill()
        kills += 1
        before = check_books(server, task.ledger, before, child.durable)
    report = Child(task).finish()
    entries, (budget, spent, reserved) = rows(task.ledger)
    assert report.end in {End.BUDGET, End.DONE}
    assert all(entries[number] == row for number, row in before.items())
    assert server.bill <= spent <= budget
    assert reserved == 0
    assert spent == sum(row[6] for row in entries.values())
    assert report.presumed == sum(row[0] == State.PRESUMED for row in entries.values())
    assert report.presumed > 0
    assert set(report.reasons) == {"crashed"}
    check_paid_once(server, task.ledger)
    assert report.scores == replayed(task.ledger)


def test_a_run_that_asks_for_several_answers_at_once_loses_none_of_them(server, tmp_path):
    chance = random.Random(20261118)
    task = Task(
        url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET, answers_per_request=None
    )
    before = {}
    for kill in range(10):
        child = Child(task)
        if kill % 2:
            child.wait_for_first_answer()
        if child.ended_within(chance.uniform(0.0, 0.1)):
            assert child.finish().end in {End.BUDGET, End.DONE}
            task = replace(task, budget=task.budget + BUDGET)
            continue
        child.kill()
        before = check_books(server, task.ledger, before, child.durable)
    report = Child(task).finish()
    entries, (budget, spent, reserved) = rows(task.ledger)
    assert report.end in {End.BUDGET, End.DONE}
    assert all(entries[number] == row for number, row in before.items())
    assert server.bill <= spent <= budget
    assert reserved == 0
    assert server.requests < 0.7 * len(settled(entries))
    check_paid_once(server, task.ledger)
    assert report.scores == replayed(task.ledger)


def test_a_process_killed_beside_another_leaves_its_money_to_it(server, tmp_path):
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET // 3)
    first, second = Child(task), Child(task)
    assert not first.ended_within(0.2)
    first.kill()
    report = second.finish()
    _, (budget, spent, reserved) = rows(task.ledger)
    assert report.end in {End.BUDGET, End.DONE}
    assert reserved == 0
    assert server.bill <= spent <= budget
    assert spent > budget * 0.9
    check_paid_once(server, task.ledger)


def test_two_processes_share_one_budget_and_pay_no_call_twice(server, tmp_path):
    server.latency = 0.01  # long enough that both are at work
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET * 2 // 3)
    children = [Child(task), Child(task)]
    reports = [child.finish() for child in children]
    entries, (budget, spent, reserved) = rows(task.ledger)
    assert all(report.end in {End.BUDGET, End.DONE} for report in reports)
    assert (reserved, max(report.presumed for report in reports)) == (0, 0)
    assert server.bill == spent <= budget
    assert min(len(child.durable) for child in children) > 0
    places = Counter((row[1], row[2], row[3], row[4]) for row in settled(entries).values())
    assert max(places.values()) == 1
    # The one that ends last has seen the other's work.
    assert max(report.scored for report in reports) == len(settled(entries))
