"""A ledger of the first version is read as it is, and brought up to date by whoever writes it."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest

from adjudge.errors import StoreError
from adjudge.records import Cost, Reason
from adjudge.store import Denial, Reservation, Settlement, SqliteStore, SqliteView, State

_VERSION_1 = """
CREATE TABLE purse (
    budget   INTEGER NOT NULL,
    spent    INTEGER NOT NULL CHECK (spent >= 0),
    reserved INTEGER NOT NULL CHECK (reserved >= 0),
    CHECK (spent + reserved <= budget)
) STRICT;
CREATE TABLE item (
    id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, name TEXT NOT NULL
) STRICT;
CREATE TABLE judge (
    id INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL UNIQUE, name TEXT NOT NULL
) STRICT;
CREATE TABLE owner (id INTEGER PRIMARY KEY) STRICT;
CREATE TABLE call (
    id             INTEGER PRIMARY KEY,
    item           INTEGER NOT NULL,
    judge          INTEGER NOT NULL,
    phase          INTEGER NOT NULL,
    ordinal        INTEGER,
    owner          INTEGER NOT NULL,
    state          INTEGER NOT NULL,
    reason         INTEGER,
    reserved       INTEGER NOT NULL,
    charged        INTEGER NOT NULL,
    charged_output INTEGER,
    excess         INTEGER,
    score          REAL,
    prompt_tokens  INTEGER,
    cached_tokens  INTEGER,
    output_tokens  INTEGER,
    at             INTEGER NOT NULL,
    UNIQUE (item, judge, phase, ordinal)
) STRICT;
CREATE TABLE answer (call INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE note (
    id    INTEGER PRIMARY KEY,
    kind  INTEGER NOT NULL,
    judge INTEGER,
    text  TEXT NOT NULL,
    run   TEXT NOT NULL,
    at    INTEGER NOT NULL,
    call  INTEGER NOT NULL
) STRICT;
INSERT INTO purse VALUES (1000, 400, 100);
INSERT INTO item VALUES (1, x'01', 'essay'), (2, x'02', 'poem');
INSERT INTO judge VALUES (1, x'0a', 'ann');
INSERT INTO owner VALUES (1);
INSERT INTO call VALUES
    (1, 1, 1, 0, 0, 1, 1, NULL, 100, 60, 20, NULL, 7.25, 30, 0, 9, 1700000000),
    (2, 1, 1, 0, 1, 1, 1, NULL, 100, 240, 20, 4611686018427387904, 3.0, 30, 0, 9, 1700000001),
    (3, 2, 1, 0, NULL, 1, 2, 22, 100, 0, NULL, NULL, NULL, NULL, NULL, NULL, 1700000002),
    (4, 2, 1, 0, 0, 1, 3, 40, 100, 100, NULL, NULL, NULL, NULL, NULL, NULL, 1700000003),
    (5, 2, 1, 0, 1, 1, 0, NULL, 100, 0, NULL, NULL, NULL, NULL, NULL, NULL, 1700000004);
INSERT INTO answer VALUES (1, 'Well done.');
INSERT INTO note VALUES (1, 1, NULL, 'a run began', 'r', 1700000000, 0);
PRAGMA application_id = 0x41444A47;
PRAGMA user_version = 1;
PRAGMA journal_mode = WAL;
"""


def version_1(path, *changes):
    with closing(sqlite3.connect(path)) as database:
        database.executescript(_VERSION_1)
        for change in changes:
            database.execute(change)
        database.commit()
    return path


def check(view):
    entries = view.entries()
    assert entries.call.tolist() == [1, 2, 4, 5]
    assert np.array_equal(entries.score, [7.25, 3.0, np.nan, np.nan], equal_nan=True)
    assert view.refusals() == {(1, Reason.REJECTED): 1}
    assert next(call.item for call in view.presumed()) == "poem"
    assert [row.text for row in view.calls()] == ["Well done.", None, None, None, None]
    assert view.find_items([("poem", b"\x02")]).tolist() == [2]
    assert len(view.salt()) == 16
    assert [note.text for note in view.notes()] == ["a run began"]


def test_looking_at_a_ledger_of_version_1_changes_nothing(tmp_path):
    path = version_1(tmp_path / "ledger.db")
    before = path.read_bytes()
    view = SqliteView.look(path)
    check(view)
    view.close()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def test_opening_a_ledger_of_version_1_keeps_every_answer_and_charges_what_was_forgotten(tmp_path):
    path = version_1(tmp_path / "ledger.db")
    store = SqliteStore.open(path, budget=2000)
    check(store)
    balance = store.balance()
    # The claim that version 1 noted and never paid is a debt.
    assert balance.spent == 2000
    assert balance.debt > 2**61
    assert store.commit([], [Reservation(1, 1, 0, 9, 1)]) == [Denial.NO_FUNDS]
    store.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (2,)
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_what_was_under_way_in_a_ledger_of_version_1_can_be_settled_and_more_bought(tmp_path):
    path = version_1(tmp_path / "ledger.db", "UPDATE call SET excess = 50 WHERE id = 2")
    store = SqliteStore.open(path, budget=1000)
    assert store.balance().spent == 400 + 100 + 50
    (call,) = store.commit([], [Reservation(1, 1, 0, 9, 100)])
    store.commit([Settlement(call, State.SETTLED, None, Cost(input=10), 1.0)], [])
    assert store.balance().spent == 560
    store.close()
    assert len(SqliteView.look(path).entries()) == 5


def test_a_ledger_of_version_1_that_does_not_balance_is_refused_and_not_touched(tmp_path):
    path = version_1(tmp_path / "ledger.db", "UPDATE purse SET spent = 390")
    before = path.read_bytes()
    for use in (SqliteView.look, SqliteStore.open):
        with pytest.raises(StoreError, match="do not balance"):
            use(path)
    assert path.read_bytes() == before
