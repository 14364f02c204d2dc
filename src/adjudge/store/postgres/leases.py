"""Locks, reads and writes of the rows of purses and leases."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.records import Money, dollars
from adjudge.store.checksum import Damage
from adjudge.store.entries import Balance, State
from adjudge.store.postgres.escrow import Account, Escrow, Lease, Standing, balance_of
from adjudge.store.postgres.session import Session
from adjudge.store.purse import Purse
from adjudge.store.statements import DEBTORS, pay, presume

_GRACE = 30
"""Seconds after a restart of the server in which a process may take up its lease again."""
_ACCOUNT = ", ".join(f"purse.{name}" for name in Account._fields)
_LEASE = ", ".join(f"lease.{name}" for name in Lease._fields)
WRITE_LEASE = (
    "UPDATE lease SET amount = ?, spent = ?, reserved = ?, calls = ?, total = ?,"
    " next_call = ?, last_call = ?, step = ?, strict = ?, abandoned = ?, closed = ?"
    " WHERE id = ?"
)
_LOCKS = (
    "SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = ?"
    " AND objsubid = 2 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def lock_key(salt: bytes) -> int:
    """The first key of the advisory locks that show which of this ledger's processes are alive."""
    return int.from_bytes(salt[:4], "little") & 0x7FFFFFFF


def own_lease(session: Session, number: int) -> Lease:
    """The lease, locked."""
    row = session.execute(
        f"SELECT {_LEASE} FROM lease WHERE id = ? FOR NO KEY UPDATE", (number,)
    ).fetchone()
    if row is None:
        raise Damage(f"lease {number} is missing")
    return Lease._make(row)


def locked(session: Session, lease: int) -> Escrow:
    """A lease and the purses that it takes money from; the purses are locked first."""
    accounts = session.execute(
        f"SELECT {_ACCOUNT} FROM purse WHERE id IN ("
        " SELECT own.id FROM lease JOIN purse own ON own.id = lease.purse WHERE lease.id = ?"
        " UNION SELECT own.parent FROM lease JOIN purse own ON own.id = lease.purse"
        " WHERE lease.id = ?) ORDER BY id FOR NO KEY UPDATE",
        (lease, lease),
    ).fetchall()
    return Escrow(_by_number(accounts), {lease: own_lease(session, lease)})


def all_locked(session: Session, purse: int) -> Escrow:
    """All accounts that share a purse with this one, and all of their open leases."""
    family = (
        "(SELECT one.id FROM purse one, purse own WHERE own.id = ?"
        " AND coalesce(own.parent, own.id) IN (one.id, one.parent))"
    )
    accounts = session.execute(
        f"SELECT {_ACCOUNT} FROM purse WHERE id IN {family} ORDER BY id FOR NO KEY UPDATE", (purse,)
    ).fetchall()
    leases = session.execute(
        f"SELECT {_LEASE} FROM lease WHERE NOT closed AND purse IN {family}"
        " ORDER BY id FOR NO KEY UPDATE",
        (purse,),
    ).fetchall()
    return Escrow(_by_number(accounts), {row[0]: Lease._make(row) for row in leases})


def debtors_of(purse: int) -> str:
    """The condition for calls of this account with a debt."""
    return f"{DEBTORS} AND owner IN (SELECT id FROM lease WHERE purse = {purse})"


def presumed(session: Session, before: Escrow, number: int) -> tuple[Escrow, int]:
    """The escrow after closing a dead process's lease, and the number of calls presumed billed."""
    now = before.folded()
    lease = now.leases[number]
    purse = now.purse(lease.purse)
    after, lost = presume(session, purse, number, debtors=debtors_of(lease.purse))
    _count_amended(session, after)
    lease = lease._replace(calls=0, total=lease.total + after.total, closed=True)
    return now.after(lease.purse, purse, after, lease), lost


def paid(session: Session, escrow: Escrow, number: int) -> Escrow:
    """The escrow after this account's free money has paid its debts; only after `folded`."""
    purse = escrow.purse(number)
    after = pay(session, purse, debtors=debtors_of(number))
    _count_amended(session, after)
    session.execute("UPDATE ledger SET total = total + ?", (after.total,))
    now = escrow.moved(number, spent=after.spent - purse.spent)
    own = now.accounts[number]._replace(debt=after.debt)
    return now._replace(accounts={**now.accounts, number: own})


def _count_amended(session: Session, purse: Purse) -> None:
    if purse.amended:
        session.execute("UPDATE ledger SET amended = amended + 1")


def write_lease(session: Session, lease: Lease) -> None:
    """Write a locked lease; the table's CHECK refuses an overspent one."""
    session.execute(WRITE_LEASE, (*lease[2:], lease.id))


def write_escrow(session: Session, before: Escrow, after: Escrow) -> None:
    """Write the changed rows; the purses' CHECK refuses overspending."""
    for number, account in after.accounts.items():
        if account != before.accounts[number]:
            session.execute(
                "UPDATE purse SET budget = ?, spent = ?, leased = ?, debt = ? WHERE id = ?",
                (*account[3:], number),
            )
    for number, lease in after.leases.items():
        if lease != before.leases[number]:
            write_lease(session, lease)


def new_numbers(session: Session, count: int) -> int:
    """The first of `count` consecutive call numbers that no other process gets."""
    (following,) = session.execute(
        "UPDATE ledger SET next_call = next_call + ? RETURNING next_call", (count,)
    ).fetchone()
    return int(following) - count


def complete_before(session: Session) -> int:
    """A number below which no call is added any more."""
    (number,) = session.execute(
        "SELECT least(next_call, (SELECT min(lease.next_call) FROM lease"
        " WHERE NOT closed AND lease.next_call <= last_call)) FROM ledger"
    ).fetchone()
    return int(number)


def read_balance(session: Session, purse: int) -> Balance:
    """The account's balance, from one snapshot."""
    found = session.execute(
        "SELECT path.id = own.id, path.budget,"
        " path.spent + coalesce(sum(lease.spent), 0)::bigint,"
        " coalesce(sum(lease.reserved), 0)::bigint, path.debt FROM purse own"
        " JOIN purse path ON path.id IN (own.id, own.parent)"
        " JOIN purse child ON path.id IN (child.id, child.parent)"
        " LEFT JOIN lease ON lease.purse = child.id AND NOT lease.closed"
        " WHERE own.id = ? GROUP BY path.id, own.id",
        (purse,),
    ).fetchall()
    ordered = sorted(found, key=lambda row: not row[0])
    return balance_of([Standing._make(row[1:]) for row in ordered])


def dead_leases(session: Session, key: int, own: Sequence[int]) -> list[int]:
    """Open leases of processes that the server considers dead.

    A process is alive while its connection holds the advisory lock of its lease. A restart of the
    server releases all locks, so processes then have some time to take them again.
    """
    found = session.execute(
        "SELECT id FROM lease WHERE NOT closed AND id <> ALL(?::bigint[])"
        f" AND (abandoned OR id NOT IN ({_LOCKS}) AND (since > pg_postmaster_start_time()"
        f" OR clock_timestamp() > pg_postmaster_start_time() + interval '{_GRACE} seconds'))"
        " ORDER BY id",
        (list(own), key),
    )
    return [number for (number,) in found]


def living(session: Session, key: int, purse: int) -> int:
    """Number of living processes that spend from this account."""
    (count,) = session.execute(
        f"SELECT count(*) FROM lease WHERE purse = ? AND NOT closed AND id IN ({_LOCKS})",
        (purse, key),
    ).fetchone()
    return int(count)


def under_way(session: Session, key: int) -> tuple[int, int, int]:
    """Number of living processes, of their calls under way, and of dead processes' calls."""
    living, calls, abandoned = session.execute(
        "SELECT count(*) FILTER (WHERE lives),"
        " coalesce(sum(calls) FILTER (WHERE lives), 0)::bigint,"
        " coalesce(sum(calls) FILTER (WHERE NOT lives), 0)::bigint FROM"
        f" (SELECT calls, NOT abandoned AND id IN ({_LOCKS}) AS lives FROM lease"
        "  WHERE NOT closed) l",
        (key,),
    ).fetchone()
    return living, calls, abandoned


def check_books(session: Session) -> None:
    """Raise Damage if the calls do not sum to the purses and leases; needs one snapshot."""
    sums = session.execute(
        "SELECT purse.spent, purse.debt, coalesce(l.spent, 0)::bigint,"
        " coalesce(l.reserved, 0)::bigint, coalesce(c.charged, 0)::bigint,"
        " coalesce(c.reserved, 0)::bigint, coalesce(c.excess, 0)::bigint,"
        " purse.leased - coalesce(l.amount, 0)::bigint FROM purse LEFT JOIN"
        " (SELECT purse, sum(spent) AS spent, sum(reserved) AS reserved, sum(amount) AS amount"
        "  FROM lease WHERE NOT closed GROUP BY purse) l ON l.purse = purse.id LEFT JOIN"
        " (SELECT lease.purse, sum(call.charged) AS charged, sum(excess) AS excess,"
        f"  sum(call.reserved) FILTER (WHERE state = {State.RESERVED.value}) AS reserved"
        "  FROM call JOIN lease ON lease.id = call.owner GROUP BY lease.purse) c"
        " ON c.purse = purse.id WHERE NOT EXISTS"
        " (SELECT 1 FROM purse child WHERE child.parent = purse.id)"
    ).fetchall()
    for spent, debt, unreported, reserved, *calls, unleased in sums:
        _check_sums((spent + unreported, reserved, debt), tuple(calls))
        if unleased:
            raise Damage("the leases do not sum to their purse")
    missing, wrong = session.execute(
        "SELECT (SELECT total FROM ledger) + (SELECT coalesce(sum(total), 0) FROM lease)"
        " - (SELECT coalesce(sum(sum + rest), 0) FROM call)"
        " - (SELECT coalesce(sum(sum), 0) FROM item) - (SELECT coalesce(sum(sum), 0) FROM judge)"
        " - (SELECT coalesce(sum(sum), 0) FROM note),"
        " (SELECT count(*) FROM purse JOIN (SELECT parent, sum(spent) AS spent,"
        "  sum(leased) AS leased FROM purse GROUP BY parent) c ON c.parent = purse.id"
        "  WHERE (purse.spent, purse.leased) <> (c.spent, c.leased))"
    ).fetchone()
    if missing:
        raise Damage("rows are missing or were changed: their checksums do not add up")
    if wrong:
        raise Damage("the accounts do not sum to their purse")


def _check_sums(purse: tuple[Money, Money, Money], calls: tuple[Money, ...]) -> None:
    if purse != calls:
        said, summed = (tuple(dollars(amount) for amount in amounts) for amounts in (purse, calls))
        raise Damage(
            f"the books do not balance: {said[0]} spent, {said[1]} reserved and {said[2]} owed, "
            f"but the calls sum to {summed[0]}, {summed[1]} and {summed[2]}"
        )


def _by_number(rows: Sequence[Sequence[object]]) -> dict[int, Account]:
    accounts = [Account._make(row) for row in rows]
    return {account.id: account for account in accounts}
