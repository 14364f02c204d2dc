"""Another host on the network: a namespace of Linux with a cable to this one."""

from __future__ import annotations

import contextlib
import ctypes
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

NETWORK = "198.18.0.0/15"
"""Set aside for tests of networks; nobody else has such an address."""
_CLONE_NEWNET = 0x40000000
_PREFIX = 30


class Host:
    """A host with nothing but a cable to this one, removed by `close`; needs root."""

    def __init__(self) -> None:
        self._home = ThreadPoolExecutor(1)
        """A thread that stays on this host, whichever one its callers are on."""
        token = secrets.token_hex(4)
        self._name, self._cable = f"adjudge-{token}", f"adj{token}"
        third, fourth = secrets.randbelow(256), 4 * secrets.randbelow(64)
        self.here = f"198.18.{third}.{fourth + 1}"
        """This host's address, as that one sees it."""
        there = f"198.18.{third}.{fourth + 2}"
        self.file = Path("/run/netns") / self._name
        """What a process has to enter to be on that host."""
        self._ip("netns", "add", self._name)
        try:
            self._ip(
                "link", "add", self._cable, "type", "veth", "peer", "eth0", "netns", self._name
            )
            self._ip("address", "add", f"{self.here}/{_PREFIX}", "dev", self._cable)
            self._ip("link", "set", self._cable, "up")
            for device in ("lo", "eth0"):
                self._ip("-n", self._name, "link", "set", device, "up")
            self._ip("-n", self._name, "address", "add", f"{there}/{_PREFIX}", "dev", "eth0")
        except BaseException:
            self.close()
            raise

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Within, this thread and what it starts are on that host."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            enter(self.file)
            yield
        finally:
            _enter(home)
            os.close(home)

    def cut(self) -> None:
        """Pull the cable: what is sent gets lost, and nobody is told."""
        self._ip("link", "set", self._cable, "down")

    def mend(self) -> None:
        self._ip("link", "set", self._cable, "up")

    def close(self) -> None:
        # The cable goes with the namespace, though only after a moment.
        with contextlib.suppress(subprocess.CalledProcessError):
            self._ip("link", "del", self._cable)
        self._ip("netns", "del", self._name)
        self._home.shutdown()

    def _ip(self, *arguments: str) -> None:
        command = ["ip", *arguments]
        run = partial(subprocess.run, command, check=True, capture_output=True)
        self._home.submit(run).result()


def made() -> Host | None:
    """Another host; None where none can be made."""
    if not can_be_made():
        return None
    try:
        return Host()
    except subprocess.CalledProcessError:  # root, but of a container that may not
        return None


def can_be_made() -> bool:
    """Whether it is worth a try."""
    return os.geteuid() == 0 and shutil.which("ip") is not None


def enter(file: Path) -> None:
    """Be on this host from now on, with this thread and what it starts."""
    namespace = os.open(file, os.O_RDONLY)
    try:
        _enter(namespace)
    finally:
        os.close(namespace)


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")
