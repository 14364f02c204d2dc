"""A local endpoint for practice: real HTTP, every protocol, its own bill, faults on demand."""

from __future__ import annotations

import asyncio
import ssl
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import TypeAlias, cast
from urllib.parse import unquote

import orjson

from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.records import Money
from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Dialect, Trouble
from adjudge.testing.dialect_chat import CHAT
from adjudge.testing.dialects import DIALECTS, dialect_at, dialect_named
from adjudge.testing.faults import WEB_PAGE, Fault, faulty_reply, good_reply
from adjudge.testing.limit import RequestLimit
from adjudge.testing.listener import Listener
from adjudge.testing.reply import Reply

Answerer: TypeAlias = Callable[[str, str, int], str]
"""Maps (model, user message, times it was sent before) to the answer."""
Schedule: TypeAlias = Callable[[int], Fault | None]
"""Maps the request's number, from 0, to its fault."""

_BYTES_PER_TOKEN = 4


def steady_answer(model: str, prompt: str, number: int) -> str:
    """A score from 1 to 10 that depends on the question and slightly on its repetition."""
    score = 1 + (zlib.crc32(f"{model}{prompt}".encode()) + number % 2) % 10
    return f'{{"reason": "because", "score": {score}}}'


class PracticeServer:
    """Answers in every protocol, in its own thread; for port 0 the system chooses the port.

    It bills what a provider would: every completion it made, whether or not it arrived.
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
        """Number of billed answers per (model, prompt)."""
        self.most_at_once = 0
        self.at_once = 0
        self.models: tuple[str, ...] = ()
        """The models it lists; it answers for others too."""
        self.limit: RequestLimit | None = None
        """Its rate limit."""
        self.login_page = False
        """Whether requests for models get a login page."""
        self.refuses_keys = False
        """Whether requests for models are refused for a wrong key."""
        self._scheme = "http" if tls is None else "https"
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._listener = Listener(lambda: _Connection(self), port=port, tls=tls)

    @property
    def url(self) -> str:
        """The base URL for judges."""
        return f"{self._scheme}://127.0.0.1:{self._listener.port}/v1"

    def url_of(self, protocol: str) -> str:
        """The base URL for judges of this protocol, by its name in run files."""
        return self.url.removesuffix("/v1") + dialect_named(protocol).base

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
        """Accept connections; after `go_dead`, on the same port as before."""
        asyncio.run_coroutine_threadsafe(self._listener.listen(), self._loop).result()

    def go_dead(self) -> None:
        """Refuse new connections and abort open ones."""
        asyncio.run_coroutine_threadsafe(self._listener.go_dead(), self._loop).result()

    def reply_to(self, body: bytes, key: str) -> Reply:
        """The reply to a chat completion request; see `reply_in`."""
        return self.reply_in(CHAT, "", body, key)

    def reply_in(self, dialect: Dialect, path: str, body: bytes, key: str) -> Reply:
        """The reply to a request; adds its cost to the bill."""
        asked = dialect.asked(path, orjson.loads(body))
        number, self.requests = self.requests, self.requests + 1
        refused = None if self.limit is None else self.limit.refusal(dialect)
        if refused is not None:
            return refused
        completion = self._completion(asked, len(body))
        fault = self.schedule(number)
        if fault is None:
            reply = good_reply(completion, dialect)
        else:
            reply = faulty_reply(fault, completion, wait=self.wait, key=key, dialect=dialect)
        if reply.billed is not None:
            self.billed[asked.model, asked.prompt] += asked.answers
            self.bill += reply.billed.cost
        return reply if self.limit is None else self.limit.tell(reply, dialect)

    def _completion(self, asked: Asked, length: int) -> Completion:
        before = self.billed[asked.model, asked.prompt]
        texts = [
            self.answer(asked.model, asked.prompt, before + number)
            for number in range(asked.answers)
        ]
        lengths = (min(-(-len(text) // _BYTES_PER_TOKEN), asked.limit) for text in texts)
        text, *more = (text[: asked.limit * _BYTES_PER_TOKEN] for text in texts)
        return Completion(
            prices=self.prices,
            model=asked.model,
            text=text,
            more=tuple(more),
            prompt_tokens=-(-length // _BYTES_PER_TOKEN),
            output_tokens=sum(lengths),
            service_tier=asked.service_tier or STANDARD,
            logprobs=asked.logprobs,
            levels=asked.levels,
            questions=asked.questions,
        )

    def reply_about_models(self, path: str) -> Reply:
        """The list of models, or one of them."""
        if self.login_page:
            return Reply(body=WEB_PAGE, billed=None)
        if self.refuses_keys:
            below = [one for one in DIALECTS if path.startswith(one.base)]
            return _no_key(max(below, key=lambda one: len(one.base)))
        form = next((one for one in _MODELS if path.startswith(one)), "/v1")
        name = unquote(path.partition("?")[0].partition("/models/")[2])
        known = [_MODELS[form](name) for name in self.models]
        if not name:
            listed = {"object": "list", "data": known} if form == "/v1" else {"models": known}
            return Reply(body=orjson.dumps(listed), billed=None)
        if name not in self.models:
            return Reply(body=b'{"error": "no such model"}', billed=None, status=404)
        return Reply(body=orjson.dumps(_MODELS[form](name)), billed=None)


def _no_key(dialect: Dialect) -> Reply:
    refused = dialect.refusal(Trouble.KEY, 401, "this key is not valid", None)
    body = orjson.dumps(refused.fields)
    return Reply(body=body, billed=None, status=refused.status, headers=refused.headers)


_MODELS: dict[str, Callable[[str], dict[str, object]]] = {
    "/v1beta/": lambda name: {"name": f"models/{name}"},
    "/typesafe/": lambda name: {"name": name, "description": "", "release_date": "2026-09-15"},
    "/v1": lambda name: {"id": name, "object": "model"},
}
"""The description of a model, by path prefix."""


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
        path = head.split()[1].decode()
        if path.startswith("http"):  # a proxy request
            path = "/" + path.split("/", 3)[3]
        try:
            reply = self._reply(dialect_at(path), path, head, body)
        except (KeyError, IndexError, TypeError, ValueError):
            reply = Reply(body=b"unknown request", billed=None, status=400)
        delay = server.slow if reply.slow else server.latency
        if delay:
            server._loop.call_later(delay, self._finish, reply)
        else:
            self._finish(reply)

    def _reply(self, dialect: Dialect, path: str, head: bytes, body: bytes) -> Reply:
        carriers = dialect.key_headers or ("authorization",)
        given = (_header(head, name.encode()).decode() for name in carriers)
        key = next(filter(None, given), "")
        if dialect is CHAT:
            return self._server.reply_to(body, key)
        if not key:
            return _no_key(dialect)
        return self._server.reply_in(dialect, path, body, key)

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
