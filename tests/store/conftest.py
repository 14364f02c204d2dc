from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adjudge.store import SqliteStore, Store, View

Opener = Callable[..., Store]


@pytest.fixture(params=["sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the same store again and again, as several processes would; every kind of store."""
    opened: list[Store] = []

    def open_again(budget: int | None = 1_000) -> Store:
        store = SqliteStore.open(tmp_path / "ledger.db", budget=budget)
        opened.append(store)
        return store

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def look(open_store: Opener, tmp_path: Path) -> Callable[[], View]:
    """Opens the same store to be read only, as a report does."""
    return lambda: SqliteStore.look(tmp_path / "ledger.db")
