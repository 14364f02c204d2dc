"""HTTP/1.1 over connections of our own: one request at a time on each, written in one piece.

Three to four times as many calls per second as a general client makes. What it does not do
(proxies, redirects, cookies, HTTP/2) is not wanted here, or goes through `ProxyTransport`.
"""

from __future__ import annotations

import asyncio
import select
import ssl
import time
from collections.abc import Mapping
from typing import cast

from yarl import URL

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import KEEP_ALIVE, BrokenOffError, HttpAnswer, NotSentError

_TURNS = 100
"""Turns of the loop that closing connections are given to say goodbye."""


class DirectTransport:
    """See `Transport`."""

    def __init__(
        self, url: URL, headers: Mapping[str, str], *, timeout: float, connect_timeout: float
    ) -> None:
        self._host = url.host or ""
        self._port = url.port or 0
        self._timeout = timeout
        self._connect_timeout = connect_timeout
        port = "" if url.is_default_port() else f":{url.port}"
        lines = [f"Host: {url.host_subcomponent}{port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self._headers = "\r\n".join(lines)
        self._post = (
            f"POST {url.raw_path_qs} HTTP/1.1\r\n{self._headers}\r\nContent-Length: ".encode()
        )
        self._tls = ssl.create_default_context() if url.scheme == "https" else None
        self._idle: list[_Connection] = []
        self._open: set[_Connection] = set()

    async def get(self, path: str) -> HttpAnswer:
        """The answer to a request that costs nothing."""
        return await self._exchange(f"GET {path} HTTP/1.1\r\n{self._headers}\r\n\r\n".encode())

    async def post(self, body: bytes) -> HttpAnswer:
        """The answer; NotSentError, BrokenOffError or TimeoutError if there is none."""
        return await self._exchange(b"%b%d\r\n\r\n%b" % (self._post, len(body), body))

    async def close(self) -> None:
        """Close all connections."""
        for connection in list(self._open):
            connection.abort()
        for _ in range(_TURNS):
            if self._open:
                await asyncio.sleep(0)

    async def _exchange(self, request: bytes) -> HttpAnswer:
        connection = self._idle_connection() or await self._new_connection()
        try:
            return await connection.exchange(request, self._timeout)
        finally:
            if connection.reusable:
                self._idle.append(connection)
            else:
                connection.abort()

    def _idle_connection(self) -> _Connection | None:
        """The one used last, if it is fresh enough not to be closed under our hands."""
        now = time.monotonic()
        while self._idle:
            connection = self._idle.pop()
            if connection.good_at(now):
                return connection
            connection.abort()
        return None

    async def _new_connection(self) -> _Connection:
        connection = await self._connect()
        # Over TLS something always comes first: the tickets for later sessions.
        if self._tls is None and not connection.quiet():
            connection.abort()
            raise NotSentError("the endpoint spoke before it was asked")
        return connection

    async def _connect(self) -> _Connection:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._connect_timeout):
                _, connection = await loop.create_connection(
                    lambda: _Connection(self._open),
                    self._host,
                    self._port,
                    ssl=self._tls,
                )
        except TimeoutError as error:
            raise NotSentError(f"no connection within {self._connect_timeout:g} s") from error
        except (OSError, UnicodeError) as error:  # refused, certificate, unknown or absurd host
            raise NotSentError(str(error)) from error
        return connection


class _Connection(asyncio.Protocol):
    """One connection: a request out, an answer in."""

    def __init__(self, registry: set[_Connection]) -> None:
        self._registry = registry
        self._transport: asyncio.Transport
        self._poll: select.poll | None = None
        self._reader = AnswerReader()
        self._answer: asyncio.Future[HttpAnswer] | None = None
        self.reusable = False
        """Whether another request can be sent."""
        self._good_until = 0.0
        """When an idle connection may have been closed by the server."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if hasattr(select, "poll"):  # not on every system
            self._poll = select.poll()
            self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)
        self._registry.add(self)

    async def exchange(self, request: bytes, timeout: float) -> HttpAnswer:
        loop = asyncio.get_running_loop()
        self.reusable = False
        self._reader = AnswerReader()
        self._answer = loop.create_future()
        expiry = loop.call_later(timeout, self._fail, TimeoutError())
        try:
            if self._transport.is_closing():
                raise NotSentError("the connection was closed")
            self._transport.write(request)
            return await self._answer
        finally:
            expiry.cancel()
            self._answer = None

    def data_received(self, data: bytes) -> None:
        if self._answer is None or self._answer.done():
            self.abort()  # an answer that nobody asked for, or that came too late
            return
        try:
            answer = self._reader.feed(data)
        except UnreadableAnswerError as error:
            self._fail(BrokenOffError(str(error)))
            return
        if answer is not None:
            # An answer to a request that is still being sent: the rest of it is yet to be read.
            whole = self._transport.get_write_buffer_size() == 0
            self.reusable = self._reader.reusable and whole
            said = self._reader.keep_alive
            kept = KEEP_ALIVE if said is None else min(KEEP_ALIVE, said - 1)
            self._good_until = time.monotonic() + kept
            self._answer.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        self.reusable = False
        self._registry.discard(self)
        if self._answer is not None and not self._answer.done():
            whole = None if error is not None else self._ended()
            if whole is not None:
                self._answer.set_result(whole)
            else:
                within = "within" if self._reader.begun else "before"
                self._fail(BrokenOffError(f"the connection broke {within} the answer"))

    def good_at(self, now: float) -> bool:
        """Whether another request can be sent at this moment, and will be read."""
        return self.reusable and now < self._good_until and self.quiet()

    def quiet(self) -> bool:
        """Whether the idle socket has no pending data or EOF.

        The event loop may not have looked yet. An answer that nobody asked for would count for the
        next request; a request that is written into a connection which the server has closed is
        lost, and would have to be presumed billed.
        """
        if self._poll is None:
            return not select.select([self._transport.get_extra_info("socket")], [], [], 0)[0]
        return not self._poll.poll(0)

    def abort(self) -> None:
        self.reusable = False
        self._transport.abort()

    def _ended(self) -> HttpAnswer | None:
        try:
            return self._reader.end()
        except UnreadableAnswerError:
            return None

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
