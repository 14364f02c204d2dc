"""Who is at work on a ledger, seen by somebody who only reads."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.store import (
    EmptyView,
    Reservation,
    Settlement,
    SqliteStore,
    SqliteView,
    State,
    UnderWay,
)

_RESERVE_AND_DIE = """
import os, sys
from pathlib import Path
from adjudge.store import Reservation, SqliteStore
store = SqliteStore.open(Path(sys.argv[1]), budget=1000)
store.commit([], [Reservation(2, 1, 0, 0, 100), Reservation(3, 1, 0, 0, 100)])
os._exit(9)
"""


@pytest.fixture
def ledger(tmp_path):
    return tmp_path / "ledger.db"


def seen(ledger: Path) -> UnderWay:
    with closing(SqliteView.look(ledger)) as view:
        return view.under_way()


def test_a_living_process_is_at_work_with_its_calls_until_it_leaves(ledger):
    store = SqliteStore.open(ledger, budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 0, 100)])
    assert seen(ledger) == UnderWay(processes=1, calls=1)
    store.commit([Settlement(call, State.REFUSED)], [])
    assert seen(ledger) == UnderWay(processes=1), "between two calls it is at work, too"
    store.close()
    assert seen(ledger) == UnderWay()
    assert EmptyView().under_way() == UnderWay()


def test_looking_does_not_disturb_who_is_at_work(ledger):
    store = SqliteStore.open(ledger, budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 0, 100)])
    files = {file.name for file in ledger.parent.iterdir()}
    assert seen(ledger) == seen(ledger) == UnderWay(processes=1, calls=1)
    assert {file.name for file in ledger.parent.iterdir()} == files
    with closing(SqliteStore.open(ledger, budget=1000)) as other:
        assert other.reserved_elsewhere() == 1, "its lock is still held"
    store.commit([Settlement(call, State.REFUSED)], [])
    store.close()


def test_calls_of_a_dead_process_are_abandoned_beside_a_living_one(ledger):
    with closing(SqliteStore.open(ledger, budget=1000)) as store:
        (call,) = store.commit([], [Reservation(1, 1, 0, 0, 100)])
        command = [sys.executable, "-c", _RESERVE_AND_DIE, str(ledger)]
        assert subprocess.run(command, check=False).returncode == 9
        assert seen(ledger) == UnderWay(processes=1, calls=1, abandoned=2)
        store.commit([Settlement(call, State.REFUSED)], [])
