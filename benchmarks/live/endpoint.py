"""The practice server in a process of its own, so that it does not share a Python lock."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import uvloop

from adjudge.judges import Prices
from adjudge.testing.server import PracticeServer

PRICES = Prices.of(input="0.15", output="0.60")


@contextmanager
def endpoint(latency: float) -> Iterator[str]:
    """The address of a server that answers after so many seconds."""
    command = [sys.executable, "-m", "benchmarks.live.endpoint", str(latency)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def main() -> None:
    """Serve until the parent closes our standard input."""
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
    with PracticeServer(prices=PRICES, latency=float(sys.argv[1])) as server:
        print(server.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
