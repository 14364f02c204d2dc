"""Stopping a run, by a signal or by the program."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_SIGNALS = [
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if (number := getattr(signal, name, None)) is not None
]


class Stop:
    """A request to stop: first gently, then at once."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._at_once = asyncio.Event()

    def request(self) -> None:
        """Stop new calls; a second request also stops waiting for calls under way."""
        if self._asked.is_set():
            self._at_once.set()
        self._asked.set()

    @property
    def requested(self) -> bool:
        """Whether a stop was requested."""
        return self._asked.is_set()

    async def wait(self) -> None:
        """Return when a stop is requested."""
        await self._asked.wait()

    async def grace_is_over(self, seconds: float) -> None:
        """Return this long after a stop is requested, or at once if it is requested twice."""
        await self._asked.wait()
        await wait_at_most(self._at_once, seconds)

    async def sleep(self, seconds: float) -> None:
        """Wait for this time, or until a stop is requested."""
        await wait_at_most(self._asked, seconds)


async def wait_at_most(event: asyncio.Event, seconds: float) -> None:
    """Wait for the event, but at most this long."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return


@contextmanager
def stopping_on_signals(stop: Stop) -> Iterator[None]:
    """Let Ctrl-C, SIGTERM and SIGHUP request a stop inside this context; main thread only.

    A signal that the process ignores, like SIGHUP under `nohup`, stays ignored.
    """
    loop = asyncio.get_running_loop()
    installed = []
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(number, stop.request)
            installed.append(number)
        except (NotImplementedError, RuntimeError, ValueError):
            continue  # not supported on this system, or not in the main thread
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)
