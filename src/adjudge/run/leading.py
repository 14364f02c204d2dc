"""Leader election: one of the processes of a run plans, the others follow."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.problem import Allocation
from adjudge.run.identity import Numbers
from adjudge.run.seen import PHASES, Seen
from adjudge.store import GroupCommit, Published, SharedPlans, Wanted


class Leading:
    """The part of this process in the planning of a run.

    Without shared plans every process leads. Else the first to ask leads for as long as it lives,
    and another one takes over when it has died; a process that may not lead only makes calls.
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
        """Whether the run that this process follows was seen under way."""
        self._wanted: Wanted | None = None
        self.leads = plans is None
        """Whether this process plans, as of the last look."""

    @property
    def over(self) -> bool:
        """Whether the run that this process follows has come to its end."""
        return not self.leads and self._joined and self._known.ended

    async def look(self) -> None:
        """See who plans now, and what is wanted."""
        plans, run = self._plans, self._numbers.identity
        if plans is None:
            return
        # In this order: a leader that ends says so before it could be presumed dead.
        if not self.leads:
            known = self._known.round
            self._known = await self._ledger.read(lambda: plans.published(run, known))
            self._wanted = self._known.wanted or self._wanted
            self._joined = self._joined or not self._known.ended
        if self._may_lead and not self.over:
            self.leads = await self._ledger.read(lambda: plans.lead(run))

    async def publish(self, batch: Allocation, seen: Seen) -> None:
        """Tell followers what is wanted: what was asked so far, and this batch."""
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
        """Tell followers that the run has come to its end."""
        plans, run = self._plans, self._numbers.identity
        if plans is not None and self.leads:
            await self._ledger.read(lambda: plans.end(run))

    async def processes(self) -> int:
        """How many processes share the judges' rate limits."""
        return 1 if self._plans is None else await self._ledger.read(self._plans.processes)

    def batch(self, seen: Seen, may_ask: BoolArray) -> Allocation:
        """Planned calls of these pairs that no process has begun; both of shape (K, J)."""
        counts = np.zeros(seen.answered.shape, np.int64)
        wanted = self._wanted
        if wanted is None or not wanted.item.size:
            return Allocation(counts=counts)
        phase = PHASES[int(wanted.phase[0])]
        row, column, own = self._numbers.places(wanted.item, wanted.judge)
        counts[row, column] = wanted.calls[own]
        counts = np.where(may_ask, np.maximum(counts - seen.evidence.asked[phase], 0), 0)
        return Allocation(counts=counts, phase=phase)
