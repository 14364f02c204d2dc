"""A first-in, first-out queue of waiters."""

from __future__ import annotations

import asyncio
from collections import deque


async def place_in(queue: deque[asyncio.Future[None]]) -> None:
    """Join the queue and wait until released."""
    place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    queue.append(place)
    await place


def release(queue: deque[asyncio.Future[None]], count: int) -> None:
    """Release up to `count` waiters; cancelled ones do not count."""
    while queue and count > 0:
        place = queue.popleft()
        if not place.done():
            place.set_result(None)
            count -= 1
