from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from adjudge.store import Address, PostgresAddress, Store, View, look, open_store_at

Opener = Callable[..., Store]


class NewLedger(Protocol):
    def __call__(self) -> Address: ...


@pytest.fixture(params=["sqlite", "postgres"])
def new_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewLedger]:
    """Gives places for ledgers; every kind of store.

    That of PostgreSQL is on another host than the test, where one can be made.
    """
    if request.param == "sqlite":
        files = iter(range(10**6))
        yield lambda: tmp_path / f"ledger-{next(files)}.db"
        return
    from tests.postgres import empty_database

    url, host = request.getfixturevalue("postgres"), request.getfixturevalue("other_host")
    if host is None:
        yield lambda: PostgresAddress.of(empty_database(url))
        return
    with host.inside():
        yield lambda: PostgresAddress.of(empty_database(url.replace("127.0.0.1", host.here)))


@pytest.fixture
def place(new_ledger: NewLedger) -> Address:
    """Where the test's ledger is."""
    return new_ledger()


@pytest.fixture
def open_store(place: Address) -> Iterator[Opener]:
    """Opens the same store again and again, as several processes would; every kind of store."""
    opened: list[Store] = []

    def open_again(budget: int | None = 1_000) -> Store:
        store = open_store_at(place, budget=budget)
        opened.append(store)
        return store

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture(name="look")
def look_again(open_store: Opener, place: Address) -> Callable[[], View]:
    """Opens the same store to be read only, as a report does."""
    return lambda: look(place)
