"""HTTP through a proxy, by aiohttp."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping

import aiohttp
from yarl import URL

from adjudge.judges.http_reading import UnreadableAnswerError, unpack
from adjudge.judges.transport import (
    KEEP_ALIVE,
    LONGEST_ANSWER,
    BrokenOffError,
    HttpAnswer,
    NotSentError,
    Proxy,
)

_LARGE = 2**20
"""Bytes from which aiohttp wants a body as a file."""
_LOGIN = "Proxy-Authorization"


class ProxyTransport:
    """See `Transport`. Made within a running event loop."""

    def __init__(
        self,
        url: URL,
        headers: Mapping[str, str],
        *,
        proxy: Proxy,
        timeout: float,
        connect_timeout: float,
    ) -> None:
        self._url = url
        self._proxy = proxy.url
        login = {} if proxy.authorization is None else {_LOGIN: proxy.authorization}
        tunnelled = url.scheme == "https"
        self._tunnel_headers = login if tunnelled else None
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE),
            timeout=aiohttp.ClientTimeout(total=timeout, connect=connect_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers if tunnelled else {**headers, **login},
            trust_env=False,  # it would read .netrc, whose login would replace the key
            auto_decompress=False,  # ours is bounded, and notices what is broken off
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
        # Two turns in which the loop reads what came unasked on idle connections; aiohttp gives
        # such connections up, and would else take it for the answer to this request.
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        problem: Exception
        try:
            return await self._answer(method, url, body)
        except (
            aiohttp.ClientConnectorError,
            aiohttp.ClientHttpProxyError,
            aiohttp.ConnectionTimeoutError,
        ) as error:
            problem = NotSentError(str(error))
        except TimeoutError:
            raise
        except (aiohttp.ClientError, OSError, ValueError, UnreadableAnswerError) as error:
            problem = BrokenOffError(str(error) or type(error).__name__)
        raise problem  # not chained to its cause, which holds the address as it is

    async def _answer(self, method: str, url: URL, body: bytes | None) -> HttpAnswer:
        large = body is not None and len(body) >= _LARGE
        async with self._session.request(
            method,
            url,
            data=io.BytesIO(body) if body is not None and large else body,
            proxy=self._proxy,
            proxy_headers=self._tunnel_headers,
            allow_redirects=False,  # a redirect would take the key to another host
        ) as response:
            headers: dict[str, str] = {}
            for written, value in response.headers.items():
                name = written.lower()
                headers[name] = f"{headers[name]}, {value}" if name in headers else value
            content = await _whole_body(response)
            coding = headers.get("content-encoding")
            if content is not None and coding is not None:
                content = unpack(content, coding)
            return HttpAnswer(status=response.status, headers=headers, body=content)


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
