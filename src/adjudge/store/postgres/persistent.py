"""Reconnection and retries while a server is unavailable."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.session import Session, driver
from adjudge.store.postgres.troubles import Trouble, given_up, lasting, translated, trouble_of
from adjudge.store.postgres.view import PostgresView

T = TypeVar("T")
PATIENCE = 180.0
"""Seconds to wait for an unavailable server before the run is stopped."""
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 2.0
"""First and maximum seconds between two attempts; doubled each time."""


class Persistent(PostgresView):
    """A ledger that waits for an unavailable server, and keeps the lock of its lease."""

    def __init__(self, address: PostgresAddress, session: Session, patience: float) -> None:
        super().__init__(address, session)
        self._patience = patience
        self._key = 0
        """The first key of the locks that show which of the ledger's processes are alive."""
        self._lease: int | None = None

    def ask(self, question: Callable[[Session], T]) -> T:
        """The result of a query; retried while the server is unavailable."""
        return self._persistently(lambda: question(self._session))

    def _in_transaction(self, work: Callable[[Session], T]) -> T:
        """The result of this work in one transaction, retried if necessary."""

        def once() -> T:
            session = self._session
            with session.transaction():
                return work(session)

        return self._persistently(once)

    def _persistently(self, work: Callable[[], T]) -> T:
        """The result of this work, retried until it succeeds, fails for good, or time runs out."""
        psycopg, began, wait = driver(), time.monotonic(), _FIRST_WAIT
        with translated(self.address):
            while True:
                try:
                    if self._session.broken:
                        self._reconnect()
                    return work()
                except psycopg.Error as error:
                    trouble = trouble_of(error, broken=self._session.broken)
                    if trouble is Trouble.LASTING:
                        raise lasting(self.address, error) from error
                    if time.monotonic() - began > self._patience:
                        raise given_up(self.address, error, self._patience) from error
                time.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)

    def _reconnect(self) -> None:
        """Connect again, and take the lease's lock again."""
        session = Session.connect(self.address)
        try:
            if self._lease is not None:
                self._take_lock_over(session, self._lease)
        except BaseException:
            session.close()
            raise
        self._session.close()
        self._session = session

    def _take_lock_over(self, session: Session, lease: int) -> None:
        """Move the lease's lock from the old connection to this one."""
        # The server may not have noticed that the old connection is lost.
        session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid = ? AND usename = current_user AND application_name = 'adjudge'",
            (self._session.backend,),
        )
        session.execute("SET lock_timeout = '10s'")
        session.execute("SELECT pg_advisory_lock(?::int, ?::int)", (self._key, lease))
        session.execute("SET lock_timeout = 0")
