"""HTTP through a proxy, by aiohttp."""

from __future__ import annotations

import io
from collections.abc import Mapping

import aiohttp
from yarl import URL

from adjudge.judges.transport import (
    KEEP_ALIVE,
    LONGEST_ANSWER,
    BrokenOffError,
    HttpAnswer,
    NotSentError,
)

_LARGE = 2**20
"""Bytes from which aiohttp wants a body as a file."""


class ProxyTransport:
    """See `Transport`. Made within a running event loop."""

    def __init__(
        self,
        url: URL,
        headers: Mapping[str, str],
        *,
        proxy: str | None,
        timeout: float,
        connect_timeout: float,
    ) -> None:
        self._url = url
        self._proxy = proxy
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE),
            timeout=aiohttp.ClientTimeout(total=timeout, connect=connect_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
            trust_env=False,  # it would read .netrc, whose login would replace the key
        )

    async def get(self, path: str) -> HttpAnswer:
        """The answer to a request that costs nothing."""
        return await self._exchange("GET", self._url.join(URL(path, encoded=True)), None)

    async def post(self, body: bytes) -> HttpAnswer:
        """The answer; NotSentError, BrokenOffError or TimeoutError if there is none."""
        return await self._exchange("POST", self._url, body)

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()

    async def _exchange(self, method: str, url: URL, body: bytes | None) -> HttpAnswer:
        large = body is not None and len(body) >= _LARGE
        try:
            async with self._session.request(
                method,
                url,
                data=io.BytesIO(body) if body is not None and large else body,
                proxy=self._proxy,
                allow_redirects=False,  # a redirect would take the key to another host
            ) as response:
                content = await _whole_body(response)
                headers = {name.lower(): value for name, value in response.headers.items()}
                return HttpAnswer(status=response.status, headers=headers, body=content)
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ClientHttpProxyError,
            aiohttp.ConnectionTimeoutError,
        ) as error:
            raise NotSentError(str(error)) from error
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise BrokenOffError(str(error) or type(error).__name__) from error


async def _whole_body(response: aiohttp.ClientResponse) -> bytes | None:
    """The body; None if it is longer than any answer, and the rest is then left unread."""
    parts, length = [], 0
    async for part in response.content.iter_any():
        length += len(part)
        if length > LONGEST_ANSWER:
            response.close()
            return None
        parts.append(part)
    return b"".join(parts)
