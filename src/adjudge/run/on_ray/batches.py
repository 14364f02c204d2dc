"""Calls of a function, grouped into batches as replicas become free."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.judges import Failures
from adjudge.records import Item, Outcome, Reason, Refused
from adjudge.run.on_ray.pool import Member, Pool
from adjudge.run.on_ray.replica import Request


@dataclass(slots=True, eq=False)
class _Waiting:
    item: Item
    outcome: asyncio.Future[Outcome]


class Batches:
    """Groups calls that wait for a free replica into batches; no batch waits to fill up."""

    def __init__(self, pool: Pool, *, most: int, on_failures: Callable[[Failures], None]) -> None:
        self._pool = pool
        self._most = most
        """Most items in a batch."""
        self._on_failures = on_failures
        self._waiting: deque[_Waiting] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._handing_out = False

    async def score(self, item: Item) -> Outcome:
        """Outcome of a call about this item, made as part of a batch."""
        loop = asyncio.get_running_loop()
        own = _Waiting(item, loop.create_future())
        self._waiting.append(own)
        if not self._handing_out:
            self._handing_out = True
            self._begin(self._hand_out())
        try:
            return await own.outcome
        except asyncio.CancelledError:
            if own not in self._waiting:
                raise
            self._waiting.remove(own)
            return withdrawn()

    async def close(self) -> None:
        """Cancel all batches."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _hand_out(self) -> None:
        try:
            while self._waiting:
                member = await self._pool.member()
                if isinstance(member, Refused):
                    self._end(self._taken(len(self._waiting)), [member] * len(self._waiting))
                    continue
                # Divide the waiting calls among all idle replicas, including this one.
                share = -(-len(self._waiting) // (self._pool.idle + 1))
                batch = self._taken(min(share, self._most))
                if batch:
                    self._begin(self._ask(member, batch))
                else:
                    self._pool.give_back(member)
        finally:
            self._handing_out = False

    def _taken(self, count: int) -> list[_Waiting]:
        return [self._waiting.popleft() for _ in range(count)]

    async def _ask(self, member: Member, batch: list[_Waiting]) -> None:
        reply = await self._pool.ask(member, Request(items=tuple(one.item for one in batch)))
        if reply.failures is not None:
            self._on_failures(reply.failures)
        self._end(batch, reply.outcomes)

    def _end(self, batch: list[_Waiting], outcomes: Sequence[Outcome]) -> None:
        for one, outcome in zip(batch, outcomes, strict=True):
            if not one.outcome.done():
                one.outcome.set_result(outcome)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def withdrawn() -> Refused:
    """Outcome of a call that was cancelled before a replica got it: it cost nothing."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
    return Refused(reason=Reason.WITHDRAWN, detail="given up before a replica was free")
