"""Getting the judges ready before the first call, and letting them go after the last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from adjudge.judges import Judge
from adjudge.run.stop import Stop


@asynccontextmanager
async def opened(judges: Sequence[Judge], stop: Stop) -> AsyncIterator[None]:
    """All judges, opened side by side; a request to stop is obeyed, and some are then not open."""
    ready: list[Judge] = []
    try:
        await _open_all(judges, ready, stop)
        yield
    finally:
        for judge in ready:
            await judge.close()


async def _open_all(judges: Sequence[Judge], ready: list[Judge], stop: Stop) -> None:
    async def open_one(judge: Judge) -> None:
        await judge.open()
        ready.append(judge)

    opening = [asyncio.create_task(open_one(judge)) for judge in judges]
    asked_to_stop = asyncio.create_task(stop.wait())
    whole: asyncio.Future[list[None]] = asyncio.gather(*opening)
    try:
        first: list[asyncio.Future[Any]] = [whole, asked_to_stop]
        await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)
        if whole.done():
            whole.result()
    finally:
        tasks = [*opening, asked_to_stop]
        for task in tasks:
            task.cancel()
        await asyncio.gather(whole, *tasks, return_exceptions=True)
