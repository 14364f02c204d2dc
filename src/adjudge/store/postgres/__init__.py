"""The ledger in a PostgreSQL database, for a team: many machines spend one budget.

Money is held in escrow. A purse has a budget; every process that makes calls leases a part of it in
one transaction, and then reserves and settles against its own lease, so that processes do not wait
for each other. The number of a lease is its epoch: it is never given twice, and once others have
closed it, because its process seemed dead, nothing is written by it any more.
"""

from adjudge.store.postgres.address import PostgresAddress, is_postgres

__all__ = ["PostgresAddress", "is_postgres"]
