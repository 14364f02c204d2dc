"""A network between a program and its server, which a test can cut."""

from __future__ import annotations

import contextlib
import socket
import threading


class Proxy:
    """Passes bytes on; `cut` drops all connections and takes no new ones until `mend`."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self._target = port
        self._listener = socket.create_server((host, 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._is_cut = False
        self._fatal: bytes | None = None
        self._losing = False
        self.lost = 0
        """Requests that the server has answered and whose answers never arrived."""
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        with self._lock:
            self._is_cut = True
            sockets, self._open = self._open, set()
        for one in sockets:
            _close(one)

    def mend(self) -> None:
        self._is_cut = False

    def lose_the_answer_to(self, request: bytes) -> None:
        """The next request with these bytes reaches the server, and then the network is cut."""
        self._fatal = request

    def close(self) -> None:
        self.cut()
        _close(self._listener)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._is_cut:
                _close(client)
                continue
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                _close(client)
                continue
            with self._lock:
                self._open |= {client, server}
            threading.Thread(target=self._pass, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client, False), daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, asking: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if asking and self._fatal is not None and self._fatal in data:
                    self._fatal, self._losing = None, True
                if not asking and self._losing:
                    self._losing = False
                    self.lost += 1
                    break
                target.sendall(data)
        _close(source)
        _close(target)


def _close(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
