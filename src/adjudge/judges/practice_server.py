"""A chat endpoint to practise on: real HTTP, a bill of its own, and faults on command."""

from __future__ import annotations

import asyncio
import ssl
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

import orjson

from adjudge.judges.practice_faults import (
    WEB_PAGE,
    Completion,
    Fault,
    Reply,
    faulty_reply,
    good_reply,
)
from adjudge.judges.practice_listener import Listener
from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.records import Money

Answerer: TypeAlias = Callable[[str, str, int], str]
"""From the model, the user's message and how often it was sent before, to the answer."""
Schedule: TypeAlias = Callable[[int], Fault | None]
"""From the number of the request, counted from 0, to what goes wrong with it."""

_BYTES_PER_TOKEN = 4


def steady_answer(model: str, prompt: str, number: int) -> str:
    """A score from 1 to 10 that only depends on the question, and a little on its repetition."""
    score = 1 + (zlib.crc32(f"{model}{prompt}".encode()) + number % 2) % 10
    return f'{{"reason": "because", "score": {score}}}'


class PracticeServer:
    """Answers chat completions in a thread of its own; the system chooses a port of 0.

    What it bills is what a provider would: every completion it made, whether or not it arrived.
    """

    def __init__(
        self,
        *,
        prices: Prices,
        answer: Answerer = steady_answer,
        latency: float = 0.0,
        slow: float = 5.0,
        wait: float = 0.05,
        schedule: Schedule = lambda number: None,
        tls: ssl.SSLContext | None = None,
        port: int = 0,
    ) -> None:
        self.prices = prices
        self.answer = answer
        self.latency = latency
        """Seconds before every answer."""
        self.slow = slow
        """Seconds before an answer that is too slow."""
        self.wait = wait
        """Seconds that `Retry-After` asks for."""
        self.schedule = schedule
        self.bill: Money = 0
        """Everything billed so far."""
        self.requests = 0
        self.billed: Counter[tuple[str, str]] = Counter()
        """How often each model was paid for each prompt."""
        self.most_at_once = 0
        self.at_once = 0
        self.models: tuple[str, ...] = ()
        """The models that it lists; it answers for others too."""
        self.login_page = False
        """Whether whoever looks for its models gets a page to log in."""
        self._scheme = "http" if tls is None else "https"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._listener = Listener(lambda: _Connection(self), port=port, tls=tls)

    @property
    def url(self) -> str:
        """The base address, as a judge takes it."""
        return f"{self._scheme}://127.0.0.1:{self._listener.port}/v1"

    def __enter__(self) -> PracticeServer:
        self._thread.start()
        try:
            self.listen()
        except OSError:
            self._end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.go_dead()
        self._end()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def listen(self) -> None:
        """Accept connections, after `go_dead` on the same port again."""
        asyncio.run_coroutine_threadsafe(self._listener.listen(), self._loop).result()

    def go_dead(self) -> None:
        """Refuse connections and break those there are."""
        asyncio.run_coroutine_threadsafe(self._listener.go_dead(), self._loop).result()

    def reply_to(self, body: bytes, key: str) -> Reply:
        """What to send; what it bills is on the bill from now on."""
        request: dict[str, Any] = orjson.loads(body)
        model, prompt = request["model"], request["messages"][-1]["content"]
        number, self.requests = self.requests, self.requests + 1
        text = self.answer(model, prompt, self.billed[model, prompt])
        limit = request.get("max_tokens") or request.get("max_completion_tokens") or 10**6
        completion = Completion(
            model=model,
            text=text[: limit * _BYTES_PER_TOKEN],
            prompt_tokens=-(-len(body) // _BYTES_PER_TOKEN),
            output_tokens=min(-(-len(text) // _BYTES_PER_TOKEN), limit),
            service_tier=request.get("service_tier") or STANDARD,
        )
        fault = self.schedule(number)
        if fault is None:
            reply = good_reply(completion)
        else:
            reply = faulty_reply(fault, completion, wait=self.wait, key=key)
        if reply.billed is not None:
            self.billed[model, prompt] += 1
            self.bill += reply.billed.cost(self.prices)
        return reply

    def reply_about_models(self, path: str) -> Reply:
        """The list of models, or one of them."""
        if self.login_page:
            return Reply(body=WEB_PAGE, billed=None)
        known: list[dict[str, object]] = [{"id": name, "object": "model"} for name in self.models]
        name = unquote(path.partition("/models/")[2])
        if not name:
            return Reply(body=orjson.dumps({"object": "list", "data": known}), billed=None)
        if name not in self.models:
            return Reply(body=b'{"error": "no such model"}', billed=None, status=404)
        return Reply(body=orjson.dumps({"id": name, "object": "model"}), billed=None)


class _Connection(asyncio.Protocol):
    """One client's connection: requests in, replies out, in order."""

    def __init__(self, server: PracticeServer) -> None:
        self._server = server
        self._buffer = b""
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server._listener.connections.add(self._transport)

    def connection_lost(self, error: Exception | None) -> None:
        self._server._listener.connections.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, separator, rest = self._buffer.partition(b"\r\n\r\n")
            if not separator:
                return
            length = int(_header(head, b"content-length") or 0)
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            self._answer(head, rest[:length])

    def _answer(self, head: bytes, body: bytes) -> None:
        if head.startswith(b"GET"):
            self._send(self._server.reply_about_models(head.split()[1].decode()))
            return
        server = self._server
        server.at_once += 1
        server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            reply = server.reply_to(body, _header(head, b"authorization").decode())
        except (KeyError, IndexError, TypeError, ValueError):
            reply = Reply(body=b"this is no chat completion request", billed=None, status=400)
        delay = server.slow if reply.slow else server.latency
        if delay:
            server._loop.call_later(delay, self._finish, reply)
        else:
            self._finish(reply)

    def _finish(self, reply: Reply) -> None:
        self._server.at_once -= 1
        if not self._transport.is_closing():
            self._send(reply)

    def _send(self, reply: Reply) -> None:
        extra = "".join(f"{header}\r\n" for header in reply.headers)
        head = (
            f"HTTP/1.1 {reply.status} .\r\nContent-Type: application/json\r\n{extra}"
            f"Content-Length: {len(reply.body)}\r\n\r\n"
        )
        message = head.encode() + reply.body
        if reply.sent:
            self._transport.write(message[: len(head) + int(len(reply.body) * reply.sent)])
        if reply.reset:
            self._transport.abort()


def _header(head: bytes, name: bytes) -> bytes:
    start = head.lower().find(b"\r\n" + name + b":")
    if start < 0:
        return b""
    value = head[start + len(name) + 3 :].partition(b"\r\n")[0]
    return value.strip()
