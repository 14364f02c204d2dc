"""A listening socket that can close at any moment without leaking connections."""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Callable

_BACKLOG = 1024


class Listener:
    """Makes a protocol for every incoming connection; used only in the loop's thread.

    asyncio's own server leaks a connection accepted while it is closing.
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
        """Open connections, maintained by their protocols."""
        self._make = make
        self._tls = tls
        self._socket: socket.socket | None = None
        self._arriving: set[asyncio.Task[object]] = set()

    @property
    def listening(self) -> bool:
        """Whether connections are accepted."""
        return self._socket is not None

    async def listen(self) -> None:
        """Accept connections; after `go_dead`, on the same port as before."""
        listening = socket.create_server(("127.0.0.1", self.port), backlog=_BACKLOG)
        listening.setblocking(False)
        self.port = listening.getsockname()[1]
        self._socket = listening
        asyncio.get_running_loop().add_reader(listening, self._accept, listening)

    async def go_dead(self) -> None:
        """Refuse new connections and abort open ones."""
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
                return  # `listen` was called meanwhile

    def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:  # no more connections, or already closed
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
        except OSError:  # the client disconnected or rejected our certificate
            connection.close()
