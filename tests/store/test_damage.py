"""A ledger that was damaged, or changed by hand, is never believed."""

import random
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.ledgers import everything, make_ledger

from adjudge.errors import StoreError
from adjudge.store import Reservation, SqliteStore, SqliteView
from adjudge.store.rows import Row, entry_sums, intact, sealed

_FLIPS = 600


@pytest.fixture
def path(tmp_path):
    make_ledger(tmp_path / "ledger.db").close()
    return tmp_path / "ledger.db"


def by_hand(path, change):
    with closing(sqlite3.connect(path)) as database:
        database.execute(change)
        database.commit()


def test_a_flipped_bit_is_told_or_changes_nothing(path):
    before = everything(SqliteView.look(path))
    content, chance = path.read_bytes(), random.Random(20260101)
    damaged = path.with_name("damaged.db")
    told = []
    for _ in range(_FLIPS):
        place = chance.randrange(8 * len(content))
        flipped = bytearray(content)
        flipped[place // 8] ^= 1 << place % 8
        damaged.write_bytes(flipped)
        try:
            assert everything(SqliteView.look(damaged)) == before, place
        except StoreError as error:
            told.append(str(error))
        assert sorted(file.name for file in path.parent.iterdir()) == ["damaged.db", "ledger.db"]
    assert len(told) > _FLIPS / 20
    known = ("adjudge ledger repair", "not a ledger", "another program", "newer adjudge")
    assert all(any(words in error for words in known) for error in told)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE call SET score = 9.5 WHERE id = 3",
        "UPDATE call SET score = NULL WHERE id = 3",
        "UPDATE call SET state = 2 WHERE id = 3",
        "UPDATE call SET judge = judge + 9",
        "UPDATE call SET ordinal = ordinal + 7",
        "UPDATE call SET reason = 41 WHERE state = 2",
        "UPDATE call SET reserved = reserved + 1 WHERE state <> 0",
        "UPDATE call SET prompt_tokens = 1",
        "UPDATE call SET detail = 'HTTP 200'",
        "UPDATE answer SET text = 'no'",
        "DELETE FROM answer",
        "DELETE FROM call WHERE state = 2",
        "UPDATE item SET name = 'other' WHERE id = 2",
        "UPDATE item SET fingerprint = x'00' WHERE id = 2",
        "UPDATE judge SET name = 'eve' WHERE id = 1",
        "DELETE FROM item WHERE id = 8",
        "UPDATE note SET text = 'BUDGET: the budget is spent' WHERE id = 3",
        "DELETE FROM note WHERE id = 2",
        "UPDATE purse SET budget = budget * 2",
        "UPDATE purse SET salt = x'00'",
        "DELETE FROM purse",
    ],
)
def test_what_is_changed_by_hand_is_noticed(path, change):
    by_hand(path, change)
    with pytest.raises(StoreError, match="adjudge ledger repair"):
        everything(SqliteView.look(path))


def test_a_purse_that_is_changed_during_a_run_ends_it(path):
    store = SqliteStore.open(path, budget=10**6)
    by_hand(path, "UPDATE purse SET budget = budget * 2")
    with pytest.raises(StoreError, match="purse does not match"):
        store.commit([], [Reservation(1, 1, 0, 99, 1)])
    store.close()


def test_a_version_that_stands_only_in_the_log_is_read_right(path):
    with closing(sqlite3.connect(path)) as writer, closing(sqlite3.connect(path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM purse").fetchall()  # keeps the log from being emptied
        writer.execute("PRAGMA user_version = 99")
        for use in (SqliteView.look, SqliteStore.open):
            with pytest.raises(StoreError, match="newer adjudge"):
                use(path)
        assert path.read_bytes()[60:64] == (2).to_bytes(4, "big")


def test_a_database_whose_program_stands_only_in_the_log_is_not_taken_for_a_ledger(tmp_path):
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("CREATE TABLE other (x)")
        with pytest.raises(StoreError, match="another program"):
            SqliteStore.open(path, budget=1)
        assert other.execute("SELECT name FROM sqlite_schema").fetchall() == [("other",)]


whole = st.integers(-(2**62), 2**62)
maybe = st.none() | whole
rows = st.builds(
    Row,
    id=whole,
    sum=st.just(0),
    item=whole,
    judge=whole,
    phase=whole,
    ordinal=maybe,
    state=whole,
    reason=maybe,
    charged=whole,
    charged_output=maybe,
    score=st.none() | st.floats(allow_nan=False),
    rest=st.just(0),
    owner=whole,
    reserved=whole,
    excess=maybe,
    prompt_tokens=maybe,
    cached_tokens=maybe,
    written_tokens=maybe,
    output_tokens=maybe,
    at=whole,
    text_sum=maybe,
    detail=st.none() | st.text(max_size=5),
)


@given(st.lists(rows, min_size=1, max_size=5), st.data())
@settings(max_examples=50)
def test_rows_written_one_by_one_and_read_in_columns_have_the_same_checksums(many, data):
    written = sealed(many)
    assert all(intact(written))
    real = {"reason", "charged_output", "score"}
    columns = {
        name if name != "id" else "call": np.array(
            [-1 if name == "ordinal" and row[place] is None else row[place] for row in written],
            np.float64 if name in real else np.int64,
        )
        for place, name in enumerate(Row._fields[:11])
    }
    assert entry_sums(columns).tolist() == [row.sum for row in written]
    name = data.draw(st.sampled_from([name for name in Row._fields if name not in {"sum", "rest"}]))
    value = data.draw(st.just("other text") if name == "detail" else st.integers(-(2**50), 2**50))
    if getattr(written[0], name) not in (value, -1):
        assert not intact([written[0]._replace(**{name: value})])[0]
