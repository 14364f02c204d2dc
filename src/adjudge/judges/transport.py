"""Types of the transport: answers, errors and proxies. No request is ever sent twice."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from adjudge.errors import InputError

LONGEST_ANSWER = 8 * 2**20
"""Maximum bytes of an answer, far above any chat completion with a score."""
KEEP_ALIVE = 3.0
"""Seconds that an idle connection is kept. Servers close theirs after 5 or more. A request sent
while the server closes the connection is lost, and presumed billed."""


class NotSentError(Exception):
    """There was no connection: the endpoint received nothing of the request."""


class BrokenOffError(Exception):
    """The connection ended before the answer was complete; the work may have been done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAnswer:
    """A complete answer; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None
    """None if it is too long; it was then not read to its end."""

    @property
    def is_web_page(self) -> bool:
        """Whether it is a web page, such as a login page; JSON labelled as HTML is not."""
        start = (self.body or b"").lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        called_html = "html" in self.headers.get("content-type", "").lower()
        silent = self.body is not None and not start
        return start == b"<" or (called_html and start not in {b"{", b"["} and not silent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy; its login is separate from its URL, which errors show."""

    url: URL
    login: str = field(default="", repr=False)
    """Such as `user:password`; empty if none is needed."""

    @property
    def authorization(self) -> str:
        """The header with the login."""
        return f"Proxy-Authorization: Basic {base64.b64encode(self.login.encode()).decode()}"


def proxy_for(url: URL) -> Proxy | None:
    """The proxy for this URL, from the environment; None for a direct connection."""
    if url.host is None or proxy_bypass(url.host):
        return None
    named = getproxies().get(url.scheme)
    if not named:
        return None
    scheme, _, rest = named.rpartition("://")
    # Split at the last @: a password with an unescaped # or / would confuse a URL parser.
    login, _, host = rest.rpartition("@")
    try:
        address = URL(f"{scheme or 'http'}://{host}").origin()
    except ValueError:
        address = URL()
    if address.scheme not in {"http", "https"} or not address.host:
        raise InputError(
            f"{url.scheme}_proxy",
            "the environment names no address of an HTTP proxy (it is not shown here)",
            "write it as http://host:port",
        )
    return Proxy(url=address, login=unquote(login))
