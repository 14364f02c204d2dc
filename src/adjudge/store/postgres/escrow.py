"""Money in escrow: what leases take from purses and give back; pure arithmetic on rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from adjudge.records import Money
from adjudge.store.entries import Balance
from adjudge.store.purse import Purse

_PORTION = 4
"""A lease takes at most this fraction of what is free beyond what it needs at once."""
_AHEAD = 16
"""It takes at most so many times what it needs at once."""


class Account(NamedTuple):
    """A row of the table of purses; its fields are the columns, in their order."""

    id: int
    parent: int | None
    """The purse that it is a part of, whose money it spends within a budget of its own."""
    name: str
    budget: Money
    spent: Money
    leased: Money
    """What the leases hold, what they have spent and not yet reported included."""
    debt: Money

    @property
    def free(self) -> Money:
        """What can be leased."""
        return self.budget - self.spent - self.leased


class Lease(NamedTuple):
    """A row of the table of leases."""

    id: int
    purse: int
    amount: Money
    spent: Money
    reserved: Money
    calls: int
    """Calls under way."""
    total: int
    """The sum of the checksums of its calls."""
    next_call: int
    last_call: int
    step: int
    """How many commits were made by it."""
    strict: bool
    """Whether what becomes free has to pay debts first."""
    abandoned: bool
    closed: bool

    @property
    def purse_of_its_own(self) -> Purse:
        """The lease as a purse: what its process may reserve and settle by itself."""
        return Purse(self.amount, self.spent, self.reserved, 0, 0, 0, b"")


class Escrow(NamedTuple):
    """The purses and leases that a transaction has locked."""

    accounts: Mapping[int, Account]
    leases: Mapping[int, Lease]

    def path(self, purse: int) -> list[Account]:
        """The account of this number, and the purse that it is a part of, if any."""
        own = self.accounts[purse]
        return [own] if own.parent is None else [own, self.accounts[own.parent]]

    def free(self, purse: int) -> Money:
        """What can be leased from this account."""
        return min(account.free for account in self.path(purse))

    def moved(self, purse: int, *, spent: Money = 0, leased: Money = 0) -> Escrow:
        """After so much more was spent and leased from this account."""
        changed = {
            one.id: one._replace(spent=one.spent + spent, leased=one.leased + leased)
            for one in self.path(purse)
        }
        return self._replace(accounts={**self.accounts, **changed})

    def folded(self) -> Escrow:
        """After every lease has reported what it spent and kept no more than it has reserved."""
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
        """The account as one purse, with what other leases hold as reserved; once folded."""
        own = self.accounts[number]
        budget = own.spent + own.leased + self.free(number)
        return Purse(budget, own.spent, own.leased, own.debt, 0, 0, b"")

    def after(self, number: int, before: Purse, purse: Purse, lease: Lease) -> Escrow:
        """After this lease has made of the purse what it is now."""
        spent, reserved = purse.spent - before.spent, purse.reserved - before.reserved
        now = self.moved(number, spent=spent, leased=reserved)
        own = now.accounts[number]._replace(debt=purse.debt)
        held = lease.reserved + reserved
        lease = lease._replace(amount=held, reserved=held)
        return Escrow({**now.accounts, number: own}, {**now.leases, lease.id: lease})

    def topped_up(self, lease: int, needed: Money) -> Escrow:
        """After the lease has taken more than it needs now, so that it rarely has to ask."""
        own = self.leases[lease]
        if self.accounts[own.purse].debt:
            return self
        more = min(self.free(own.purse) // _PORTION, _AHEAD * needed)
        leases = {**self.leases, lease: own._replace(amount=own.amount + more)}
        return self.moved(own.purse, leased=more)._replace(leases=leases)

    def strict_where_owed(self) -> Escrow:
        """After every lease of an account with a debt was told that debts come first."""
        leases = {
            lease.id: lease._replace(strict=self.accounts[lease.purse].debt > 0)
            for lease in self.leases.values()
        }
        return self._replace(leases=leases)


class Standing(NamedTuple):
    """An account with what its leases have spent and reserved."""

    budget: Money
    spent: Money
    reserved: Money
    debt: Money


def balance_of(path: Sequence[Standing]) -> Balance:
    """What a run may spend: its own account's money, as far as the shared purse bears it."""
    own, *shared = path
    budget = own.budget
    for purse in shared:
        left = purse.budget - purse.spent - purse.reserved
        budget = min(budget, own.spent + own.reserved + max(left, 0))
    return Balance(budget=budget, spent=own.spent, reserved=own.reserved, debt=own.debt)
