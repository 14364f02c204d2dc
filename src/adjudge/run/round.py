"""One allocation, carried out: every judge's calls side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.problem import Allocation
from adjudge.run.lane import Call, Lane
from adjudge.run.panel import Panellist
from adjudge.run.seen import PHASES, Seen
from adjudge.run.stop import Stop
from adjudge.store import GroupCommit


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOutcome:
    """What became of the calls of a round."""

    sent: int
    """Calls that were made, whatever they gave."""
    unaffordable: int
    """Calls whose worst case did not fit."""
    taken: int
    """Calls that another process made."""


async def carry_out(
    batch: Allocation,
    seen: Seen,
    panel: Sequence[Panellist],
    *,
    ledger: GroupCommit,
    stop: Stop,
    ask_again: int,
    grace: float,
) -> RoundOutcome:
    """Make the calls of the batch; return when all have ended and are on disk."""
    phase = PHASES.index(batch.phase)
    lanes: list[Lane] = []
    workers: list[asyncio.Task[None]] = []
    guard = asyncio.create_task(_cancel_after_grace(workers, stop, grace))
    try:
        async with asyncio.TaskGroup() as group:
            for j, panellist in enumerate(panel):
                counts = np.where(panellist.rejected, 0, batch.counts[:, j])
                calls = int(counts.sum())
                if calls == 0 or panellist.throttle.off is not None:
                    continue
                panellist.begin_round(seen, phase, counts)
                queue = _breadth_first(counts, seen.following[phase, :, j], phase, ask_again)
                lane = Lane(panellist, queue, ledger, stop)
                lanes.append(lane)
                hands = min(calls, panellist.throttle.most_admitted)
                workers += [group.create_task(lane.work()) for _ in range(hands)]
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        guard.cancel()
    await ledger.flush()
    return RoundOutcome(
        sent=sum(lane.sent for lane in lanes),
        unaffordable=sum(lane.unaffordable for lane in lanes),
        taken=sum(lane.taken for lane in lanes),
    )


def _breadth_first(counts: IntArray, first: IntArray, phase: int, ask_again: int) -> Iterator[Call]:
    """Every item's first call, then every item's second: a run that ends early has seen most."""
    for repeat in range(int(counts.max())):
        for k in np.flatnonzero(counts > repeat).tolist():
            yield Call(k, phase, int(first[k]) + repeat, ask_again)


async def _cancel_after_grace(workers: list[asyncio.Task[None]], stop: Stop, grace: float) -> None:
    await stop.grace_is_over(grace)
    for worker in workers:
        worker.cancel()
