"""A damaged ledger can be mended: what is sound stays, what is spent stays spent."""

import random
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from tests.store.ledgers import everything, make_ledger
from tests.store.test_migration import version_1

from adjudge.errors import StoreError
from adjudge.records import Reason
from adjudge.store import (
    Reservation,
    SqliteStore,
    SqliteView,
    State,
    check_ledger,
    repair_ledger,
)

BUDGET = 10**6


@pytest.fixture
def path(tmp_path):
    make_ledger(tmp_path / "ledger.db", budget=BUDGET).close()
    return tmp_path / "ledger.db"


def by_hand(path, *changes):
    with closing(sqlite3.connect(path)) as database:
        for change in changes:
            database.execute(change)
        database.commit()


def what_was_spent(path):
    view = SqliteView.look(path)
    try:
        return view.balance().spent
    finally:
        view.close()


def test_a_sound_ledger_has_nothing_wrong_and_is_left_alone(path):
    before = path.read_bytes()
    found = check_ledger(path)
    assert (found.problems(), found.calls) == ([], 48)
    repair = repair_ledger(path)
    assert (repair.copy, repair.done) == (None, ())
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["ledger.db"]


def test_checking_beside_a_run_finds_nothing_wrong_and_repairing_waits_for_its_end(path):
    store = SqliteStore.open(path, budget=BUDGET)
    store.commit([], [Reservation(1, 1, 0, 9, 100)])
    assert check_ledger(path).problems() == []
    with pytest.raises(StoreError, match="is in use"):
        repair_ledger(path)
    assert store.balance().reserved == 100
    store.close()


def test_a_score_changed_by_hand_is_dropped_and_everything_else_kept(path):
    before = SqliteView.look(path).entries()
    spent = what_was_spent(path)
    by_hand(path, "UPDATE call SET score = 9.75 WHERE id = 3")
    (problem,) = check_ledger(path).problems()
    assert problem == "call 3 does not match its checksum."
    repair = repair_ledger(path)
    assert repair.copy == path.with_name("ledger.db.before-repair")
    assert any("1 damaged call" in sentence for sentence in repair.done)
    assert check_ledger(path).problems() == []
    view = SqliteView.look(path)
    after, kept = view.entries(), before.call != 3
    sound = after.call != 3
    for name in before.__slots__:
        one, other = getattr(before, name)[kept], getattr(after, name)[sound]
        assert np.array_equal(one, other, equal_nan=True)
    assert np.isnan(after.score[~sound]).all()
    assert view.balance().budget == BUDGET
    (damaged,) = [call for call in view.presumed() if call.reason is Reason.DAMAGED]
    assert view.balance().spent == spent == after.charged.sum()
    assert damaged.charged == before.charged[~kept][0]
    view.close()
    # Where it was, the call can be made again.
    again = SqliteStore.open(path, budget=BUDGET)
    place = [int(getattr(before, name)[~kept][0]) for name in ("item", "judge", "phase", "ordinal")]
    assert isinstance(again.commit([], [Reservation(*place, 10)])[0], int)
    again.close()


def test_money_of_calls_that_are_gone_stays_spent(path):
    spent = what_was_spent(path)
    by_hand(path, "DELETE FROM call WHERE id BETWEEN 5 AND 9")
    assert "do not balance" in check_ledger(path).problems()[0]
    repair_ledger(path)
    view = SqliteView.look(path)
    assert view.balance().spent == spent == view.entries().charged.sum()
    assert view.presumed()[-1].reason is Reason.DAMAGED
    view.close()


def test_books_that_only_do_not_balance_are_balanced_by_the_calls(tmp_path):
    """As a late settlement left them in version 1, where all calls were sound."""
    changes = ("UPDATE purse SET spent = 500, reserved = 0", "UPDATE call SET excess = NULL")
    path = version_1(tmp_path / "ledger.db", *changes)
    with pytest.raises(StoreError, match="do not balance"):
        SqliteStore.open(path, budget=1000)
    assert "do not balance" in check_ledger(path).problems()[0]
    repair_ledger(path)
    store = SqliteStore.open(path, budget=1000)
    assert store.entries().score.tolist()[:2] == [7.25, 3.0]
    assert store.balance().spent == 400 + 100
    store.close()


def test_a_purse_that_cannot_be_trusted_is_made_from_the_calls_and_spends_nothing(path):
    spent = what_was_spent(path)
    by_hand(path, "UPDATE purse SET budget = budget * 1000")
    assert check_ledger(path).problems() == ["The purse does not match its checksum."]
    repair = repair_ledger(path)
    assert any("budget was lost" in sentence for sentence in repair.done)
    store = SqliteStore.open(path)
    balance = store.balance()
    assert (balance.budget, balance.spent, balance.remaining) == (spent, spent, 0)
    store.close()
    assert SqliteStore.open(path, budget=BUDGET).balance().remaining == BUDGET - spent


def test_items_judges_notes_and_texts_that_are_damaged_are_named_and_kept(path):
    by_hand(
        path,
        "UPDATE item SET name = 'other' WHERE id = 2",
        "DELETE FROM judge WHERE id = 2",
        "UPDATE note SET kind = 77 WHERE id = 3",
        "UPDATE answer SET text = 'torn' WHERE call = (SELECT min(call) FROM answer)",
    )
    told = " ".join(check_ledger(path).problems())
    for words in ("item 2 ", "judge 2, which is not there", "note 3 ", "text of call "):
        assert words in told
    repair_ledger(path)
    assert check_ledger(path).problems() == []
    view = SqliteView.look(path)
    assert "torn" in {row.text for row in view.calls()}
    assert view.notes()[-1].text.startswith("a damaged note")
    assert (view.entries().state == State.SETTLED).sum() > 30
    view.close()


def test_an_earlier_copy_is_never_overwritten(path):
    copies = []
    for _ in range(3):
        by_hand(path, "UPDATE call SET score = score + 0.5 WHERE id = 3 OR id = 4")
        by_hand(path, "UPDATE call SET score = 2.5 WHERE id = 5")
        copies.append(repair_ledger(path).copy.name)
        by_hand(path, "UPDATE note SET text = text || '!'")
    assert copies == [f"ledger.db.before-repair{end}" for end in ("", "-2", "-3")]


def test_whatever_bit_is_flipped_a_repaired_ledger_is_sound_and_nothing_is_spent_again(path):
    spent, content, chance = what_was_spent(path), path.read_bytes(), random.Random(7)
    used = [place for place, byte in enumerate(content) if byte and place >= 100]
    mended = 0
    for place in chance.sample(used, 30):
        flipped = bytearray(content)
        flipped[place] ^= 1 << chance.randrange(8)
        path.write_bytes(flipped)
        try:
            repair = repair_ledger(path)
        except StoreError:  # SQLite cannot tell what tables there are
            assert path.read_bytes() == flipped
            continue
        assert check_ledger(path).problems() == []
        assert what_was_spent(path) >= spent
        if repair.copy is not None:
            mended += 1
            everything(SqliteView.look(path))
            repair.copy.unlink()
    assert mended > 5


def test_pages_that_are_gone_cost_their_calls_and_no_others(tmp_path):
    path = tmp_path / "ledger.db"
    store = make_ledger(path, budget=10**9)
    calls = store.commit([], [Reservation(1, 1, 1, n, 100) for n in range(2000)])
    store.close()
    SqliteStore.open(path, budget=10**9).close()
    spent = what_was_spent(path)
    with closing(sqlite3.connect(path)) as database:
        page = database.execute(
            "SELECT pageno FROM dbstat WHERE name = 'call' AND pagetype = 'leaf'"
            " ORDER BY pageno LIMIT 1 OFFSET 9"
        ).fetchone()[0]
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreError, match="adjudge ledger repair"):
        SqliteStore.open(path, budget=10**9)
    repair_ledger(path)
    view = SqliteView.look(path)
    assert len(calls) * 0.9 < len(view.entries()) < len(calls) + 49
    assert view.balance().spent == spent
    view.close()


def test_what_is_no_ledger_is_neither_checked_nor_repaired(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("items")
    for act in (check_ledger, repair_ledger):
        with pytest.raises(StoreError, match="not a ledger"):
            act(other)
        with pytest.raises(StoreError, match="no ledger here"):
            act(tmp_path / "none.db")
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
