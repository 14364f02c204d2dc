"""Group commit: many calls share one durable write."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from adjudge.errors import StoreError
from adjudge.records import Reason
from adjudge.store.entries import Balance, NoteKind, State
from adjudge.store.store import Denial, Reservation, Settlement, Store

T = TypeVar("T")
_BALANCE_EVERY = 0.05
"""Seconds between two reads of the balance during consecutive commits."""
_WORTH_IT = 2
"""A commit does not wait for more once 1/2 of the calls under way are in the queue."""
_LONGEST_PAUSE = 0.02
"""Maximum seconds that a commit waits for more entries."""
Heard = Callable[[Sequence[Settlement]], None]
"""A listener for settlements that are on disk."""


class GroupCommit:
    """A store for an event loop: entries that arrive during one commit share the next one.

    Only one dedicated thread uses the store, one transaction at a time.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self.listeners: list[Heard] = []
        """Called with the settlements of each commit."""
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="adjudge-ledger")
        self._settlements: list[Settlement] = []
        self._reservations: list[Reservation] = []
        self._waiting: list[asyncio.Future[int | Denial]] = []
        self._notes: list[tuple[int, str, NoteKind]] = []
        self._under_way: asyncio.Task[None] | None = None
        self._failure: StoreError | None = None
        self._freed = asyncio.Event()
        self._enough = asyncio.Event()
        """Set once the queue is long enough for a commit."""
        self._pause = 0.0
        """Maximum seconds that the next commit waits for more entries."""
        self.outstanding = 0
        """Calls reserved by this process and not yet settled on disk."""
        self.balance: Balance | None = None
        """The balance after the last commit or a recent one; None before the first."""
        self._balance_due = 0.0

    def reserve(self, reservation: Reservation) -> asyncio.Future[int | Denial]:
        """The number of the call, once its reservation is on disk, or the denial."""
        future: asyncio.Future[int | Denial] = asyncio.get_running_loop().create_future()
        if self._failure is not None:
            future.set_exception(self._failure)
            return future
        self._reservations.append(reservation)
        self._waiting.append(future)
        self._start()
        return future

    def settle(self, settlement: Settlement) -> None:
        """Write the settlement with the next commit; listeners are called once it is on disk."""
        if self._failure is None:
            self._settlements.append(settlement)
            self._start()

    def note(self, judge: int, text: str, kind: NoteKind) -> None:
        """Record an event about the judge with this number in the next commit."""
        if self._failure is None:
            self._notes.append((judge, text, kind))
            self._start()

    async def money_freed(self) -> None:
        """Return after the next commit that settled a call of this process, or when woken."""
        await self._freed.wait()

    def wake_waiting(self) -> None:
        """Wake everything in `money_freed`, to check again whether it still needs money."""
        self._freed.set()
        self._freed = asyncio.Event()

    async def flush(self) -> None:
        """Return once everything is on disk; raise StoreError if writing failed."""
        self._enough.set()
        while self._under_way is not None:
            await asyncio.shield(self._under_way)
        if self._failure is not None:
            raise self._failure

    async def read(self, question: Callable[[], T]) -> T:
        """The result of a read of the store, between two commits."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, question)

    async def close(self) -> None:
        """Wait for the last commit and stop the thread; the store stays open."""
        self._enough.set()
        while self._under_way is not None:
            await asyncio.shield(self._under_way)
        self._thread.shutdown()

    def _start(self) -> None:
        waiting = len(self._settlements) + len(self._reservations)
        if _WORTH_IT * waiting >= self.outstanding:
            self._enough.set()
        if self._under_way is None:
            self._under_way = asyncio.get_running_loop().create_task(self._commit_all())

    async def _commit_all(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while self._queued:
                await self._gather()
                self._enough.clear()
                began = time.monotonic()
                settlements, self._settlements = self._settlements, []
                reservations, self._reservations = self._reservations, []
                waiting, self._waiting = self._waiting, []
                notes, self._notes = self._notes, []
                try:
                    granted, self.balance = await loop.run_in_executor(
                        self._thread, self._write, settlements, reservations, notes
                    )
                except Exception as error:  # whatever a store raises, no waiter may hang
                    self._fail(error, waiting)
                    return
                self._pause = min(time.monotonic() - began, _LONGEST_PAUSE)
                self._tell(settlements, granted, waiting)
        finally:
            self._under_way = None

    async def _gather(self) -> None:
        """Wait for a longer queue, at most as long as the last commit took.

        If many processes share one machine or server, every commit slows down all of them.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pause):
                await self._enough.wait()

    def _write(
        self,
        settlements: list[Settlement],
        reservations: list[Reservation],
        notes: list[tuple[int, str, NoteKind]],
    ) -> tuple[list[int | Denial], Balance]:
        granted = self._store.commit(settlements, reservations)
        for judge, text, kind in notes:
            self._store.note(judge, text, kind=kind)
        # The balance is for display only, so during consecutive commits it is read rarely.
        now = time.monotonic()
        if self.balance is None or now > self._balance_due or not self._queued:
            self._balance_due = now + _BALANCE_EVERY
            return granted, self._store.balance()
        return granted, self.balance

    @property
    def _queued(self) -> bool:
        return bool(self._settlements or self._reservations or self._notes)

    def _tell(
        self,
        settlements: list[Settlement],
        granted: list[int | Denial],
        waiting: list[asyncio.Future[int | Denial]],
    ) -> None:
        self.outstanding -= len(settlements)
        for future, grant in zip(waiting, granted, strict=True):
            self.outstanding += not isinstance(grant, Denial)
            if not future.done():
                future.set_result(grant)
            elif not isinstance(grant, Denial):
                # Cancelled while it was being written: never sent, so it costs nothing.
                self.settle(Settlement(grant, State.REFUSED, Reason.WITHDRAWN))
        if settlements:
            self.wake_waiting()
            for listener in self.listeners:
                listener(settlements)

    def _fail(self, cause: Exception, waiting: list[asyncio.Future[int | Denial]]) -> None:
        """Stop writing: calls reserved on disk stay reserved, and will be presumed billed."""
        error = (
            cause if isinstance(cause, StoreError) else StoreError(f"the ledger failed: {cause!r}")
        )
        self._failure = error
        for future in waiting + self._waiting:
            if not future.done():
                future.set_exception(error)
        self._waiting, self._reservations, self._settlements, self._notes = [], [], [], []
        self._freed.set()
