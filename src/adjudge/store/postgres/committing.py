"""One commit: calls settled and reserved against a lease, in one transaction."""

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
"""Commits like this one for which a lease takes numbers of calls at a time."""


class Lock(Enum):
    """How much of the money a commit keeps to itself until it is done."""

    KNOWN = auto()
    """The process's own lease as it was left: nothing is read, and nobody waits for anybody."""
    LEASE = auto()
    """The process's own lease, after a look at it."""
    PURSE = auto()
    """The purse too, to take more money from it."""
    ALL = auto()
    """All leases too, to take back what they do not need."""


class ShortError(Exception):
    """The lease has too little money or too few numbers, or there are debts: lock more."""


class ChangedError(Exception):
    """The lease or the calls are not as this process left them: nothing was written."""


class UnwrittenError(Exception):
    """Nothing was to be settled and nothing could be reserved: undone, it need not reach a disk."""


class FencedError(Exception):
    """Others have taken this process for dead and closed its lease."""


@dataclass(slots=True, kw_only=True)
class Commit:
    """What is to be written, and what became of it."""

    settlements: Sequence[Settlement]
    reservations: Sequence[Reservation]
    outstanding: statements.Held
    """This process's calls under way, as it left them."""
    lease: int
    step: int
    """Commits known to have been made by the lease."""
    known: Lease | None
    """The lease as this process left it; None if that is not known."""
    at: int
    """Unix time."""
    numbers: int
    """How many numbers of calls a lease takes at a time."""
    held: statements.Held = field(default_factory=dict)
    """The calls under way afterwards."""
    granted: list[int | Denial] = field(default_factory=list)

    def write(self, session: Session, lock: Lock) -> None:
        """Write it, within a transaction that is undone when this raises."""
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
        """Write it by one statement, which writes all or nothing, without a look at the lease."""
        before = self.known
        assert before is not None
        together = Together(session)
        after = self._alone(together, before)
        if not together.write(before, after):
            raise ChangedError
        self.known = after

    def _alone(self, database: Database, lease: Lease) -> Lease:
        """Write the rows with the lease's own money; the lease afterwards."""
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
        """Whether an earlier attempt, whose end was not heard, was made after all."""
        self.known = lease
        if lease.step > self.step:
            return True
        if lease.closed:
            raise FencedError
        return False

    def _reserved_before(self) -> int:
        """Of how many calls that are settled nobody has made something else."""
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
        """The purse after the rows were written."""
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
        """Refuse to decide alone that there is no money, or what is owed."""
        if purse.debt or Denial.NO_FUNDS in self.granted:
            raise ShortError

    def _counted(self, lease: Lease, purse: Purse) -> Lease:
        """The lease with its counts; its money is the caller's part."""
        made = len(self.held) + len(self.settlements) - len(self.outstanding)
        used = len(self.granted) - self.granted.count(Denial.NO_FUNDS)
        ended = self._reserved_before()
        return lease._replace(
            calls=lease.calls + made - ended,
            total=lease.total + purse.total,
            next_call=lease.next_call + used,
            step=lease.step + 1,
        )
