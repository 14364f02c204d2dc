"""The practice server in its own process, so that it does not share the Python interpreter lock."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import uvloop

from adjudge.judges import Prices
from adjudge.testing.server import PracticeServer

PRICES = Prices.of(input="0.15", output="0.60")


@contextmanager
def endpoint(latency: float, *, bare: bool = False) -> Iterator[str]:
    """The address of a server that answers after `latency` seconds.

    With `bare`, the server repeats its first answer for every request and keeps no bill. This takes
    a third of the CPU time, for measurements on the same CPUs.
    """
    command = [sys.executable, "-m", "benchmarks.live.endpoint", str(latency)]
    if bare:
        command.append("bare")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


class _Same(asyncio.Protocol):
    """A connection that gives every request the same answer."""

    answer = b""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._waiting = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while (end := self._waiting.find(b"\r\n\r\n")) >= 0:
            head, body = self._waiting[:end].lower(), self._waiting[end + 4 :]
            length = int(head.partition(b"content-length:")[2].partition(b"\r")[0] or 0)
            if len(body) < length:
                return
            self._waiting = body[length:]
            if head.startswith(b"get"):
                self._transport.write(_framed(b'{"object": "list", "data": []}'))
                continue
            if not self.answer:
                practice = PracticeServer(prices=PRICES)
                _Same.answer = _framed(practice.reply_to(body[:length], "a key").body)
            if self._latency:
                loop = asyncio.get_running_loop()
                loop.call_later(self._latency, self._transport.write, self.answer)
            else:
                self._transport.write(self.answer)


def _framed(body: bytes) -> bytes:
    head = "HTTP/1.1 200 .\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def _serve_bare(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Same(latency), "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


def main() -> None:
    """Serve until the parent closes our standard input."""
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    latency = float(sys.argv[1])
    if "bare" in sys.argv:
        asyncio.run(_serve_bare(latency))
        return
    with PracticeServer(prices=PRICES, latency=latency) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
