"""One commit: settlements and reservations against a lease, in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from adjudge.store import statements
from adjudge.store.database import Database
from adjudge.store.entries import State
from adjudge.store.postgres import leases
from adjudge.store.postgres.escrow import Escrow, Lease
from adjudge.store.postgres.session import Session
from adjudge.store.postgres.together import Together
from adjudge.store.purse import Purse
from adjudge.store.store import Denial, Reservation, Settlement

_COMMITS = 64
"""A lease takes call numbers for this many commits of the same size at a time."""


class Lock(Enum):
    """The rows that a commit locks."""

    KNOWN = auto()
    """Only the process's own lease, without reading it first; no process waits for another."""
    LEASE = auto()
    """Only the process's own lease, which is read first."""
    PURSE = auto()
    """Also the purse, to take more money from it."""
    ALL = auto()
    """Also all other leases, to take back money that they do not need."""


class ShortError(Exception):
    """The lease is short of money or call numbers, or there are debts: lock more rows."""


class ChangedError(Exception):
    """Others have changed the lease or the calls: nothing was written."""


class UnwrittenError(Exception):
    """Nothing to settle and nothing reserved: the transaction is rolled back, without a write."""


class FencedError(Exception):
    """Others presumed this process dead and closed its lease."""


@dataclass(slots=True, kw_only=True)
class Commit:
    """The content of a commit, and its results."""

    settlements: Sequence[Settlement]
    reservations: Sequence[Reservation]
    outstanding: statements.Held
    """This process's calls under way, as it last wrote them."""
    lease: int
    step: int
    """Number of commits that the lease is known to have made."""
    known: Lease | None
    """The lease as this process last wrote it; None if unknown."""
    at: int
    """Unix time."""
    numbers: int
    """Minimum of call numbers that a lease takes at a time."""
    held: statements.Held = field(default_factory=dict)
    """The calls under way after the commit."""
    granted: list[int | Denial] = field(default_factory=list)

    def write(self, session: Session, lock: Lock) -> None:
        """Write the commit within the open transaction, which is rolled back if this raises."""
        if lock is Lock.LEASE:
            lease = leases.own_lease(session, self.lease)
            if not self._is_done(lease):
                self.known = self._alone(session, lease)
                leases.write_lease(session, self.known)
            return
        own = leases.locked(session, self.lease)
        lease = own.leases[self.lease]
        if self._is_done(lease):
            return
        before = leases.all_locked(session, lease.purse) if lock is Lock.ALL else own
        after = self._escrow(session, before, lock)
        if not self.settlements and not any(isinstance(grant, int) for grant in self.granted):
            raise UnwrittenError
        leases.write_escrow(session, before, after)
        self.known = after.leases[self.lease]

    def write_at_once(self, session: Session) -> None:
        """Write the commit by one all-or-nothing statement, without reading the lease."""
        before = self.known
        assert before is not None
        together = Together(session)
        after = self._alone(together, before)
        if not together.write(before, after):
            raise ChangedError
        self.known = after

    def _alone(self, database: Database, lease: Lease) -> Lease:
        """Write the rows with the lease's own money; return the lease afterwards."""
        if lease.strict or self._reserved_before() < len(self.settlements):
            raise ShortError
        purse = self._written(database, lease.purse_of_its_own, lease, debtors="false")
        self._check_money(purse)
        lease = lease._replace(spent=purse.spent, reserved=purse.reserved)
        return self._counted(lease, purse)

    def _escrow(self, session: Session, before: Escrow, lock: Lock) -> Escrow:
        now = before.folded()
        lease = self._with_numbers(session, now.leases[self.lease])
        number = lease.purse
        purse = now.purse(number)
        after = self._written(session, purse, lease, debtors=leases.debtors_of(number))
        if lock is Lock.PURSE:
            self._check_money(after)
        if after.amended:
            session.execute("UPDATE ledger SET amended = amended + 1")
        now = now.after(number, purse, after, self._counted(lease, after))
        needed = sum(
            wanted.amount
            for wanted, grant in zip(self.reservations, self.granted, strict=True)
            if isinstance(grant, int)
        )
        return now.topped_up(self.lease, needed).strict_where_owed()

    def _is_done(self, lease: Lease) -> bool:
        """Whether an earlier attempt with an unknown outcome was in fact committed."""
        self.known = lease
        if lease.step > self.step:
            return True
        if lease.closed:
            raise FencedError
        return False

    def _reserved_before(self) -> int:
        """Number of the calls to be settled that are still reserved."""
        before, reserved = self.outstanding, State.RESERVED.value
        return sum([before[ended[0]][6] == reserved for ended in self.settlements])

    def _with_numbers(self, session: Session, lease: Lease) -> Lease:
        wanted = len(self.reservations)
        if lease.last_call - lease.next_call + 1 >= wanted:
            return lease
        count = max(self.numbers, _COMMITS * wanted)
        first = leases.new_numbers(session, count)
        return lease._replace(next_call=first, last_call=first + count - 1)

    def _written(self, database: Database, purse: Purse, lease: Lease, *, debtors: str) -> Purse:
        """The purse after writing the rows."""
        if lease.last_call - lease.next_call + 1 < len(self.reservations):
            raise ShortError
        self.held = dict(self.outstanding)
        self.granted = []
        purse = statements.settle(database, self.settlements, purse, self.held, debtors=debtors)
        if self.reservations:
            purse, self.granted = statements.reserve(
                database,
                self.reservations,
                purse,
                self.held,
                first=lease.next_call,
                owner=lease.id,
                at=self.at,
            )
        return purse

    def _check_money(self, purse: Purse) -> None:
        """Raise ShortError for debts or missing money: these need more locks."""
        if purse.debt or Denial.NO_FUNDS in self.granted:
            raise ShortError

    def _counted(self, lease: Lease, purse: Purse) -> Lease:
        """The lease with new counts; the caller updates its money."""
        made = len(self.held) + len(self.settlements) - len(self.outstanding)
        used = len(self.granted) - self.granted.count(Denial.NO_FUNDS)
        ended = self._reserved_before()
        return lease._replace(
            calls=lease.calls + made - ended,
            total=lease.total + purse.total,
            next_call=lease.next_call + used,
            step=lease.step + 1,
        )
