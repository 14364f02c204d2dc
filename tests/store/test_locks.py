"""What a process has locked stays locked, whatever else it does with the ledger."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.records import Cost, Reason
from adjudge.store import Denial, Reservation, Settlement, SqliteStore, SqliteView, State

_SRC = str(Path(__file__).parents[2] / "src")


def elsewhere(code: str, path: Path) -> str:
    """What this code prints in another process; `store` is the ledger, opened there."""
    program = (
        "import sys; from pathlib import Path; from adjudge.store import *\n"
        "path = Path(sys.argv[1]); store = SqliteStore.open(path, budget=1000)\n"
        f"{code}\nstore.close()"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": _SRC},
    )
    return run.stdout.strip()


RESERVE_ALL = """
granted = store.commit([], [Reservation(9, 1, 0, n, 100) for n in range(10)])
print(sum(isinstance(call, int) for call in granted))
"""


def look_at_it(path):
    SqliteView.look(path).close()


def open_another(path):
    SqliteStore.open(path, budget=1000).close()


def look_for_the_dead(path):
    store = SqliteStore.open(path, budget=1000)
    store.presume_dead()
    store.close()


@pytest.mark.parametrize("meanwhile", [look_at_it, open_another, look_for_the_dead])
def test_whatever_one_process_opens_its_locks_survive_and_the_budget_holds(tmp_path, meanwhile):
    path = tmp_path / "ledger.db"
    store = SqliteStore.open(path, budget=1000)
    store.commit([], [Reservation(1, 1, 0, 0, 100)])
    meanwhile(path)
    # Another process that comes and goes must not take the log away.
    assert elsewhere("print(store.balance().reserved)", path) == "100"
    granted = store.commit([], [Reservation(2, 1, 0, n, 100) for n in range(5)])
    assert all(isinstance(call, int) for call in granted)
    assert elsewhere(RESERVE_ALL, path) == "4"
    assert store.presume_dead() == 4
    assert store.balance().spent + store.balance().reserved == 1000
    store.commit([Settlement(call, State.SETTLED, cost=Cost(input=100)) for call in granted], [])
    store.close()
    assert elsewhere("print(len(store.entries()), store.balance().spent)", path) == "10 1000"


def test_a_link_to_a_ledger_is_the_ledger(tmp_path):
    path, link = tmp_path / "ledger.db", tmp_path / "link.db"
    link.symlink_to(path)
    store = SqliteStore.open(path, budget=1000)
    store.commit([], [Reservation(1, 1, 0, 0, 100)])
    view = SqliteView.look(link)
    assert view.balance().reserved == 100
    view.close()
    other = SqliteStore.open(link, budget=1000)
    assert other.balance().reserved == 100
    other.close()
    store.close()


def lock_files(path: Path) -> list[Path]:
    return [file for file in path.parent.glob("*-owner-*") if file.name[-1].isdigit()]


def settle_late(tmp_path, ending):
    """A call whose process was taken for dead, because its lock file was removed, is settled."""
    path = tmp_path / "ledger.db"
    store = SqliteStore.open(path, budget=1000)
    item, judge = store.numbers_of_items([("a", b"a")]), store.numbers_of_judges([("j", b"j")])
    calls = store.commit(
        [], [Reservation(int(item[0]), int(judge[0]), 0, n, 100) for n in range(3)]
    )
    for file in lock_files(path):
        file.unlink()
    assert elsewhere("print(store.balance().spent)", path) == "300"
    store.commit([ending(calls[0])], [Reservation(1, 1, 0, 9, 50)])
    return store, path, calls


def test_an_answer_of_a_process_taken_for_dead_is_kept_at_its_cost(tmp_path):
    store, path, calls = settle_late(
        tmp_path, lambda call: Settlement(call, State.SETTLED, None, Cost(input=30), 0.5)
    )
    assert store.balance().spent == 230
    assert store.reserved_elsewhere() == 0
    store.commit([Settlement(calls[1], State.REFUSED, Reason.WITHDRAWN)], [])
    store.commit([Settlement(calls[2], State.PRESUMED, Reason.TIMED_OUT)], [])
    assert store.balance().spent == 130
    # It has a new lock by which others see that it lives.
    assert elsewhere("print(store.presume_dead(), store.balance().reserved)", path) == "0 50"
    store.close()
    again = SqliteStore.open(path)
    assert again.entries().score.tolist()[0] == 0.5
    assert [call.reason for call in again.presumed()] == [Reason.TIMED_OUT, Reason.CRASHED]
    assert again.balance().spent == again.entries().charged.sum() == 180
    again.close()


def test_a_late_claim_above_the_worst_case_is_owed_like_any_other(tmp_path):
    store, _, _ = settle_late(
        tmp_path, lambda call: Settlement(call, State.SETTLED, None, Cost(input=5000), 0.5)
    )
    balance = store.balance()
    store.close()
    assert balance.spent + balance.reserved <= 1000
    assert balance.spent + balance.debt == 5000 + 200


def test_no_lock_file_of_the_dead_is_left_when_a_ledger_is_opened(tmp_path):
    path = tmp_path / "ledger.db"
    for _ in range(3):
        elsewhere(
            "import os; store.commit([], [Reservation(1, 1, 0, len(store.entries()), 1)]);"
            "sys.stdout.flush(); os._exit(0)",
            path,
        )
    living = SqliteStore.open(path, budget=1000)
    living.commit([], [Reservation(2, 1, 0, 0, 1)])
    for left in ("ledger.db-owner-77", "ledger.db-owner-78-journal"):
        (tmp_path / left).touch()
    other = SqliteStore.open(path, budget=1000)
    assert len(lock_files(path)) == 1
    assert other.presume_dead() == 0
    assert other.balance().spent == 3
    other.close()
    living.close()
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_ledger_that_is_removed_or_replaced_is_written_no_more(tmp_path, ending, replaced):
    path = tmp_path / "ledger.db"
    store = SqliteStore.open(path, budget=1000)
    store.commit([], [Reservation(1, 1, 0, 0, 100)])
    file = path.with_name(path.name + ending)
    content = file.read_bytes() if ending else b""
    file.unlink()
    if replaced:
        file.write_bytes(content)
    with pytest.raises(StoreError, match="was replaced" if replaced else "was removed"):
        store.commit([], [Reservation(2, 1, 0, 0, 100)])
    store.close()


def test_a_second_run_does_not_begin_anew_while_the_first_has_a_ledger_that_is_gone(tmp_path):
    path = tmp_path / "ledger.db"
    store = SqliteStore.open(path, budget=1000)
    store.commit([], [Reservation(1, 1, 0, 0, 100)])
    path.unlink()
    with pytest.raises(StoreError, match=r"its log ledger\.db-wal is there"):
        SqliteStore.open(path, budget=1000)
    store.close()


def test_a_ledger_made_anew_beside_a_run_of_the_old_one_is_left_alone_by_it(tmp_path):
    path = tmp_path / "ledger.db"
    old = SqliteStore.open(path, budget=1000)
    old.commit([], [Reservation(1, 1, 0, 0, 100)])
    for file in tmp_path.glob("ledger.db*"):
        if "-owner-" not in file.name:
            file.unlink()
    new = SqliteStore.open(path, budget=500)
    (call,) = new.commit([], [Reservation(1, 1, 0, 0, 100)])
    with pytest.raises(StoreError, match="was replaced"):
        old.commit([], [Reservation(2, 1, 0, 0, 100)])
    old.close()
    assert new.commit([], [Reservation(1, 1, 0, 0, 1)]) == [Denial.TAKEN]
    new.commit([Settlement(call, State.SETTLED, cost=Cost(input=10))], [])
    new.close()
    assert elsewhere("print(store.balance().spent)", path) == "10"
