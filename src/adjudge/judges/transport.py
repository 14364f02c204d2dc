"""Sending a request and receiving its answer; nothing is ever sent twice."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote
from urllib.request import getproxies, proxy_bypass

from yarl import URL

from adjudge.errors import InputError

LONGEST_ANSWER = 8 * 2**20
"""Largest answer in bytes, far above any chat completion of a score."""
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

    @property
    def is_web_page(self) -> bool:
        """Whether it is a page for people, as of a login; JSON that is called HTML is none."""
        start = (self.body or b"").lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        called_html = "html" in self.headers.get("content-type", "").lower()
        silent = self.body is not None and not start
        return start == b"<" or (called_html and start not in {b"{", b"["} and not silent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """A proxy, its login apart from its address: addresses are shown in errors."""

    url: URL
    login: str = field(default="", repr=False)
    """As `user:password`; empty if it asks for none."""

    @property
    def authorization(self) -> str:
        """The header that carries the login."""
        return f"Proxy-Authorization: Basic {base64.b64encode(self.login.encode()).decode()}"


def proxy_for(url: URL) -> Proxy | None:
    """The proxy that the environment names for this address; None to go there directly."""
    if url.host is None or proxy_bypass(url.host):
        return None
    named = getproxies().get(url.scheme)
    if not named:
        return None
    scheme, _, rest = named.rpartition("://")
    # The last @ ends the login: an unescaped # or / in a password would end the host elsewhere.
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
