"""The calls of one round, with all judges called concurrently."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.evidence import Allocation
from adjudge.records import Money
from adjudge.run.lane import Lane
from adjudge.run.panel import Panellist
from adjudge.run.requests import requests_of
from adjudge.run.seen import PHASES, Seen
from adjudge.run.stop import Stop, wait_at_most
from adjudge.run.stragglers import Beat, is_straggler, longest_wait
from adjudge.store import GroupCommit

_MOMENT = 0.005
"""Seconds between two checks of a straggler that still gets calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """Counts of what happened to the calls of a round."""

    sent: int
    """Calls that were sent, whatever the outcome."""
    unaffordable: int
    """Calls whose worst case did not fit the remaining money."""
    taken: int
    """Calls that another process made."""


class Lanes:
    """The lanes of all judges, while a run makes calls."""

    def __init__(
        self,
        panel: Sequence[Panellist],
        ledger: GroupCommit,
        stop: Stop,
        group: asyncio.TaskGroup,
    ) -> None:
        self._changed = asyncio.Event()
        self._lanes = [Lane(one, ledger, on_change=self._changed.set) for one in panel]
        self._ledger = ledger
        self._stop = stop
        self._group = group

    @property
    def busy(self) -> BoolArray:
        """The judges that have calls under way; shape (J,)."""
        return np.array([lane.busy for lane in self._lanes])

    def beats(self) -> list[Beat]:
        """Each judge's response times so far."""
        now = time.monotonic()
        return [lane.beat(now) for lane in self._lanes]

    async def carry_out(
        self,
        batch: Allocation,
        seen: Seen,
        *,
        remaining: Money,
        ask_again: int,
        wait_for_all: bool,
        rng: np.random.Generator | None = None,
    ) -> RoundOutcome:
        """Make the calls of the batch; return when they have ended and are on disk.

        Unless `wait_for_all`, the round ends without the stragglers: their calls under way
        continue, and their unsent calls are dropped. With `rng`, items come in random order, so
        that processes that carry out the same batch rarely try the same call.
        """
        begun = []
        if not self._stop.requested:
            begun = self._begin(batch, seen, remaining, ask_again, rng)
        while any(lane.busy and not lane.left for lane in begun):
            self._changed.clear()
            patience = None if wait_for_all else self._leave_stragglers()
            if patience is None:
                await self._changed.wait()
            else:
                await wait_at_most(self._changed, patience)
        if wait_for_all or self._stop.requested:
            await self.until_idle()
        await self._ledger.flush()
        return RoundOutcome(
            sent=sum(lane.tally.sent for lane in begun),
            unaffordable=sum(lane.tally.unaffordable for lane in begun),
            taken=sum(lane.tally.taken for lane in begun),
        )

    async def until_some_end(self) -> None:
        """Wait until a worker ends, if calls are under way."""
        if self.busy.any():
            self._changed.clear()
            await self._changed.wait()
            await self._ledger.flush()

    async def until_idle(self) -> None:
        """Wait for all calls that are under way."""
        while self.busy.any():
            await self.until_some_end()

    async def stop_when_asked(self, grace: float) -> None:
        """Stop sending once a stop is requested; after the grace time, cancel the rest."""
        await self._stop.wait()
        for lane in self._lanes:
            lane.leave()
        await self._stop.grace_is_over(grace)
        for lane in self._lanes:
            lane.cancel()

    def _begin(
        self,
        batch: Allocation,
        seen: Seen,
        remaining: Money,
        ask_again: int,
        rng: np.random.Generator | None,
    ) -> list[Lane]:
        phase = PHASES.index(batch.phase)
        begun = []
        for j, lane in enumerate(self._lanes):
            one = lane.panellist
            counts = np.where(one.rejected, 0, batch.counts[:, j])
            if one.asked_once:
                counts = np.minimum(counts, 1)
            calls = int(counts.sum())
            if calls == 0 or one.throttle.off is not None or lane.busy:
                continue
            one.begin_round(seen, phase, counts)
            # Planned repeats, too, ask again.
            again = (seen.answered - seen.scored)[:, j] + np.maximum(counts - 1, 0)
            left = np.maximum(ask_again - again, 0)
            covered = one.most_together(counts, remaining)
            requests = requests_of(
                counts,
                seen.following[phase, :, j],
                phase,
                left,
                several=one.answers_per_request,
                known=one.several_known,
                covered=covered,
                abreast=one.abreast,
                rng=rng,
            )
            workers = min(calls, one.throttle.most_admitted)
            trial = covered > 1 and bool((counts > 1).any())
            lane.begin(requests, workers, self._group, trial=trial)
            begun.append(lane)
        return begun

    def _leave_stragglers(self) -> float | None:
        """Leave the stragglers behind if only they still have calls to make.

        Returns the seconds until the next check; None if no other judge could go on. A straggler
        first gets as many calls as its throttle allows.
        """
        working = [j for j, lane in enumerate(self._lanes) if lane.busy and not lane.left]
        beats = self.beats()
        if not any(self._could_go_on(j, beats) for j in range(len(beats))):
            return None
        if all(is_straggler(beats, j) for j in working):
            for j in working:
                if self._lanes[j].full:
                    self._lanes[j].leave()
                    self._lanes[j].panellist.note_straggling(self._ledger, beats[j].lag)
            return _MOMENT
        in_time = [
            longest - beats[j].silent
            for j in working
            if not is_straggler(beats, j) and (longest := longest_wait(beats, j)) is not None
        ]
        return max(in_time, default=0.0) + _MOMENT

    def _could_go_on(self, j: int, beats: Sequence[Beat]) -> bool:
        """Whether the judge is idle and not a straggler."""
        lane = self._lanes[j]
        works = lane.panellist.throttle.off is None and beats[j].typical is not None
        return works and not lane.busy and not is_straggler(beats, j)


@asynccontextmanager
async def opened_lanes(
    panel: Sequence[Panellist], ledger: GroupCommit, stop: Stop, *, grace: float
) -> AsyncIterator[Lanes]:
    """Lanes for all judges; if the store fails, all calls end, and its error is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            lanes = Lanes(panel, ledger, stop, group)
            guard = group.create_task(lanes.stop_when_asked(grace))
            try:
                yield lanes
                await lanes.until_idle()
            finally:
                guard.cancel()
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
