"""The ledger in a PostgreSQL database, for a team: many machines spend one budget.

Money is held in escrow. A purse has a budget. Every process that makes calls leases a part of it in
one transaction, and then reserves and settles against its own lease, so that processes do not wait
for each other. A lease's number is its epoch (a fencing token) and is never reused. Once others
have closed a lease, because its process seemed dead, nothing more is written under it.
"""

from adjudge.store.postgres.address import PostgresAddress, is_postgres

__all__ = ["PostgresAddress", "is_postgres"]
