"""Shared plans in the database: the process that holds a run's lock plans it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from zlib import crc32

from adjudge.store.postgres import leases
from adjudge.store.postgres.session import Session
from adjudge.store.sharing import Published, Wanted

if TYPE_CHECKING:
    from adjudge.store.postgres.store import PostgresStore

_BEGIN = (
    "INSERT INTO plan (run, round, ended, wanted) VALUES (?, 0, false, ?) ON CONFLICT (run)"
    " DO UPDATE SET round = plan.round + 1, ended = false, wanted = excluded.wanted"
)
_JOB = (
    "INSERT INTO plan (run, round, ended, job) VALUES (?, 0, true, ?) ON CONFLICT (run)"
    " DO UPDATE SET job = excluded.job"
)


class PostgresPlans:
    """See `SharedPlans`."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._led: dict[str, Session] = {}
        """The runs that this process plans, with the connection that holds each lock."""

    def lead(self, run: str) -> bool:
        """Whether this process plans the run: the first to ask does, as long as it lives."""

        def ask(session: Session) -> bool:
            if self._led.get(run) is session:
                return True
            key = (leases.lock_key(self._store.salt()) ^ 1, crc32(run.encode()) & 0x7FFFFFFF)
            (is_ours,) = session.execute(
                "SELECT pg_try_advisory_lock(?::int, ?::int)", key
            ).fetchone()
            if is_ours:
                self._led[run] = session
                session.execute("UPDATE plan SET ended = false WHERE run = ?", (run,))
            return bool(is_ours)

        return self._store.ask(ask)

    def publish(self, run: str, wanted: Wanted) -> None:
        """Publish a new plan to the other processes."""
        self._write(lambda session: session.execute(_BEGIN, (run, wanted.packed())))

    def end(self, run: str) -> None:
        """Publish the end of the run to the other processes."""
        self._write(
            lambda session: session.execute("UPDATE plan SET ended = true WHERE run = ?", (run,))
        )

    def published(self, run: str, known: int) -> Published:
        """The latest plan, without its content if its round is `known`."""
        row = self._store.ask(
            lambda session: session.execute(
                "SELECT round, ended, CASE WHEN round <> ? AND NOT ended THEN wanted END"
                " FROM plan WHERE run = ?",
                (known, run),
            ).fetchone()
        )
        if row is None:
            return Published(round=-1, ended=True)
        number, ended, wanted = row
        content = None if wanted is None else Wanted.unpacked(bytes(wanted))
        return Published(round=number, ended=ended, wanted=content)

    def processes(self) -> int:
        """Number of living processes that spend from the same account, including this one."""
        return max(self._store.ask(self._store.living), 1)

    def keep_job(self, run: str, job: bytes) -> None:
        """Store the data that a process on another machine needs to join the run."""
        self._write(lambda session: session.execute(_JOB, (run, job)))

    def _write(self, work: Callable[[Session], object]) -> None:
        self._store.ask(work)


def job_under_way(session: Session) -> tuple[str, bytes] | None:
    """The current run, with the data for joining it; None if there is none."""
    row = session.execute(
        "SELECT run, job FROM plan WHERE NOT ended AND job IS NOT NULL LIMIT 1"
    ).fetchone()
    return None if row is None else (row[0], bytes(row[1]))
