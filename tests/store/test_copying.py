"""A ledger moves from a file into a database, whole."""

from contextlib import closing

import pytest
from tests.store.ledgers import everything, make_ledger

from adjudge.errors import StoreError
from adjudge.store import PostgresAddress, Reservation, SqliteStore, look, open_store_at
from adjudge.store.postgres.copying import copy_ledger
from adjudge.store.postgres.upkeep import check_shared, upgrade_shared


def test_everything_that_a_reader_can_learn_is_the_same_in_the_copy(tmp_path, postgres):
    path, shared = tmp_path / "ledger.db", PostgresAddress.of(postgres)
    make_ledger(path).close()
    told = everything(look(path))
    assert copy_ledger(path, shared) == 48
    assert everything(look(shared)) == told
    assert everything(look(path)) == told
    assert check_shared(shared) == (48, [])
    assert upgrade_shared(shared) == (2, 2)
    store = open_store_at(shared, budget=10**6)
    (call,) = store.commit([], [Reservation(1, 1, 1, 0, 5)])
    assert call > 48
    store.close()


def test_a_ledger_in_use_or_a_second_copy_is_refused_and_nothing_changes(tmp_path, postgres):
    path, shared = tmp_path / "ledger.db", PostgresAddress.of(postgres)
    store = make_ledger(path)
    store.commit([], [Reservation(1, 1, 1, 0, 5)])
    with pytest.raises(StoreError, match="is in use"):
        copy_ledger(path, shared)
    store.close()
    SqliteStore.open(path).close()
    copy_ledger(path, shared)
    before = everything(look(shared))
    with pytest.raises(StoreError, match="holds a ledger already"):
        copy_ledger(path, shared)
    assert everything(look(shared)) == before


def test_a_changed_row_is_found_and_a_newer_ledger_is_left_alone(tmp_path, postgres):
    import psycopg

    path, shared = tmp_path / "ledger.db", PostgresAddress.of(postgres)
    make_ledger(path).close()
    copy_ledger(path, shared)
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("UPDATE adjudge.call SET score = 10 WHERE id = 1")
    _, problems = check_shared(shared)
    assert "call 1 does not match its checksum" in problems[0]
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("UPDATE adjudge.ledger SET version = 99")
    for attempt in (lambda: open_store_at(shared, budget=1), lambda: upgrade_shared(shared)):
        with pytest.raises(StoreError, match="newer adjudge"):
            attempt()


def test_a_ledger_of_an_older_format_is_refused_until_it_is_brought_up_to_date(tmp_path, postgres):
    import psycopg

    path, shared = tmp_path / "ledger.db", PostgresAddress.of(postgres)
    make_ledger(path).close()
    copy_ledger(path, shared)
    told = everything(look(shared))
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE adjudge.plan; UPDATE adjudge.ledger SET version = 1")
    with pytest.raises(StoreError, match="adjudge ledger upgrade postgresql://"):
        open_store_at(shared, budget=10**6)
    assert upgrade_shared(shared) == (1, 2)
    assert everything(look(shared)) == told
    with closing(open_store_at(shared, budget=10**6)) as store:
        assert store.plans.lead("run")
