"""Leader election: one of the processes of a run plans, the others follow."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.evidence import Allocation
from adjudge.run.identity import Numbers
from adjudge.run.seen import PHASES, Seen
from adjudge.store import GroupCommit, Published, SharedPlans, Wanted


class Leading:
    """The role of this process in the planning of a run: leader or follower.

    Without shared plans every process leads. Otherwise the first process to ask leads until it
    ends or dies; if it dies, another takes over. A process that may not lead only makes calls.
    """

    def __init__(
        self, plans: SharedPlans | None, ledger: GroupCommit, numbers: Numbers, *, may_lead: bool
    ) -> None:
        self._plans = plans
        self._ledger = ledger
        self._numbers = numbers
        self._may_lead = may_lead
        self._known = Published(round=-1, ended=True)
        self._joined = not may_lead
        """Whether this process has seen the run that it follows under way."""
        self._wanted: Wanted | None = None
        self.leads = plans is None
        """Whether this process planned the run at the last look."""

    @property
    def over(self) -> bool:
        """Whether the run that this process follows has ended."""
        return not self.leads and self._joined and self._known.ended

    async def look(self) -> None:
        """Update who leads, and which calls the leader wants."""
        plans, run = self._plans, self._numbers.identity
        if plans is None:
            return
        # Read the plan first: a leader that has ended must not be taken for dead.
        if not self.leads:
            known = self._known.round
            self._known = await self._ledger.read(lambda: plans.published(run, known))
            self._wanted = self._known.wanted or self._wanted
            self._joined = self._joined or not self._known.ended
        if self._may_lead and not self.over:
            self.leads = await self._ledger.read(lambda: plans.lead(run))

    async def publish(self, batch: Allocation, seen: Seen) -> None:
        """Publish the wanted calls for the followers: those made so far plus this batch."""
        plans, run = self._plans, self._numbers.identity
        if plans is None or not self.leads:
            return
        row, column = np.nonzero(batch.counts)
        asked = seen.evidence.asked[batch.phase]
        wanted = Wanted(
            item=np.stack(self._numbers.items, axis=1)[row, column],
            judge=self._numbers.judges[column],
            phase=np.full(row.size, PHASES.index(batch.phase)),
            calls=(asked + batch.counts)[row, column],
        )
        await self._ledger.read(lambda: plans.publish(run, wanted))

    async def end(self) -> None:
        """Tell the followers that the run has ended."""
        plans, run = self._plans, self._numbers.identity
        if plans is not None and self.leads:
            await self._ledger.read(lambda: plans.end(run))

    async def processes(self) -> int:
        """Number of processes that share the judges' rate limits."""
        return 1 if self._plans is None else await self._ledger.read(self._plans.processes)

    def batch(self, seen: Seen, may_ask: BoolArray) -> Allocation:
        """Planned calls of these pairs that no process has begun; shape (K, J) for both."""
        counts = np.zeros(seen.answered.shape, np.int64)
        wanted = self._wanted
        if wanted is None or not wanted.item.size:
            return Allocation(counts=counts)
        phase = PHASES[int(wanted.phase[0])]
        row, column, own = self._numbers.places(wanted.item, wanted.judge)
        counts[row, column] = wanted.calls[own]
        counts = np.where(may_ask, np.maximum(counts - seen.evidence.asked[phase], 0), 0)
        return Allocation(counts=counts, phase=phase)
