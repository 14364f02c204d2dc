"""Calls made on a Ray cluster. Ray carries work, never money.

The process that runs has the ledger. It reserves a call, hands it to an actor of Ray's, and settles
what comes back. Nothing is ever handed out twice: neither actors nor what they are asked to do are
restarted by Ray. What an actor was doing when it died is presumed billed.

Ray is imported only here, and only when a run begins to make calls.
"""

from adjudge.run.on_ray.place import OnRay

__all__ = ["OnRay"]
