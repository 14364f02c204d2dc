"""Servers that do what servers do: bytes are written and read by hand."""

import asyncio
import socket
import struct
import threading

from yarl import URL

from adjudge.judges.http_transport import HttpTransport
from adjudge.judges.transport import Proxy

HELLO = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"


class Server:
    """Plays one function per connection, in order, the last one for all that follow."""

    def __init__(self, *plays, family=socket.AF_INET):
        self._plays = plays
        self._listener = socket.create_server(
            ("127.0.0.1" if family == socket.AF_INET else "::1", 0), family=family
        )
        self.connections = 0
        self.requests = []
        self._ended = []

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        host, port = self._listener.getsockname()[:2]
        self.url = URL.build(scheme="http", host=host, port=port, path="/v1/chat/completions")
        return self

    def __exit__(self, *_):
        self._listener.close()
        for thread in self._ended:
            thread.join(10)

    def _serve(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            play = self._plays[min(self.connections, len(self._plays) - 1)]
            self.connections += 1
            thread = threading.Thread(target=self._play, args=(play, connection), daemon=True)
            self._ended.append(thread)
            thread.start()

    def _play(self, play, connection):
        with connection:
            try:
                play(self, connection)
            except OSError:
                return

    def read(self, connection):
        """One whole request; None at the end of the connection."""
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
        while len(body) < length:
            body += connection.recv(65536)
        self.requests.append((head, body))
        return body


def always(*answers):
    """Every request is answered by these bytes, piece by piece."""

    def play(server, connection):
        while server.read(connection) is not None:
            for answer in answers:
                connection.sendall(answer)

    return play


def once(answer, *, reset=False):
    """One request is answered, then the connection ends."""

    def play(server, connection):
        server.read(connection)
        connection.sendall(answer)
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return play


HEADERS = {"Authorization": "Bearer x"}


def directly(url, timeout):
    """Our own HTTP."""
    return HttpTransport(url, HEADERS, timeout=timeout, connect_timeout=2.0)


def by_proxy(url, timeout):
    """Through a proxy, whose part the server itself plays."""
    proxy = Proxy(url=url.origin())
    return HttpTransport(url, HEADERS, proxy=proxy, timeout=timeout, connect_timeout=2.0)


def exchanges(server, count=1, *, way=directly, timeout=5.0, between=None, body=b"{}", loop=None):
    """The answers to so many requests, one after the other."""

    async def all_of_them():
        transport = way(server.url, timeout)
        answers = []
        try:
            for _ in range(count):
                answers.append(await transport.post(body))
                if between is not None:
                    between()
        finally:
            await transport.close()
        return answers

    with asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(all_of_them())
