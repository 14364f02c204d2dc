"""Money in escrow, which leases take from purses and give back: pure arithmetic on rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.records import Money
from adjudge.store.entries import Balance
from adjudge.store.purse import Purse

_PORTION = 4
"""Beyond its current need, a lease takes at most the free money divided by this."""
_AHEAD = 16
"""Beyond its current need, a lease takes at most this multiple of the need."""


class Account(NamedTuple):
    """A row of the table of purses; its fields are the columns, in order."""

    id: int
    parent: int | None
    """The shared purse whose money it spends, within its own budget; None for a purse."""
    name: str
    budget: Money
    spent: Money
    leased: Money
    """Money held by leases, including spending that they have not reported yet."""
    debt: Money

    @property
    def free(self) -> Money:
        """Money that can be leased."""
        return self.budget - self.spent - self.leased


class Lease(NamedTuple):
    """A row of the table of leases."""

    id: int
    purse: int
    amount: Money
    spent: Money
    reserved: Money
    calls: int
    """Number of calls under way."""
    total: int
    """The sum of the checksums of its calls."""
    next_call: int
    last_call: int
    step: int
    """Number of its commits."""
    strict: bool
    """Whether free money must pay debts first."""
    abandoned: bool
    closed: bool

    @property
    def purse_of_its_own(self) -> Purse:
        """The lease as a purse, from which its process reserves and settles by itself."""
        return Purse(self.amount, self.spent, self.reserved, 0, 0, 0, b"")


class Escrow(NamedTuple):
    """The purses and leases that a transaction has locked."""

    accounts: Mapping[int, Account]
    leases: Mapping[int, Lease]

    def path(self, purse: int) -> list[Account]:
        """The account with this number, followed by its shared purse, if any."""
        own = self.accounts[purse]
        return [own] if own.parent is None else [own, self.accounts[own.parent]]

    def free(self, purse: int) -> Money:
        """Money that can be leased from this account."""
        return min(account.free for account in self.path(purse))

    def moved(self, purse: int, *, spent: Money = 0, leased: Money = 0) -> Escrow:
        """The escrow after this much more was spent and leased from this account."""
        changed = {
            one.id: one._replace(spent=one.spent + spent, leased=one.leased + leased)
            for one in self.path(purse)
        }
        return self._replace(accounts={**self.accounts, **changed})

    def folded(self) -> Escrow:
        """The escrow after every lease has reported its spending and returned unreserved money."""
        now = self
        for lease in self.leases.values():
            idle = lease.amount - lease.reserved
            now = now.moved(lease.purse, spent=lease.spent, leased=-idle)
        leases = {
            lease.id: lease._replace(amount=lease.reserved, spent=0)
            for lease in self.leases.values()
        }
        return now._replace(leases=leases)

    def purse(self, number: int) -> Purse:
        """The account as one purse, with all leased money as reserved; only after `folded`."""
        own = self.accounts[number]
        budget = own.spent + own.leased + self.free(number)
        return Purse(budget, own.spent, own.leased, own.debt, 0, 0, b"")

    def after(self, number: int, before: Purse, purse: Purse, lease: Lease) -> Escrow:
        """The escrow after this lease has changed the purse from `before` to `purse`."""
        spent, reserved = purse.spent - before.spent, purse.reserved - before.reserved
        now = self.moved(number, spent=spent, leased=reserved)
        own = now.accounts[number]._replace(debt=purse.debt)
        held = lease.reserved + reserved
        lease = lease._replace(amount=held, reserved=held)
        return Escrow({**now.accounts, number: own}, {**now.leases, lease.id: lease})

    def topped_up(self, lease: int, needed: Money) -> Escrow:
        """The escrow after the lease took extra money, so that it rarely needs more locks."""
        own = self.leases[lease]
        if self.accounts[own.purse].debt:
            return self
        more = min(self.free(own.purse) // _PORTION, _AHEAD * needed)
        leases = {**self.leases, lease: own._replace(amount=own.amount + more)}
        return self.moved(own.purse, leased=more)._replace(leases=leases)

    def strict_where_owed(self) -> Escrow:
        """The escrow with `strict` set for exactly the leases of accounts with a debt."""
        leases = {
            lease.id: lease._replace(strict=self.accounts[lease.purse].debt > 0)
            for lease in self.leases.values()
        }
        return self._replace(leases=leases)


class Standing(NamedTuple):
    """An account, with the spending and reservations of its leases."""

    budget: Money
    spent: Money
    reserved: Money
    debt: Money


def balance_of(path: Sequence[Standing]) -> Balance:
    """A run's balance: its own account's money, limited by the shared purse."""
    own, *shared = path
    budget = own.budget
    for purse in shared:
        left = purse.budget - purse.spent - purse.reserved
        budget = min(budget, own.spent + own.reserved + max(left, 0))
    return Balance(budget=budget, spent=own.spent, reserved=own.reserved, debt=own.debt)
