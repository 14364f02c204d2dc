"""Working on while a server is away: connecting again, and trying again what was undone."""

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
"""Seconds to wait for a server that is away, before the run is stopped."""
_FIRST_WAIT, _LONGEST_WAIT = 0.02, 2.0
"""Seconds between two attempts; doubled each time."""


class Persistent(PostgresView):
    """A ledger whose server is waited for, in the name of a lease."""

    def __init__(self, address: PostgresAddress, session: Session, patience: float) -> None:
        super().__init__(address, session)
        self._patience = patience
        self._key = 0
        """The first half of the locks by which the ledger's processes are seen to live."""
        self._lease: int | None = None

    def ask(self, question: Callable[[Session], T]) -> T:
        """What the database answers; a server that is away is waited for."""
        return self._persistently(lambda: question(self._session))

    def _in_transaction(self, work: Callable[[Session], T]) -> T:
        """What this work gives as one transaction, which may have to be begun several times."""

        def once() -> T:
            session = self._session
            with session.transaction():
                return work(session)

        return self._persistently(once)

    def _persistently(self, work: Callable[[], T]) -> T:
        """What this work gives, once the server is there and lets it be done."""
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
        """Connect again, and be seen to live again."""
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
        """Hold the lease's lock by this connection in place of the old one."""
        # The server may not have noticed that the old connection is gone.
        session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid = ? AND usename = current_user AND application_name = 'adjudge'",
            (self._session.backend,),
        )
        session.execute("SET lock_timeout = '10s'")
        session.execute("SELECT pg_advisory_lock(?::int, ?::int)", (self._key, lease))
        session.execute("SET lock_timeout = 0")
