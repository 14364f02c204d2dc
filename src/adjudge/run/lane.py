"""One judge's calls of one round: reserve, call, settle, as many at a time as it bears."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from adjudge.judges import Judge
from adjudge.records import Item, Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.panel import Panellist
from adjudge.run.stop import Stop
from adjudge.store import Denial, GroupCommit, Reservation, Settlement, State


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


class Lane:
    """Works off the calls of one judge; each worker makes one call at a time."""

    def __init__(
        self, panellist: Panellist, calls: Iterator[Call], ledger: GroupCommit, stop: Stop
    ) -> None:
        self._panellist = panellist
        self._judge: Judge = panellist.judge
        self._throttle = panellist.throttle
        self._calls = calls
        self._again: deque[Call] = deque()
        self._ledger = ledger
        self._stop = stop
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._reserved: deque[asyncio.Future[None]] = deque()
        self.sent = 0
        """Calls that were sent."""
        self.unaffordable = 0
        """Calls whose worst case did not fit the money left with nothing under way."""
        self.taken = 0
        """Calls that another process made."""

    async def work(self) -> None:
        """Make calls until there are none, the judge is off, or the run is to stop."""
        while not self._done and (call := self._next()) is not None:
            if not await self._turn(call):
                return
            await self._make(call)

    @property
    def _done(self) -> bool:
        return self._stop.requested or self._throttle.off is not None

    def _next(self) -> Call | None:
        return self._again.popleft() if self._again else next(self._calls, None)

    async def _turn(self, call: Call) -> bool:
        """Wait until the judge bears one more call; whether it is still to be made."""
        throttle = self._throttle
        while not self._done:
            delay = throttle.delay(now := time.monotonic())
            if delay == 0:
                throttle.admit(now, self._panellist.tokens(call.item))
                return True
            if delay == math.inf:
                await _place_in(self._waiting)
            else:
                await self._stop.sleep(delay)
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
            tokens = self._panellist.tokens(call.item)
            self._throttle.end(outcome, started=started, now=time.monotonic(), tokens=tokens)
            self._panellist.note_if_off(self._ledger)
            self._wake()
        await self._follow(call, outcome)

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
        """Let those go on who can, or who have to give up."""
        nobody = self._done
        _release(self._waiting, len(self._waiting) if nobody else self._throttle.room)
        nobody = nobody or self._throttle.paused(time.monotonic())
        _release(self._reserved, len(self._reserved) if nobody else self._throttle.places)

    async def _reserve(self, call: Call) -> int | None:
        """The number of the call once its worst case is reserved on disk; None if it is not."""
        reservation = Reservation(
            self._panellist.item_number(call.item),
            self._panellist.number,
            call.phase,
            call.ordinal,
            self._panellist.most(call.item),
        )
        while True:
            grant = await self._granted(reservation)
            if grant is Denial.TAKEN:
                self.taken += 1
                return None
            if not isinstance(grant, Denial):
                return grant
            if self._ledger.outstanding == 0:
                self.unaffordable += 1
                return None
            # Calls under way hold their worst cases; what they do not use comes back.
            await self._ledger.money_freed()
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
        item: Item = self._panellist.item(call.item)
        self.sent += 1
        try:
            outcome = await self._judge.score(item)
        except asyncio.CancelledError:
            lost = Lost(reason=Reason.ABANDONED, detail="the run was stopped")
            self._ledger.settle(self._panellist.settlement(number, lost))
            raise
        except Exception as error:  # a judge should not raise; what it was paid is then unknown
            outcome = Lost(reason=Reason.RAISED, detail=f"{type(error).__name__}: {error}"[:200])
        self._ledger.settle(self._panellist.settlement(number, outcome))
        overrun = isinstance(outcome, Verdict) and self._panellist.overran(call.item, outcome)
        if overrun and self._throttle.off is None:
            self._throttle.off = "billed more than the worst case of a call"
        return outcome

    async def _follow(self, call: Call, outcome: Outcome) -> None:
        """Ask again where that may help."""
        if isinstance(outcome, Verdict):
            if outcome.score is None and call.ask_again > 0:
                ordinal = self._panellist.following(call.phase, call.item)
                self._again.append(
                    Call(call.item, call.phase, ordinal, ask_again=call.ask_again - 1)
                )
            return
        if not isinstance(outcome, Refused):
            return
        if outcome.reason is Reason.BUSY or (
            outcome.reason is Reason.DOWN and self._throttle.failing
        ):
            self._again.append(call)  # the judge's fault, not the call's: its pauses are counted
        elif outcome.reason is Reason.REJECTED or call.attempt >= self._panellist.attempts:
            self._panellist.reject(call.item)
        else:
            if self._throttle.off is None:
                await self._stop.sleep(self._throttle.wait(call.attempt))
            self._again.append(replace(call, attempt=call.attempt + 1))


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
