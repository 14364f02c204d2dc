"""Waiting for one's turn, in the order of arrival."""

from __future__ import annotations

import asyncio
from collections import deque


async def place_in(queue: deque[asyncio.Future[None]]) -> None:
    """Wait for one's turn."""
    place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    queue.append(place)
    await place


def release(queue: deque[asyncio.Future[None]], count: int) -> None:
    """Let so many go on; those who left by themselves do not count."""
    while queue and count > 0:
        place = queue.popleft()
        if not place.done():
            place.set_result(None)
            count -= 1
