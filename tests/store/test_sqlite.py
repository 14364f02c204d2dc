"""What is particular to the ledger in a file."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.records import Cost
from adjudge.store import Reservation, Settlement, SqliteStore, State


@pytest.fixture
def path(tmp_path):
    store = SqliteStore.open(tmp_path / "ledger.db", budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 0, 100)])
    store.commit([Settlement(call, State.SETTLED, None, Cost(input=60), 0.5)], [])
    store.close()
    return tmp_path / "ledger.db"


def refused_unchanged(path: Path, match: str) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreError, match=match):
        SqliteStore.open(path, budget=1000)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_nothing_but_the_ledger_is_left_after_closing(path):
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


def test_a_ledger_of_a_newer_version_is_refused_and_not_touched(path):
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 99")
    refused_unchanged(path, "newer adjudge")


def test_a_database_of_another_program_is_refused_and_not_touched(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE other (x)")
    refused_unchanged(path, "another program")


@pytest.mark.parametrize("content", [b"items\n", b"SQLite format 3\x00", b"\x00" * 5000])
def test_a_file_that_is_no_database_is_refused_and_not_touched(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    refused_unchanged(path, "not a ledger")


def test_a_damaged_ledger_is_refused_and_not_touched(path):
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    refused_unchanged(path, r"ledger\.db")


def test_a_ledger_cut_short_is_refused_and_not_touched(path):
    path.write_bytes(path.read_bytes()[:5000])
    refused_unchanged(path, r"ledger\.db")


@pytest.mark.parametrize("change", ["UPDATE call SET charged = 10", "DELETE FROM call"])
def test_books_that_do_not_balance_are_refused(path, change):
    with closing(sqlite3.connect(path)) as database:
        database.execute(change)
        database.commit()
    refused_unchanged(path, "do not balance")


def test_the_database_itself_refuses_an_overspent_purse(path):
    with closing(sqlite3.connect(path)) as database, pytest.raises(sqlite3.IntegrityError):
        database.execute("UPDATE purse SET spent = budget + 1")


def test_a_ledger_that_is_not_there_is_not_made_without_a_budget(tmp_path):
    with pytest.raises(StoreError, match="no ledger"):
        SqliteStore.open(tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_one_clear_error(tmp_path):
    with pytest.raises(StoreError, match="nowhere"):
        SqliteStore.open(tmp_path / "nowhere" / "ledger.db", budget=1)


def test_texts_are_kept_where_they_are_given(path):
    store = SqliteStore.open(path, budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 1, 10)])
    store.commit([Settlement(call, State.SETTLED, cost=Cost(input=1), text="Well done.")], [])
    store.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT * FROM answer").fetchall() == [(call, "Well done.")]


def test_looking_leaves_the_ledger_and_its_folder_as_they_are(path):
    before = path.read_bytes()
    view = SqliteStore.look(path)
    assert view.balance().spent == 60
    assert len(view.entries()) == 1
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]
    view.close()
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


def test_looking_beside_a_writer_sees_one_moment_of_what_it_committed(path):
    store = SqliteStore.open(path, budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 1, 100)])
    view = SqliteStore.look(path)
    assert view.balance().reserved == 100
    store.commit([Settlement(call, State.SETTLED, None, Cost(input=40), 0.5)], [])
    assert view.balance().reserved == 100
    assert view.entries().charged.tolist() == [60, 0]
    view.close()
    view = SqliteStore.look(path)
    assert view.balance().spent == 100
    view.close()
    store.close()


def test_looking_notices_that_somebody_begins_to_write(path):
    view = SqliteStore.look(path)
    assert view.balance().spent == 60
    store = SqliteStore.open(path, budget=1000)
    (call,) = store.commit([], [Reservation(1, 1, 0, 1, 100)])
    store.commit([Settlement(call, State.SETTLED, None, Cost(input=40), 0.5)], [])
    assert view.balance().spent == 100
    store.close()
    assert view.entries().charged.sum() == view.balance().spent == 100
    view.close()


def test_looking_at_what_is_no_ledger_is_one_clear_error(tmp_path, path):
    for content in (None, b"", b"items"):
        other = tmp_path / f"other-{content}.db"
        if content is not None:
            other.write_bytes(content)
        with pytest.raises(StoreError, match="ledger"):
            SqliteStore.look(other)
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE call SET charged = 10")
        database.commit()
    with pytest.raises(StoreError, match="do not balance"):
        SqliteStore.look(path)


_SPENDING = """
import sys
from pathlib import Path
from adjudge.records import Cost
from adjudge.store import Reservation, Settlement, SqliteStore, State
store = SqliteStore.open(Path(sys.argv[1]), budget=1000)
for ordinal in range(100):
    if ordinal % 5 == 4:  # others come and go
        store.close()
        store = SqliteStore.open(Path(sys.argv[1]), budget=1000)
    (call,) = store.commit([], [Reservation(int(sys.argv[2]), 1, 0, ordinal, 9)])
    if isinstance(call, int):
        store.commit([Settlement(call, State.SETTLED, cost=Cost(input=7), score=1.0)], [])
store.close()
"""


def test_processes_that_make_and_use_a_ledger_together_keep_its_books(tmp_path):
    path = tmp_path / "ledger.db"
    workers = [
        subprocess.Popen([sys.executable, "-c", _SPENDING, str(path), str(item)])
        for item in range(4)
    ]
    looks = [0]
    while any(worker.poll() is None for worker in workers):
        if path.exists() and path.stat().st_size:
            view = SqliteStore.look(path)
            looks.append(view.balance().spent)
            assert looks[-1] == view.entries().charged.sum()
            view.close()
    assert [worker.wait(60) for worker in workers] == [0] * 4
    assert looks == sorted(looks)
    store = SqliteStore.open(path)
    balance = store.balance()
    assert balance.reserved == 0
    assert 1000 - 9 < balance.spent <= 1000
    assert balance.spent == 7 * len(store.entries())
    store.close()
