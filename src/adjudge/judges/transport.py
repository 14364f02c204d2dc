"""Getting a request to an endpoint and its answer back; nothing is ever sent twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from urllib.request import getproxies, proxy_bypass

from yarl import URL

LONGEST_ANSWER = 8 * 2**20
"""Bytes; no chat completion of a score comes near."""
KEEP_ALIVE = 3.0
"""Seconds an idle connection is kept. Servers close theirs after 5 or more: a request sent into a
connection that is just being closed is lost, and would be presumed billed."""


class NotSentError(Exception):
    """There was no connection; the endpoint has seen nothing of the request."""


class BrokenOffError(Exception):
    """The connection ended before the answer did; the endpoint may have done the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A complete answer; its headers are found by their names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    """None if it is longer than any answer, and was not read to its end."""


class Transport(Protocol):
    """One endpoint, reached over connections that are kept and used again."""

    async def get(self, path: str) -> HttpAnswer:
        """The answer to a request that costs nothing."""
        ...

    async def post(self, body: bytes) -> HttpAnswer:
        """The answer; NotSentError, BrokenOffError or TimeoutError if there is none."""
        ...

    async def close(self) -> None:
        """Close all connections."""
        ...


def proxy_for(url: URL) -> str | None:
    """The proxy that the environment names for this address; None to go there directly."""
    if url.host is None or proxy_bypass(url.host):
        return None
    return getproxies().get(url.scheme)
