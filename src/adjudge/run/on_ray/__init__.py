"""Calls made on a Ray cluster. Ray never handles money.

The process that runs has the ledger. It reserves a call, sends it to a Ray actor, and settles the
reply. No call is sent twice: Ray restarts neither actors nor their tasks. If an actor dies, its
calls under way are presumed billed.

Ray is imported only here, and only when a run begins to make calls.
"""

from adjudge.run.on_ray.place import OnRay

__all__ = ["OnRay"]
