"""A listening socket that can die at any moment and leave nothing open behind it."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

_BACKLOG = 1024


class Listener:
    """Makes a protocol for every connection that comes in; lives in the thread of its loop.

    asyncio's own server loses a connection that comes in while it is being closed.
    """

    def __init__(
        self,
        make: Callable[[], asyncio.Protocol],
        *,
        port: int,
        tls: ssl.SSLContext | None,
    ) -> None:
        self.port = port
        """The port; 0 until the system has chosen one."""
        self.connections: set[asyncio.Transport] = set()
        """Those that are open, kept by their protocols."""
        self._make = make
        self._tls = tls
        self._socket: socket.socket | None = None
        self._arriving: set[asyncio.Task[object]] = set()

    @property
    def listening(self) -> bool:
        """Whether connections are accepted."""
        return self._socket is not None

    async def listen(self) -> None:
        """Accept connections, after `go_dead` on the same port again."""
        listening = socket.create_server(("127.0.0.1", self.port), backlog=_BACKLOG)
        listening.setblocking(False)
        self.port = listening.getsockname()[1]
        self._socket = listening
        asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    async def go_dead(self) -> None:
        """Refuse connections and break those there are."""
        loop = asyncio.get_running_loop()
        listening, self._socket = self._socket, None
        if listening is not None:
            loop.remove_reader(listening)
            listening.close()
        while self._arriving or self.connections:
            for transport in list(self.connections):
                transport.abort()
            await asyncio.sleep(0)
            if self.listening:
                return  # somebody has it listen again meanwhile

    def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:  # no more of them, or gone already
                return
            connection.setblocking(False)
            arrival = loop.create_task(self._arrive(connection))
            self._arriving.add(arrival)
            arrival.add_done_callback(self._arriving.discard)

    async def _arrive(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                self._make, connection, ssl=self._tls
            )
        except OSError:  # it went away again, or does not trust our certificate
            connection.close()
