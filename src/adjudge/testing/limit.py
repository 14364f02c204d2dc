"""A rate limit of the practice server, reported in its headers."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import orjson

from adjudge.testing.dialect import Dialect, Trouble
from adjudge.testing.reply import Reply


@dataclass(slots=True, kw_only=True)
class RequestLimit:
    """A token bucket, refilled at a steady rate."""

    requests: int
    per_second: float
    told: bool = True
    """Whether headers report the remaining requests."""
    refused: int = 0
    """Requests above the limit so far."""
    _left: float = field(init=False)
    _at: float = field(init=False, default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._left = float(self.requests)

    def refusal(self, dialect: Dialect) -> Reply | None:
        """The reply to a request above the limit; None if it is accepted."""
        now = time.monotonic()
        filled = self._left + (now - self._at) * self.per_second
        self._left, self._at = min(filled, float(self.requests)), now
        if self._left >= 1:
            self._left -= 1
            return None
        self.refused += 1
        refused = dialect.refusal(Trouble.BUSY, 429, "too many requests", None)
        body = orjson.dumps(refused.fields)
        return Reply(body=body, billed=None, status=refused.status, headers=refused.headers)

    def tell(self, reply: Reply, dialect: Dialect) -> Reply:
        """The reply with the rate-limit headers."""
        if not self.told:
            return reply
        reset = (self.requests - self._left) / self.per_second
        headers = dialect.limit_headers(self.requests, int(self._left), reset)
        return replace(reply, headers=(*reply.headers, *headers))
