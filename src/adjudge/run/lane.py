"""One judge's calls: reserve, call, settle, with as many in flight as its throttle allows."""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from adjudge.judges import FunctionJudge, Judge, SimulatedJudge
from adjudge.records import Lost, Money, Outcome, Reason, Refused, Verdict
from adjudge.run.asking import answers
from adjudge.run.following import SAID_BY_THE_JUDGE, following
from adjudge.run.panel import Panellist, request_outcome
from adjudge.run.requests import Call, Request
from adjudge.run.stop import wait_at_most
from adjudge.run.stragglers import Beat
from adjudge.run.turns import place_in, release
from adjudge.store import Denial, GroupCommit, Reservation, Settlement, State

_LATEST = 32
"""Number of latest calls from which a judge's speed is measured."""
_STALE = 16
"""Calls in a row already made by other processes, after which the rest of the round is stale."""


@dataclass(slots=True)
class Tally:
    """Counts of what happened to the lane's latest calls."""

    sent: int = 0
    """Calls that were sent."""
    unaffordable: int = 0
    """Calls whose worst case did not fit the remaining money, even with no call under way."""
    taken: int = 0
    """Calls that another process made."""


class Lane:
    """The queue of one judge's calls; each worker makes one request at a time."""

    def __init__(
        self, panellist: Panellist, ledger: GroupCommit, *, on_change: Callable[[], None]
    ) -> None:
        self.panellist = panellist
        self.tally = Tally()
        self._judge: Judge = panellist.judge
        self._throttle = panellist.throttle
        self._ledger = ledger
        self._on_change = on_change
        """Called when a worker ends."""
        self._requests: Iterator[Request] = iter(())
        self._again: deque[Request] = deque()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._reserved: deque[asyncio.Future[None]] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._halted = asyncio.Event()
        """Set while no more calls may be sent."""
        self._short = asyncio.Lock()
        """Held by the worker that waits for money; the others queue for it in order."""
        self._trying = False
        """Whether workers wait for a trial request for several answers."""
        self._too_dear: Money | None = None
        """A worst case that was denied in this round with no call under way, so is unaffordable."""
        self._taken_in_a_row = 0
        self._seconds: deque[float] = deque(maxlen=_LATEST)
        self._heard = 0.0
        """When the judge last responded, or when the lane last waited for something else."""

    @property
    def busy(self) -> bool:
        """Whether calls are under way or queued."""
        return bool(self._workers)

    @property
    def left(self) -> bool:
        """Whether the lane sends nothing more and only waits for calls under way."""
        return self._halted.is_set()

    @property
    def full(self) -> bool:
        """Whether no further call can be sent for now."""
        paused = self._throttle.paused(time.monotonic())
        return self._throttle.places < 1 or paused or self._short.locked() or self._trying

    def beat(self, now: float) -> Beat:
        """The judge's response times so far."""
        return Beat(
            typical=median(self._seconds) if self._seconds else None,
            silent=now - self._heard if self.busy else 0.0,
            local=isinstance(self._judge, FunctionJudge | SimulatedJudge),
        )

    def begin(
        self, requests: Iterator[Request], workers: int, group: asyncio.TaskGroup, *, trial: bool
    ) -> None:
        """Make these calls with this many workers; no earlier call may be under way.

        With `trial`, if it is unknown whether the judge gives several answers per request, single
        requests find that out first.
        """
        self.tally = Tally()
        self._requests = requests
        self._again.clear()
        self._halted.clear()
        self._too_dear = None
        self._taken_in_a_row = 0
        self._heard = time.monotonic()
        if trial and not self.panellist.several_known():
            self._start(self._try(workers, group), group)
        else:
            self._start_all(workers, group)

    def _start_all(self, workers: int, group: asyncio.TaskGroup) -> None:
        for _ in range(workers):
            self._start(self._work(), group)

    def _start(self, work: Coroutine[None, None, None], group: asyncio.TaskGroup) -> None:
        worker = group.create_task(work)
        self._workers.add(worker)
        worker.add_done_callback(self._worker_ended)

    def leave(self) -> None:
        """Stop sending; calls under way are settled when they end."""
        self._halted.set()
        self._wake()
        self._ledger.wake_waiting()

    def cancel(self) -> None:
        """Cancel all workers; calls under way are presumed billed."""
        for worker in self._workers:
            worker.cancel()

    def _worker_ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        self._on_change()

    async def _try(self, workers: int, group: asyncio.TaskGroup) -> None:
        """Make one request at a time until it is known whether the judge gives several answers.

        Then start all workers.
        """
        self._trying = True
        while not self.panellist.several_known() and await self._make_next():
            pass
        self._trying = False
        if not self._done:
            self._start_all(workers, group)

    async def _work(self) -> None:
        """Make calls until none are left, the judge is switched off, or the lane must stop."""
        while await self._make_next():
            pass

    async def _make_next(self) -> bool:
        """Make the calls of one request; returns whether there may be more."""
        if self._done or not (calls := self._next()):
            return False
        tokens = self.panellist.tokens(calls[0].item) * len(calls)
        if not await self._turn(tokens):
            return False
        if self.panellist.given_up(calls[0].item):
            self._throttle.withdraw()
            self._wake()
        else:
            await self._make(calls, tokens)
        return True

    @property
    def _done(self) -> bool:
        return self._halted.is_set() or self._throttle.off is not None

    def _next(self) -> Request:
        request = self._again.popleft() if self._again else next(self._requests, ())
        if len(request) > 1 and (most := self.panellist.answers_per_request()) < len(request):
            # Since the request was built, the judge was found to give fewer answers at once.
            self._again.extend((call,) for call in request[most:])
            request = request[:most]
        return request

    async def _turn(self, tokens: int) -> bool:
        """Wait until the throttle admits the request; returns False if it must not be made."""
        throttle = self._throttle
        while not self._done:
            delay = throttle.delay(now := time.monotonic(), tokens)
            if delay == 0:
                throttle.admit(now, tokens)
                return True
            if delay == math.inf:
                await place_in(self._waiting)
                continue
            await wait_at_most(self._halted, delay)
            if not throttle.paused(now):
                self._heard = time.monotonic()  # waited for a rate limit, not for the judge
        return False

    async def _make(self, calls: Request, tokens: int) -> None:
        granted = await self._admitted(calls)
        if not granted:
            return
        self._throttle.send()
        started = time.monotonic()
        outcomes: Sequence[Outcome] = ()
        try:
            outcomes = await self._ask(granted)
        finally:
            now, outcome = time.monotonic(), request_outcome(outcomes)
            told = self.panellist.about_the_judge(calls[0].item, outcome)
            self._throttle.end(told, started=started, now=now, tokens=tokens)
            self._time(outcome, started, now)
            self.panellist.note_if_off(self._ledger)
            if self._throttle.off is not None:
                self._halted.set()
            self._wake()
        for one in outcomes:
            if not isinstance(one, Verdict) or one.score is None:
                await self._follow(tuple(call for call, _ in granted), outcomes)
                break

    def _time(self, outcome: Outcome | None, started: float, now: float) -> None:
        """Record the judge's response time; the time of a failure that it reports is ignored."""
        failed = outcome is None or outcome.reason in SAID_BY_THE_JUDGE
        if not failed:
            self._seconds.append(now - started)
        if isinstance(outcome, Verdict) or (
            isinstance(outcome, Refused) and outcome.reason is Reason.REJECTED
        ):
            self._heard = now

    async def _admitted(self, calls: Request) -> list[tuple[Call, int]]:
        """The calls that are reserved and may be sent, with their ledger numbers."""
        granted: list[tuple[Call, int]] = []
        may_be_sent = False
        try:
            granted = await self._reserve(calls)
            may_be_sent = bool(granted) and await self._place()
            return granted if may_be_sent else []
        finally:
            if not may_be_sent:
                self._throttle.withdraw()
                for _, number in granted:
                    self._ledger.settle(Settlement(number, State.REFUSED, Reason.WITHDRAWN))
                if granted:
                    self._again.append(tuple(call for call, _ in granted))
                self._wake()

    async def _place(self) -> bool:
        """Wait, with the money reserved, for room in the window; returns whether to send."""
        while not self._done and not self._throttle.paused(time.monotonic()):
            if self._throttle.places > 0:
                return True
            await place_in(self._reserved)
        return False

    def _wake(self) -> None:
        """Wake workers that can proceed or must give up."""
        nobody = self._done
        if self._waiting:
            release(self._waiting, len(self._waiting) if nobody else self._throttle.room)
        if self._reserved:
            nobody = nobody or self._throttle.paused(time.monotonic())
            release(self._reserved, len(self._reserved) if nobody else self._throttle.places)

    async def _reserve(self, calls: Request) -> list[tuple[Call, int]]:
        """The calls whose worst case is reserved on disk, with their ledger numbers.

        Empty if the money does not suffice for all. Workers that wait for money queue in order.
        """
        most = self.panellist.most(calls[0].item) * len(calls)
        if self._too_dear is not None and most >= self._too_dear:
            self.tally.unaffordable += len(calls)
            return []
        if not self._short.locked():
            granted = await self._granted(calls)
            if granted is not None:
                return granted
        async with self._short:
            while not self._done:
                granted = await self._granted(calls)
                if granted is not None:
                    return granted
                if self._ledger.outstanding == 0:
                    self.tally.unaffordable += len(calls)
                    self._too_dear = most
                    return []
                # Calls under way hold their worst cases; the unused part is freed when they end.
                await self._ledger.money_freed()
                self._heard = time.monotonic()
        return []

    def _pass_over(self, taken: int) -> None:
        """Skip calls that another process made; after many in a row, skip the rest of the round."""
        self.tally.taken += taken
        self._taken_in_a_row += taken
        if self._taken_in_a_row >= _STALE:
            self._requests = iter(())
            self._again.clear()

    async def _granted(self, calls: Request) -> list[tuple[Call, int]] | None:
        """The calls that no other process made, with ledger numbers; None if money is short."""
        one, reserve = self.panellist, self._ledger.reserve
        k, together = calls[0].item, len(calls)
        item, most = one.item_number(k), one.most(k)
        written = []
        # No await between the reservations, so that they share a commit.
        for _, phase, ordinal, *_ in calls:
            wanted = item, one.number, phase, ordinal, most, together
            written.append(reserve(Reservation._make(wanted)))
            together = 1
        try:
            grants = [await written[0]] if len(written) == 1 else await asyncio.gather(*written)
        except asyncio.CancelledError:
            # Cancelled just as the calls were granted: only this code can withdraw them.
            for future in written:
                if not future.cancelled() and isinstance(number := future.result(), int):
                    self._ledger.settle(Settlement(number, State.REFUSED, Reason.WITHDRAWN))
            raise
        if Denial.NO_FUNDS in grants:
            return None
        granted = [
            (call, grant)
            for call, grant in zip(calls, grants, strict=True)
            if not isinstance(grant, Denial)
        ]
        if granted:
            self._taken_in_a_row = 0
        if taken := len(calls) - len(granted):
            self._pass_over(taken)
        return granted

    async def _ask(self, granted: Sequence[tuple[Call, int]]) -> Sequence[Outcome]:
        count, k = len(granted), granted[0][0].item
        self.tally.sent += count
        item, judge = self.panellist.item(k), self._judge
        outcomes: Sequence[Outcome]
        try:
            if count == 1 and not granted[0][0].repeated:  # saves a stack frame for most calls
                outcomes = (await judge.score(item),)
            else:
                outcomes = await answers(judge, item, count, repeated=granted[0][0].repeated)
        except asyncio.CancelledError:
            lost = Lost(reason=Reason.ABANDONED, detail="the run was stopped")
            self._settle(granted, [lost] * count)
            raise
        except Exception as error:  # a judge should not raise; if it does, the cost is unknown
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

    async def _follow(self, calls: Request, outcomes: Sequence[Outcome]) -> None:
        """Queue new requests, where that may help, after calls that gave no score."""
        what = following(calls, outcomes, self.panellist)
        if what.rejected:
            self.panellist.reject(calls[0].item)
        if what.pause and self._throttle.off is None:
            await wait_at_most(self._halted, self._throttle.wait(calls[0].attempt))
        self._again.extend(what.requests)
