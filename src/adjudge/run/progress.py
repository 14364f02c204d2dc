"""Progress of a run, for a watcher."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeAlias

from adjudge.records import Money, Reason
from adjudge.run.panel import Panellist
from adjudge.run.stop import Stop
from adjudge.store import Balance, GroupCommit, Settlement, State

_BEAT = 0.1
"""Seconds between two reports within a round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Progress of a run; counts include all runs of the plan on this ledger."""

    budget: Money
    spent: Money
    reserved: Money
    """The worst case of all calls under way."""
    calls: int
    """Paid calls: answered or presumed billed."""
    in_flight: int
    """Calls of this process under way."""
    without_score: int
    """Answers that were billed and gave no score."""
    refused: int
    """Calls that were sent and cost nothing."""
    lost: int
    """Calls presumed billed."""
    rounds: int
    """Rounds completed by this run."""
    predicted_error: float
    """Expected error in the plan's norm after the last round, on the scale of the scores."""
    stopping: bool = False
    """Whether the run was stopped: it sends nothing more and waits for calls under way."""


Watcher: TypeAlias = Callable[[Progress], None]
"""Called with a run's progress, in the run's own thread, so it should return quickly."""


class Teller:
    """Keeps the counts and calls the watcher, ten times a second and after every round.

    If the watcher raises, the run stops cleanly, and the exception is then raised again.
    """

    def __init__(
        self, watch: Watcher | None, ledger: GroupCommit, panel: Sequence[Panellist], stop: Stop
    ) -> None:
        self.watched = watch is not None
        """Whether there is a watcher."""
        self._watch = watch
        self._ledger = ledger
        self._panel = panel
        self._stop = stop
        self._calls = self._without_score = self._refused = self._lost = 0
        self._rounds = 0
        self._predicted_error = float("nan")
        self._balance: Balance | None = None
        self._failure: Exception | None = None

    @asynccontextmanager
    async def telling(self) -> AsyncIterator[None]:
        """Report regularly, even while no call ends, and at once when a stop is requested."""
        if self._watch is None:
            yield
            return
        task = asyncio.create_task(self._keep_telling())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _keep_telling(self) -> None:
        while True:
            # By the clock: when calls end, unusually few are in flight.
            if self._stop.requested:
                await asyncio.sleep(_BEAT)
            else:
                await self._stop.sleep(_BEAT)
            if self._balance is not None:
                self._tell(self._balance)

    def settled(self, settlements: Sequence[Settlement]) -> None:
        """Count calls that have ended and are on disk."""
        if self._watch is None:
            return
        for settlement in settlements:
            if settlement.state is State.REFUSED:
                self._refused += settlement.reason is not Reason.WITHDRAWN
                continue
            self._calls += 1
            self._lost += settlement.state is State.PRESUMED
            self._without_score += settlement.state is State.SETTLED and settlement.score is None
        self._balance = self._ledger.balance

    def round_ended(
        self,
        balance: Balance,
        *,
        answered: int,
        scored: int,
        lost: int,
        predicted_error: float,
        rounds: int,
    ) -> None:
        """Take over the ledger's counts, before the first round and after every round."""
        self._lost = lost
        self._calls, self._without_score = answered + lost, answered - scored
        self._predicted_error, self._rounds = predicted_error, rounds
        self._tell(balance)

    def begin(self, refused: int) -> None:
        """Start from the number of calls refused in earlier runs."""
        self._refused = refused

    def raise_failure(self) -> None:
        """Raise the watcher's exception, if there was one."""
        if self._failure is not None:
            raise self._failure

    def _tell(self, balance: Balance) -> None:
        if self._watch is None or self._failure is not None:
            return
        self._balance = balance
        try:
            self._watch(
                Progress(
                    budget=balance.budget,
                    spent=balance.spent,
                    reserved=balance.reserved,
                    calls=self._calls,
                    in_flight=sum(panellist.throttle.under_way for panellist in self._panel),
                    without_score=self._without_score,
                    refused=self._refused,
                    lost=self._lost,
                    rounds=self._rounds,
                    predicted_error=self._predicted_error,
                    stopping=self._stop.requested,
                )
            )
        except Exception as error:  # the watcher is the caller's code
            self._failure = error
            self._stop.request()
