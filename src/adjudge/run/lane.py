"""One judge's calls: reserve, call, settle, as many at a time as it bears."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from adjudge.judges import AnswersSeveral, CachesPrompts, FunctionJudge, Judge, SimulatedJudge
from adjudge.records import Lost, Outcome, Reason, Refused, Verdict
from adjudge.run.panel import Panellist, request_outcome
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
    repeated: bool = False
    """Whether other requests about the same item are sent soon before or after it."""


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
        self._calls: Iterator[tuple[Call, ...]] = iter(())
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
            local=isinstance(self._judge, FunctionJudge | SimulatedJudge),
        )

    def begin(
        self, calls: Iterator[tuple[Call, ...]], workers: int, group: asyncio.TaskGroup
    ) -> None:
        """Make these calls, at most so many at a time; no earlier ones may be under way.

        Calls that come together are about one item, and go in one request.
        """
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
        while not self._done and (calls := self._next()):
            if not await self._turn(calls):
                return
            if self.panellist.given_up(calls[0].item):
                self._throttle.withdraw()
                self._wake()
            else:
                await self._make(calls)

    @property
    def _done(self) -> bool:
        return self._halted.is_set() or self._throttle.off is not None

    def _next(self) -> tuple[Call, ...]:
        several = self.panellist.answers_per_request
        if not self._again:
            planned = next(self._calls, ())
            # Fewer may go together than when the round was planned.
            self._again.extend(planned[several:])
            return planned[:several]
        calls = [self._again.popleft()]
        while len(calls) < several and self._again and self._again[0].item == calls[0].item:
            calls.append(self._again.popleft())
        return tuple(calls)

    async def _turn(self, calls: Sequence[Call]) -> bool:
        """Wait until the judge bears one more request; whether it is still to be made."""
        throttle = self._throttle
        tokens = self.panellist.tokens(calls[0].item) * len(calls)
        while not self._done:
            delay = throttle.delay(now := time.monotonic(), tokens)
            if delay == 0:
                throttle.admit(now, tokens)
                return True
            if delay == math.inf:
                await _place_in(self._waiting)
                continue
            await wait_at_most(self._halted, delay)
            if not throttle.paused(now):
                self._heard = time.monotonic()  # waited for a rate that the user set
        return False

    async def _make(self, calls: Sequence[Call]) -> None:
        granted = await self._admitted(calls)
        if not granted:
            return
        self._throttle.send()
        started = time.monotonic()
        outcomes: list[Outcome] = []
        try:
            outcomes = await self._ask(granted)
        finally:
            now, outcome = time.monotonic(), request_outcome(outcomes)
            tokens = self.panellist.tokens(calls[0].item) * len(calls)
            self._throttle.end(outcome, started=started, now=now, tokens=tokens)
            self._time(outcome, started, now)
            self.panellist.note_if_off(self._ledger)
            if self._throttle.off is not None:
                self._halted.set()
            self._wake()
        for (call, _), one in zip(granted, outcomes, strict=True):
            if not isinstance(one, Verdict) or one.score is None:
                await self._follow(call, one)

    def _time(self, outcome: Outcome | None, started: float, now: float) -> None:
        """Keep how long the judge took; a failure that it answers with tells nothing of that."""
        failed = outcome is None or outcome.reason in _SAID_BY_THE_JUDGE
        if not failed:
            self._seconds.append(now - started)
        if isinstance(outcome, Verdict) or (
            isinstance(outcome, Refused) and outcome.reason is Reason.REJECTED
        ):
            self._heard = now

    async def _admitted(self, calls: Sequence[Call]) -> list[tuple[Call, int]]:
        """The calls that are reserved and may be sent, with their numbers."""
        granted: list[tuple[Call, int]] = []
        may_be_sent = False
        try:
            granted = await self._reserve(calls)
            may_be_sent = bool(granted) and await self._place()
            return granted if may_be_sent else []
        finally:
            if not may_be_sent:
                self._throttle.withdraw()
                for call, number in granted:
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

    async def _reserve(self, calls: Sequence[Call]) -> list[tuple[Call, int]]:
        """The calls whose worst case is reserved on disk, with their numbers; none if none is."""
        while True:
            granted: list[tuple[Call, int]] = []
            short: list[Call] = []
            for call, grant in await self._granted(calls):
                if not isinstance(grant, Denial):
                    granted.append((call, grant))
                elif grant is Denial.TAKEN:
                    self.tally.taken += 1
                else:
                    short.append(call)
            if not short:
                return granted
            if granted:
                self._again.extend(short)
                return granted
            if self._ledger.outstanding == 0:
                self.tally.unaffordable += len(short)
                return []
            # Calls under way hold their worst cases; what they do not use comes back.
            self._short_of_money = True
            await self._ledger.money_freed()
            self._short_of_money = False
            self._heard = time.monotonic()
            if self._done:
                return []
            calls = short

    async def _granted(self, calls: Sequence[Call]) -> list[tuple[Call, int | Denial]]:
        one, reserve = self.panellist, self._ledger.reserve
        # Made without waiting in between, they share a commit.
        written = [
            reserve(
                Reservation(
                    one.item_number(call.item),
                    one.number,
                    call.phase,
                    call.ordinal,
                    one.most(call.item),
                )
            )
            for call in calls
        ]
        try:
            if len(written) == 1:
                return [(calls[0], await written[0])]
            return list(zip(calls, await asyncio.gather(*written), strict=True))
        except asyncio.CancelledError:
            # Cancelled in the very moment in which they were granted: nobody else knows of them.
            for future in written:
                if not future.cancelled() and isinstance(number := future.result(), int):
                    self._ledger.settle(Settlement(number, State.REFUSED, Reason.WITHDRAWN))
            raise

    async def _ask(self, granted: Sequence[tuple[Call, int]]) -> list[Outcome]:
        count, k = len(granted), granted[0][0].item
        self.tally.sent += count
        item, judge = self.panellist.item(k), self._judge
        try:
            if count > 1 and isinstance(judge, AnswersSeveral):
                outcomes = await judge.score_several(item, count)
            elif granted[0][0].repeated and isinstance(judge, CachesPrompts):
                outcomes = [await judge.score_repeated(item)]
            else:
                outcomes = [await judge.score(item)]
        except asyncio.CancelledError:
            lost = Lost(reason=Reason.ABANDONED, detail="the run was stopped")
            self._settle(granted, [lost] * count)
            raise
        except Exception as error:  # a judge should not raise; what it was paid is then unknown
            detail = f"{type(error).__name__}: {error}"[:200]
            outcomes = [Lost(reason=Reason.RAISED, detail=detail)] * count
        self._settle(granted, outcomes)
        return outcomes

    def _settle(self, granted: Sequence[tuple[Call, int]], outcomes: Sequence[Outcome]) -> None:
        one, throttle = self.panellist, self._throttle
        for (call, number), outcome in zip(granted, outcomes, strict=True):
            self._ledger.settle(one.settlement(number, outcome))
            if throttle.off is None:
                throttle.off = one.reason_to_switch_off(call.item, outcome)
            if isinstance(outcome, Verdict) and outcome.note:
                one.note_sampled(self._ledger, outcome.note)

    async def _follow(self, call: Call, outcome: Outcome) -> None:
        """Ask again, where that may help, after a call that gave no score."""
        if isinstance(outcome, Verdict):
            if call.ask_again > 0:
                ordinal = self.panellist.following(call.phase, call.item)
                self._again.append(
                    Call(call.item, call.phase, ordinal, ask_again=call.ask_again - 1)
                )
            return
        reason = outcome.reason
        if reason is Reason.WITHDRAWN:  # not asked after all: there was no answer for it
            self._again.append(call)
            return
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
