"""The ledger in a PostgreSQL database, for any number of processes on any number of machines."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from adjudge.core.arrays import IntArray
from adjudge.errors import StoreError
from adjudge.records import Money
from adjudge.store import statements
from adjudge.store.entries import NoteKind, State
from adjudge.store.outstanding import look_at_outstanding
from adjudge.store.postgres import leases
from adjudge.store.postgres.address import PostgresAddress
from adjudge.store.postgres.committing import (
    ChangedError,
    Commit,
    FencedError,
    Lock,
    ShortError,
    UnwrittenError,
)
from adjudge.store.postgres.escrow import Lease
from adjudge.store.postgres.persistent import PATIENCE, Persistent
from adjudge.store.postgres.plans import PostgresPlans
from adjudge.store.postgres.purses import account_for, no_purse, who
from adjudge.store.postgres.schema import check_version, create_tables, has_ledger
from adjudge.store.postgres.session import Session, driver
from adjudge.store.postgres.troubles import translated
from adjudge.store.postgres.view import connected
from adjudge.store.purse import Purse, refuse_below
from adjudge.store.schema import new_salt
from adjudge.store.sharing import SharedPlans
from adjudge.store.store import Denial, Reservation, Settlement

_NUMBERS = 1_024
"""Minimum of call numbers that a lease takes at a time."""


class PostgresStore(Persistent):
    """A store in a database; see `Store` for its guarantees.

    The purses' CHECK makes the database refuse any overspending. The store waits for an unavailable
    server. Before a commit with an unknown outcome is repeated, the lease's number of commits shows
    whether it was made.
    """

    def __init__(
        self,
        address: PostgresAddress,
        session: Session,
        now: Callable[[], float],
        patience: float,
    ) -> None:
        super().__init__(address, session, patience)
        self._now = now
        self._step = 0
        """Number of commits that the lease is known to have made."""
        self._known: Lease | None = None
        """The lease as this process last wrote it; None if unknown."""
        self._outstanding: statements.Held = {}
        self._is_short = False
        """Whether the last commit lacked money for some reservations."""
        self.plans: SharedPlans | None = PostgresPlans(self)
        """Plans shared by the processes of one run."""

    @classmethod
    def open(
        cls,
        address: PostgresAddress,
        *,
        budget: Money | None = None,
        salt: bytes | None = None,
        now: Callable[[], float] = time.time,
        patience: float = PATIENCE,
    ) -> PostgresStore:
        """The ledger in this database, created if missing.

        `budget` is the total that may be spent, including earlier spending: by everybody or, with a
        shared purse, by this account. Without it the ledger keeps its own. `salt` is for a new
        ledger; if not given, it is drawn at random. Calls of dead processes are presumed billed.
        """
        store = cls(address, connected(address), now, patience)
        try:
            with translated(address):
                store._prepare(budget, salt or new_salt())
        except BaseException:
            store.close()
            raise
        return store

    def numbers_of_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each item, given by name and fingerprint; adds new items."""
        return self._numbers_of("item", keys)

    def numbers_of_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """The store's number of each judge, given by name and fingerprint; adds new judges."""
        return self._numbers_of("judge", keys)

    def commit(
        self, settlements: Sequence[Settlement], reservations: Sequence[Reservation]
    ) -> list[int | Denial]:
        """Settle all, then reserve in order; return each call's number or denial."""
        # After a commit without enough money, the own lease is unlikely to have enough.
        lock = Lock.ALL if self._is_short else Lock.KNOWN if self._known else Lock.LEASE
        # One object for all attempts: an earlier attempt may turn out to have been committed.
        commit = Commit(
            settlements=settlements,
            reservations=reservations,
            outstanding=self._outstanding,
            lease=self._registered(),
            step=self._step,
            known=self._known,
            at=int(self._now()),
            numbers=_NUMBERS,
        )
        while True:
            try:
                if lock is Lock.KNOWN:
                    self.ask(commit.write_at_once)
                else:
                    self._in_transaction(partial(commit.write, lock=lock))
            except ChangedError:
                lock = Lock.LEASE
            except ShortError:
                lock = Lock.ALL if lock is Lock.PURSE else Lock.PURSE
            except statements.AmendedError:
                self._look_again()
                lock = Lock.PURSE
            except FencedError:
                self._begin_again()
                commit.lease, commit.step = self._registered(), self._step
            except UnwrittenError:
                break
            else:
                self._step += 1
                self._known, self._outstanding = commit.known, commit.held
                break
        self._is_short = Denial.NO_FUNDS in commit.granted
        return commit.granted

    def note(
        self, judge: int | None, text: str, *, kind: NoteKind = NoteKind.REMARK, run: str = ""
    ) -> None:
        """Record an event, with the number of the judge concerned, if any."""
        at = int(self._now())

        def write(session: Session) -> None:
            purse = _locked_ledger(session)
            purse = statements.note(session, purse, judge, text, kind=kind, run=run, at=at)
            session.execute("UPDATE ledger SET total = total + ?", (purse.total,))

        self._in_transaction(write)

    def presume_dead(self) -> int:
        """Presume billed the calls reserved by dead processes; return their number."""
        own = [] if self._lease is None else [self._lease]
        dead = self.ask(lambda session: leases.dead_leases(session, self._key, own))
        return sum(self._presume(number) for number in dead)

    def reserved_elsewhere(self) -> int:
        """Number of calls under way of other processes that spend from the same account."""
        (calls,) = self.ask(
            lambda session: session.execute(
                "SELECT coalesce(sum(calls), 0)::bigint FROM lease"
                " WHERE NOT closed AND purse = ? AND id <> ?",
                (self._purse, self._lease or 0),
            ).fetchone()
        )
        return int(calls)

    def living(self, session: Session) -> int:
        """Number of living processes that spend from the same account."""
        return leases.living(session, self._key, self._purse or 0)

    def close(self) -> None:
        """Release the resources of this process; reserved entries stay reserved."""
        with suppress(driver().Error):
            if self._lease is not None and not self._session.broken:
                with self._session.transaction():
                    self._leave(self._lease)
            if not self._session.broken:
                # Explicitly: the server takes a moment to notice a closed connection.
                self._session.execute("SELECT pg_advisory_unlock_all()")
        self._lease = None
        self._session.close()

    def _prepare(self, budget: Money | None, salt: bytes) -> None:
        session = self._session
        if not has_ledger(session):
            if self.address.purse:
                raise no_purse(self.address, [])
            if budget is None:
                raise StoreError(f"{self.address}: there is no ledger here")
            with session.transaction():
                create_tables(session, budget, salt)
        check_version(session, self.address)
        self._key = leases.lock_key(self.salt())
        with session.transaction(to_read=True):
            leases.check_books(session)
        with session.transaction():
            self._purse = account_for(session, self.address, budget)
        self.presume_dead()
        if budget is not None:
            self._in_transaction(partial(self._set_budget, budget=budget))

    def _set_budget(self, session: Session, budget: Money) -> None:
        number = self._purse
        assert number is not None
        before = leases.all_locked(session, number)
        now = before.folded()
        own = now.accounts[number]
        refuse_below(own.spent + own.leased, budget, self.address)
        now = now._replace(accounts={**now.accounts, number: own._replace(budget=budget)})
        now = leases.paid(session, now, number)
        leases.write_escrow(session, before, now.strict_where_owed())

    def _numbers_of(self, table: str, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        def write(session: Session) -> IntArray:
            purse = _locked_ledger(session)
            purse, numbers = statements.number_each(session, purse, table, keys)
            if purse.total:
                session.execute("UPDATE ledger SET total = total + ?", (purse.total,))
            return numbers

        return self._in_transaction(write)

    def _presume(self, number: int) -> int:
        """Close the lease of a dead process; return the number of calls presumed billed."""

        def write(session: Session) -> int:
            before = leases.locked(session, number)
            if before.leases[number].closed:
                return 0
            after, lost = leases.presumed(session, before, number)
            leases.write_escrow(session, before, after)
            return lost

        return self._in_transaction(write)

    def _leave(self, number: int) -> None:
        """Close the lease of this process, or mark it as abandoned if calls are under way."""
        before = leases.locked(self._session, number)
        now = before.folded()
        lease = now.leases[number]
        lease = lease._replace(abandoned=True, closed=lease.calls == 0)
        if before.leases[number].closed:
            return
        leases.write_escrow(self._session, before, now._replace(leases={number: lease}))

    def _registered(self) -> int:
        """The number of this process's lease, whose lock shows others that it is alive."""
        if self._lease is None:
            self._lease = self._in_transaction(self._register)
            self._step, self._known = 0, None
        return self._lease

    def _register(self, session: Session) -> int:
        first = leases.new_numbers(session, _NUMBERS)
        (number,) = session.execute(
            "INSERT INTO lease (purse, who, next_call, last_call, strict)"
            " VALUES (?, ?, ?, ?, true) RETURNING id",
            (self._purse, who(), first, first + _NUMBERS - 1),
        ).fetchone()
        # Locked before others can see the number, or they would presume the process dead.
        session.execute("SELECT pg_advisory_lock(?::int, ?::int)", (self._key, number))
        return int(number)

    def _begin_again(self) -> None:
        """Continue with a new lease after others have closed this process's lease."""
        self._lease = None
        self._registered()
        waiting = sum(row.state == State.RESERVED for row in self._outstanding.values())
        self._look_again()
        self.note(
            None,
            f"a process of {who()} lost contact with the ledger and was presumed dead; its "
            f"{waiting} calls under way were presumed billed, and are settled as answers arrive",
        )

    def _look_again(self) -> None:
        self.ask(lambda session: look_at_outstanding(session, self._outstanding))


def _locked_ledger(session: Session) -> Purse:
    """An empty purse for new checksums; locks out other writers of items, judges and notes."""
    session.execute("SELECT 1 FROM ledger FOR NO KEY UPDATE")
    return Purse(0, 0, 0, 0, 0, 0, b"")
