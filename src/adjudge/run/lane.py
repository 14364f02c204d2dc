"""One judge's calls: reserve, call, settle, as many at a time as it bears."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import median

from adjudge.judges import Judge
from adjudge.records import Item, Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.panel import Panellist
from adjudge.run.stop import wait_at_most
from adjudge.run.stragglers import Beat
from adjudge.store import Denial, GroupCommit, Reservation, Settlement, State

_LATEST = 32
"""Calls whose times tell how fast a judge is."""
_SAID_BY_THE_JUDGE = frozenset({Reason.BUSY, Reason.DOWN, Reason.REJECTED, Reason.DENIED})
"""Why a call failed that the judge itself answered with a failure, billed or not."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call to be made."""

    item: int
    """The item's row in the run."""
    phase: int
    ordinal: int
    ask_again: int
    """How often it may be followed by another, should its answer have no score."""
    attempt: int = 1


@dataclass(slots=True)
class Tally:
    """What became of the calls that a lane was given last."""

    sent: int = 0
    """Calls that were sent."""
    unaffordable: int = 0
    """Calls whose worst case did not fit the money left with nothing under way."""
    taken: int = 0
    """Calls that another process made."""


class Lane:
    """Works off the calls of one judge; each worker makes one call at a time."""

    def __init__(
        self, panellist: Panellist, ledger: GroupCommit, *, on_change: Callable[[], None]
    ) -> None:
        self.panellist = panellist
        self.tally = Tally()
        self._judge: Judge = panellist.judge
        self._throttle = panellist.throttle
        self._ledger = ledger
        self._on_change = on_change
        """Hears of every worker that has ended."""
        self._calls: Iterator[Call] = iter(())
        self._again: deque[Call] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._reserved: deque[asyncio.Future[None]] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._halted = asyncio.Event()
        """Set while no more calls are to be sent."""
        self._short_of_money = False
        self._seconds: deque[float] = deque(maxlen=_LATEST)
        self._heard = 0.0
        """When the judge last showed that it works, or was not waited for."""

    @property
    def busy(self) -> bool:
        """Whether calls are under way or still to be made."""
        return bool(self._workers)

    @property
    def left(self) -> bool:
        """Whether only calls under way are still waited for."""
        return self._halted.is_set()

    @property
    def full(self) -> bool:
        """Whether no further call can be sent before one under way has ended."""
        paused = self._throttle.paused(time.monotonic())
        return self._throttle.places < 1 or paused or self._short_of_money

    def beat(self, now: float) -> Beat:
        """How fast the judge answers."""
        return Beat(
            typical=median(self._seconds) if self._seconds else None,
            silent=now - self._heard if self.busy else 0.0,
        )

    def begin(self, calls: Iterator[Call], workers: int, group: asyncio.TaskGroup) -> None:
        """Make these calls, at most so many at a time; no earlier ones may be under way."""
        self.tally = Tally()
        self._calls = calls
        self._again.clear()
        self._halted.clear()
        self._heard = time.monotonic()
        for _ in range(workers):
            worker = group.create_task(self._work())
            self._workers.add(worker)
            worker.add_done_callback(self._worker_ended)

    def leave(self) -> None:
        """Send nothing more; calls under way are settled when they end."""
        self._halted.set()
        self._wake()
        self._ledger.wake_waiting()

    def cancel(self) -> None:
        """Wait for no call any longer: those under way are presumed billed."""
        for worker in self._workers:
            worker.cancel()

    def _worker_ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        self._on_change()

    async def _work(self) -> None:
        """Make calls until there are none, the judge is off, or the rest is left."""
        while not self._done and (call := self._next()) is not None:
            if not await self._turn(call):
                return
            await self._make(call)

    @property
    def _done(self) -> bool:
        return self._halted.is_set() or self._throttle.off is not None

    def _next(self) -> Call | None:
        return self._again.popleft() if self._again else next(self._calls, None)

    async def _turn(self, call: Call) -> bool:
        """Wait until the judge bears one more call; whether it is still to be made."""
        throttle = self._throttle
        while not self._done:
            delay = throttle.delay(now := time.monotonic())
            if delay == 0:
                throttle.admit(now, self.panellist.tokens(call.item))
                return True
            if delay == math.inf:
                await _place_in(self._waiting)
                continue
            await wait_at_most(self._halted, delay)
            if not throttle.paused(now):
                self._heard = time.monotonic()  # waited for a rate that the user set
        return False

    async def _make(self, call: Call) -> None:
        number = await self._admitted(call)
        if number is None:
            return
        self._throttle.send()
        started, outcome = time.monotonic(), None
        try:
            outcome = await self._ask(call, number)
        finally:
            now, tokens = time.monotonic(), self.panellist.tokens(call.item)
            self._throttle.end(outcome, started=started, now=now, tokens=tokens)
            self._time(outcome, started, now)
            self.panellist.note_if_off(self._ledger)
            if self._throttle.off is not None:
                self._halted.set()
            self._wake()
        await self._follow(call, outcome)

    def _time(self, outcome: Outcome | None, started: float, now: float) -> None:
        """Keep how long the judge took; a failure that it answers with tells nothing of that."""
        failed = outcome is None or outcome.reason in _SAID_BY_THE_JUDGE
        if not failed:
            self._seconds.append(now - started)
        if isinstance(outcome, Verdict) or (
            isinstance(outcome, Refused) and outcome.reason is Reason.REJECTED
        ):
            self._heard = now

    async def _admitted(self, call: Call) -> int | None:
        """The number of the call once it is reserved and may be sent; None if it may not."""
        number, may_be_sent = None, False
        try:
            number = await self._reserve(call)
            may_be_sent = number is not None and await self._place()
            return number if may_be_sent else None
        finally:
            if not may_be_sent:
                self._throttle.withdraw()
                if number is not None:
                    self._ledger.settle(Settlement(number, State.REFUSED, Reason.WITHDRAWN))
                    self._again.append(call)
                self._wake()

    async def _place(self) -> bool:
        """Wait, with the money reserved, for one call less to be under way; whether to send."""
        while not self._done and not self._throttle.paused(time.monotonic()):
            if self._throttle.places > 0:
                return True
            await _place_in(self._reserved)
        return False

    def _wake(self) -> None:
        """Wake workers that can proceed or must give up."""
        nobody = self._done
        _release(self._waiting, len(self._waiting) if nobody else self._throttle.room)
        nobody = nobody or self._throttle.paused(time.monotonic())
        _release(self._reserved, len(self._reserved) if nobody else self._throttle.places)

    async def _reserve(self, call: Call) -> int | None:
        """The number of the call once its worst case is reserved on disk; None if it is not."""
        reservation = Reservation(
            self.panellist.item_number(call.item),
            self.panellist.number,
            call.phase,
            call.ordinal,
            self.panellist.most(call.item),
        )
        while True:
            grant = await self._granted(reservation)
            if grant is Denial.TAKEN:
                self.tally.taken += 1
                return None
            if not isinstance(grant, Denial):
                return grant
            if self._ledger.outstanding == 0:
                self.tally.unaffordable += 1
                return None
            # Calls under way hold their worst cases; what they do not use comes back.
            self._short_of_money = True
            await self._ledger.money_freed()
            self._short_of_money = False
            self._heard = time.monotonic()
            if self._done:
                return None

    async def _granted(self, reservation: Reservation) -> int | Denial:
        written = self._ledger.reserve(reservation)
        try:
            return await written
        except asyncio.CancelledError:
            # Cancelled in the very moment in which it was granted: nobody else knows of it.
            if not written.cancelled() and isinstance(number := written.result(), int):
                self._ledger.settle(Settlement(number, State.REFUSED, Reason.WITHDRAWN))
            raise

    async def _ask(self, call: Call, number: int) -> Outcome:
        item: Item = self.panellist.item(call.item)
        self.tally.sent += 1
        try:
            outcome = await self._judge.score(item)
        except asyncio.CancelledError:
            lost = Lost(reason=Reason.ABANDONED, detail="the run was stopped")
            self._ledger.settle(self.panellist.settlement(number, lost))
            raise
        except Exception as error:  # a judge should not raise; what it was paid is then unknown
            outcome = Lost(reason=Reason.RAISED, detail=f"{type(error).__name__}: {error}"[:200])
        self._ledger.settle(self.panellist.settlement(number, outcome))
        if self._throttle.off is None:
            self._throttle.off = self.panellist.reason_to_switch_off(call.item, outcome)
        return outcome

    async def _follow(self, call: Call, outcome: Outcome) -> None:
        """Ask again where that may help."""
        if isinstance(outcome, Verdict):
            if outcome.score is None and call.ask_again > 0:
                ordinal = self.panellist.following(call.phase, call.item)
                self._again.append(
                    Call(call.item, call.phase, ordinal, ask_again=call.ask_again - 1)
                )
            return
        reason = outcome.reason
        if reason not in _SAID_BY_THE_JUDGE:
            return  # lost on the way: asked again if the strategy wants it
        if reason is Reason.BUSY or (reason is Reason.DOWN and self._throttle.failing):
            self._try_again(call, outcome)  # the judge's fault, not the call's: pauses are counted
        elif reason is Reason.REJECTED or call.attempt >= self.panellist.attempts:
            self.panellist.reject(call.item)
        else:
            if self._throttle.off is None:
                await wait_at_most(self._halted, self._throttle.wait(call.attempt))
            self._try_again(replace(call, attempt=call.attempt + 1), outcome)

    def _try_again(self, call: Call, outcome: Refused | Lost) -> None:
        if isinstance(outcome, Lost):  # presumed billed, it keeps its place in the ledger
            call = replace(call, ordinal=self.panellist.following(call.phase, call.item))
        self._again.append(call)


async def _place_in(queue: deque[asyncio.Future[None]]) -> None:
    """Wait for one's turn."""
    place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    queue.append(place)
    await place


def _release(queue: deque[asyncio.Future[None]], count: int) -> None:
    """Let so many go on; those who left by themselves do not count."""
    while queue and count > 0:
        place = queue.popleft()
        if not place.done():
            place.set_result(None)
            count -= 1
