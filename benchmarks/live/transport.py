"""Calls per second of our own HTTP/1.1 client relative to aiohttp's, in the same run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from statistics import median

import aiohttp

from adjudge.judges import ModelJudge
from adjudge.judges.transport import HttpAnswer
from benchmarks.live.contenders import adjudge
from benchmarks.live.endpoint import endpoint

AT_ONCE = 128
CALLS = 5_000
ROUNDS = 9
BAR = 1.5
"""Bar on our client's calls per second, as a multiple of aiohttp's."""


class LibraryTransport:
    """The part of `HttpTransport` that a run needs, implemented with aiohttp."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        self._url = url
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            headers=headers,
            timeout=aiohttp.ClientTimeout(total=timeout),
        )

    async def get(self, path: str) -> HttpAnswer:
        """The answer to a request that costs nothing."""
        origin = "/".join(self._url.split("/")[:3])
        async with self._session.get(origin + path, allow_redirects=False) as response:
            return await _answer(response)

    async def post(self, body: bytes) -> HttpAnswer:
        """The answer to a paid request."""
        async with self._session.post(self._url, data=body, allow_redirects=False) as response:
            return await _answer(response)

    async def close(self) -> None:
        """Close all connections."""
        await self._session.close()


async def _answer(response: aiohttp.ClientResponse) -> HttpAnswer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return HttpAnswer(status=response.status, headers=headers, body=await response.read())


class LibraryJudge(ModelJudge):
    """A model judge that uses aiohttp."""

    def _new_transport(self) -> LibraryTransport:  # type: ignore[override]
        settings = self._settings
        url = self._base.at(*settings.request.protocol.path(settings.request.model), encoded=True)
        return LibraryTransport(str(url), self._headers(None), settings.timeout)


def main() -> None:
    """Print both speeds and their ratio; rounds alternate, in changing order."""
    print(f"\n{AT_ONCE} calls at a time, server latency 0 ms, {ROUNDS} rounds of {CALLS:,} calls")
    measured: dict[type[ModelJudge], list[tuple[float, float]]] = {
        ModelJudge: [],
        LibraryJudge: [],
    }
    with endpoint(0.0) as url:
        for number in range(ROUNDS):
            for judge in sorted(measured, key=lambda one: one.__name__, reverse=number % 2 == 1):
                before = time.process_time()
                pace = adjudge(url, CALLS, AT_ONCE, judge=judge).pace
                measured[judge].append((pace, CALLS / (time.process_time() - before)))
    for which, unit in enumerate(("calls/s", "calls per second of processor time")):
        ours, library = ([one[which] for one in rounds] for rounds in measured.values())
        ratios = [one / other for one, other in zip(ours, library, strict=True)]
        low, *_, high = sorted(ratios)
        print(f"  {unit}: own client {median(ours):.0f}, aiohttp's {median(library):.0f}")
        print(f"    ratio {median(ratios):.2f} (rounds {low:.2f} to {high:.2f})")
        if which == 0:
            met = "met" if median(ratios) >= BAR else "MISSED"
            print(f"    bar {BAR} times aiohttp's calls/s: {met}")
