"""One HTTP/1.1 connection."""

from __future__ import annotations

import asyncio
import select
import ssl
import time
from typing import cast

from adjudge.judges.http_reading import AnswerReader, UnreadableAnswerError
from adjudge.judges.transport import KEEP_ALIVE, BrokenOffError, HttpAnswer, NotSentError


class Connection(asyncio.Protocol):
    """One connection, with one request at a time."""

    def __init__(self, registry: set[Connection]) -> None:
        self._registry = registry
        self._transport: asyncio.Transport
        self._poll: select.poll | None = None
        self._reader = AnswerReader()
        self._answer: asyncio.Future[HttpAnswer] | None = None
        """The pending answer."""
        self._deadline = 0.0
        """Deadline of the pending answer, on the event loop's clock."""
        self._expiry: asyncio.TimerHandle | None = None
        self.reusable = False
        """Whether another request can be sent."""
        self._good_until = 0.0
        """Time from which the server may have closed the idle connection."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """See `asyncio.Protocol`."""
        self._transport = cast("asyncio.Transport", transport)
        self._loop = asyncio.get_running_loop()
        if hasattr(select, "poll"):  # not on every system
            self._poll = select.poll()
            self._poll.register(transport.get_extra_info("socket").fileno(), select.POLLIN)
        self._registry.add(self)

    def exchange(
        self, request: bytes, timeout: float, *, tunnel: bool = False
    ) -> asyncio.Future[HttpAnswer]:
        """The answer; NotSentError, BrokenOffError or TimeoutError if there is none.

        The timeout is the same for all requests on a connection.
        """
        self.reusable = False
        if self._transport.is_closing():
            raise NotSentError("the connection was closed")
        self._reader = AnswerReader(tunnel=tunnel)
        self._answer = answer = self._loop.create_future()
        self._deadline = self._loop.time() + timeout
        # An earlier request's timer keeps running; when it expires, it waits for this deadline.
        if self._expiry is None:
            self._expiry = self._loop.call_later(timeout, self._expire)
        self._transport.write(request)
        return answer

    async def tunnel(self, request: bytes, tls: ssl.SSLContext, host: str, timeout: float) -> None:
        """Ask the proxy for a tunnel to the host, and start TLS through it."""
        try:
            answer = await self.exchange(request, timeout, tunnel=True)
        except BrokenOffError as error:
            raise NotSentError(f"the proxy opens no tunnel ({error})") from error
        if not 200 <= answer.status < 300:
            raise NotSentError(f"the proxy opens no tunnel (HTTP {answer.status})")
        if not self.reusable:
            raise NotSentError("the proxy sent data before the tunnel was open")
        secure = await self._loop.start_tls(self._transport, self, tls, server_hostname=host)
        if secure is None:
            raise NotSentError("the proxy closed the tunnel")
        self._transport = secure

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        waiting = self._answer
        if waiting is None or waiting.done():
            self.abort()  # an unsolicited or late answer
            return
        try:
            answer = self._reader.feed(data)
        except UnreadableAnswerError as error:
            self._fail(BrokenOffError(str(error)))
            return
        if answer is not None:
            # If the request is still being sent, the server has yet to read the rest of it.
            whole = self._transport.get_write_buffer_size() == 0
            self.reusable = self._reader.reusable and whole
            said = self._reader.keep_alive
            kept = KEEP_ALIVE if said is None else min(KEEP_ALIVE, said - 1)
            self._good_until = time.monotonic() + kept
            self._answer = None
            waiting.set_result(answer)

    def connection_lost(self, error: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self.reusable = False
        self._registry.discard(self)
        if self._expiry is not None:
            self._expiry.cancel()
        if self._answer is not None and not self._answer.done():
            whole = None if error is not None else self._ended()
            if whole is not None:
                self._answer.set_result(whole)
            else:
                within = "within" if self._reader.begun else "before"
                self._fail(BrokenOffError(f"the connection broke {within} the answer"))

    def good_at(self, now: float) -> bool:
        """Whether another request can be sent now and is likely to be read."""
        return self.reusable and now < self._good_until and self.quiet()

    def quiet(self) -> bool:
        """Whether the idle socket has no pending data or EOF.

        The event loop may not have read them yet. Unsolicited data would be taken for the answer
        to the next request. A request sent on a connection that the server has closed is lost, and
        presumed billed.
        """
        if self._poll is None:
            return not select.select([self._transport.get_extra_info("socket")], [], [], 0)[0]
        return not self._poll.poll(0)

    def abort(self) -> None:
        """Close the connection at once."""
        self.reusable = False
        self._transport.abort()

    def _expire(self) -> None:
        self._expiry = None
        if self._answer is None or self._answer.done():
            return
        left = self._deadline - self._loop.time()
        if left > 0:
            self._expiry = self._loop.call_later(left, self._expire)
        else:
            self._fail(TimeoutError())

    def _ended(self) -> HttpAnswer | None:
        try:
            return self._reader.end()
        except UnreadableAnswerError:
            return None

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)
