"""The live loop: ask the strategy, make the calls, look at the ledger, ask again."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.problem import Allocation, Problem
from adjudge.errors import BudgetError
from adjudge.records import Money, Reason
from adjudge.run.askable import batch_for
from adjudge.run.books import Books, problem_of, result_of
from adjudge.run.identity import Numbers
from adjudge.run.opening import opened
from adjudge.run.panel import Panellist
from adjudge.run.plan import Plan
from adjudge.run.progress import Teller, Watcher
from adjudge.run.quotes import Quotes
from adjudge.run.reader import EntryReader
from adjudge.run.result import End, Result
from adjudge.run.round import Lanes, RoundOutcome, opened_lanes
from adjudge.run.seen import Seen
from adjudge.run.stop import Stop
from adjudge.run.stragglers import is_straggler
from adjudge.run.throttle import Throttle
from adjudge.store import Balance, GroupCommit, Heard, NoteKind, Store

_LOOK_AGAIN = 0.1
"""Seconds between two looks at what other processes have under way."""


async def judge_items(
    plan: Plan,
    store: Store,
    *,
    rng: np.random.Generator,
    stop: Stop | None = None,
    watch: Watcher | None = None,
    on_settled: Heard | None = None,
    noted: bool = True,
    quotes: Quotes | None = None,
) -> Result:
    """Score the plan's items within the store's budget.

    Everything that would be an error of the plan is found before the first call. Once calls are
    made, whatever happens to judges ends in a result; only a store that cannot be written raises.
    `on_settled` hears of calls that have ended, once they are on disk. `noted` is whether the
    ledger remembers this as the plan's last run; `quotes` are the plan's, if they are known.
    """
    stop = stop or Stop()
    quotes = quotes or Quotes.of(plan)
    for_strategy, *for_judges = rng.spawn(1 + len(plan.judges))
    async with opened(plan.judges, stop), _group_commit(store, on_settled) as ledger:
        numbers = await ledger.read(lambda: Numbers.of(plan, store))
        panel = [
            Panellist(plan, j, quotes, numbers, Throttle(judge.limits, plan.patience, own))
            for j, (judge, own) in enumerate(zip(plan.judges, for_judges, strict=True))
        ]
        teller = Teller(watch, ledger, panel, stop)
        ledger.listeners.append(teller.settled)
        run = _Run(
            plan=plan,
            store=store,
            reader=EntryReader(store),
            ledger=ledger,
            quotes=quotes,
            numbers=numbers,
            panel=panel,
            rng=for_strategy,
            stop=stop,
            teller=teller,
            noted=noted,
        )
        async with teller.telling(), opened_lanes(panel, ledger, stop, grace=plan.grace) as lanes:
            end = await run.to_its_end(lanes)
        result = await run.result(end)
    teller.raise_failure()
    return result


@asynccontextmanager
async def _group_commit(store: Store, on_settled: Heard | None) -> AsyncIterator[GroupCommit]:
    ledger = GroupCommit(store)
    if on_settled is not None:
        ledger.listeners.append(on_settled)
    try:
        yield ledger
    finally:
        await ledger.close()


@dataclass(slots=True, kw_only=True)
class _Run:
    plan: Plan
    store: Store
    reader: EntryReader
    ledger: GroupCommit
    quotes: Quotes
    numbers: Numbers
    panel: list[Panellist]
    rng: np.random.Generator
    stop: Stop
    teller: Teller
    noted: bool
    rounds: int = 0
    began: float = 0.0
    spent_before: Money = 0

    async def to_its_end(self, lanes: Lanes) -> End:
        if self.teller.watched:
            self.teller.begin(await self.ledger.read(self._refused_before))
        seen, balance = await self._look()
        self.began, self.spent_before = time.monotonic(), balance.spent
        while (end := self._reason_to_end()) is None:
            batch = await self._batch(seen, balance, lanes)
            if batch:
                end = await self._round(batch, seen, lanes)
            elif lanes.busy.any():
                await lanes.until_some_end()
            elif not await self._others_were_busy():
                end = self._end_without_calls(seen, balance)
            if end is not None:
                break
            seen, balance = await self._look()
        return end

    async def _look(self) -> tuple[Seen, Balance]:
        entries = await self.ledger.read(self.reader.entries)
        seen = Seen.of(entries, self.numbers, self.plan.scale, self.quotes.most_output)
        balance = await self.ledger.read(self.store.balance)
        if self.teller.watched:
            problem = problem_of(self.plan, self.quotes, seen)
            estimate = await asyncio.to_thread(self.plan.strategy.estimate, problem, seen.evidence)
            self.teller.round_ended(
                balance,
                answered=int(seen.answered.sum()),
                scored=int(seen.scored.sum()),
                lost=int(seen.presumed.sum()),
                predicted_error=estimate.norm_error() * self.plan.scale.width,
                rounds=self.rounds,
            )
        return seen, balance

    def _refused_before(self) -> int:
        own = set(self.numbers.judges.tolist())
        return sum(
            count
            for (judge, reason), count in self.store.refusals().items()
            if judge in own and reason is not Reason.WITHDRAWN
        )

    def _reason_to_end(self) -> End | None:
        if self.stop.requested:
            return End.STOPPED
        if all(panellist.throttle.off is not None for panellist in self.panel):
            return End.JUDGES_OFF
        return None

    async def _batch(self, seen: Seen, balance: Balance, lanes: Lanes) -> Allocation:
        """The next calls; in a thread, so that calls under way and signals are heard meanwhile."""
        problem = problem_of(self.plan, self.quotes, seen)
        may_ask = self._open(seen) & (self.quotes.most <= balance.remaining)
        free = ~lanes.busy
        tried: BoolArray | None = None
        for judges in (free & self._in_time(lanes, balance), free):
            pairs = may_ask & judges
            if not pairs.any() or (tried is not None and (pairs == tried).all()):
                continue
            tried = pairs
            batch = await asyncio.to_thread(self._planned, problem, seen, balance, pairs)
            if batch:
                return batch
        return Allocation.nothing(problem)

    def _planned(
        self, problem: Problem, seen: Seen, balance: Balance, may_ask: BoolArray
    ) -> Allocation:
        money = float(balance.remaining)
        try:
            return batch_for(
                self.plan.strategy, problem, seen.evidence, money, self.rng, may_ask=may_ask
            )
        except BudgetError:
            # With real prices the money no longer does what the strategy wants of it. Before the
            # first call this is for the user to know; later, what was bought is worth more.
            if not seen.evidence.calls.any():
                raise
            return Allocation.nothing(problem)

    def _in_time(self, lanes: Lanes, balance: Balance) -> BoolArray:
        """The judges that will answer before the others have spent what is left; shape (J,)."""
        now = time.monotonic()
        paused = np.array([one.throttle.paused(now) for one in self.panel])
        if not self._replans:
            return np.ones(len(self.panel), bool)
        beats = lanes.beats()
        spent = balance.spent - self.spent_before
        left = math.inf if spent <= 0 else balance.remaining * (now - self.began) / spent
        late = [is_straggler(beats, j) and beat.lag > left for j, beat in enumerate(beats)]
        in_time: BoolArray = ~(paused | np.array(late))
        return in_time

    @property
    def _replans(self) -> bool:
        """Whether the strategy plans around judges that are slow; others are waited for."""
        return getattr(self.plan.strategy, "replans", False)

    async def _round(self, batch: Allocation, seen: Seen, lanes: Lanes) -> End | None:
        """Why the run ends with this round; None if it goes on."""
        if self.rounds == 0:
            await self._note(NoteKind.BEGUN, "a run began to make calls")
        self.rounds += 1
        known = self._blocked().sum()
        outcome = await lanes.carry_out(
            batch, seen, ask_again=self.plan.ask_again, wait_for_all=not self._replans
        )
        await self._switch_off_who_takes_nothing()
        learned = bool(self._blocked().sum() > known)
        if outcome.sent or learned or self.stop.requested:
            return self._reason_to_end()
        if lanes.busy.any():
            await lanes.until_some_end()
            return None
        return await self._stuck(outcome, seen)

    async def _stuck(self, outcome: RoundOutcome, seen: Seen) -> End | None:
        """Why a round in which nothing could be sent is the last; None if it is not."""
        if await self._others_were_busy():
            return None
        if outcome.taken:
            now, _ = await self._look()
            if now.evidence.calls.sum() > seen.evidence.calls.sum():
                return None  # others have done it, meanwhile
        return End.BUDGET if outcome.unaffordable else End.DONE

    async def _switch_off_who_takes_nothing(self) -> None:
        """Few items, or failures far apart, may not have been noticed as the judge's own."""
        for one in self.panel:
            if one.throttle.off is None and one.rejected.all():
                one.throttle.off = "would take none of the items"
                one.note_if_off(self.ledger)
        await self.ledger.flush()

    async def _others_were_busy(self) -> bool:
        """Wait for calls that other processes have under way; whether there were any."""
        found = await self.ledger.read(self.store.presume_dead)
        waited = found > 0
        while await self.ledger.read(self.store.reserved_elsewhere) and not self.stop.requested:
            waited = True
            await self.stop.sleep(_LOOK_AGAIN)
            await self.ledger.read(self.store.presume_dead)
        return waited

    def _blocked(self) -> BoolArray:
        """The pairs that can no longer be asked; shape (K, J)."""
        columns = [
            np.ones_like(one.rejected) if one.throttle.off is not None else one.rejected
            for one in self.panel
        ]
        return np.stack(columns, axis=1)

    def _open(self, seen: Seen) -> BoolArray:
        """The pairs that can still be asked; shape (K, J).

        A pair is given up when it was asked again as often as it may and never gave a score.
        """
        given_up = (seen.scored == 0) & (seen.answered > self.plan.ask_again)
        pairs: BoolArray = ~self._blocked() & ~given_up
        return pairs

    def _end_without_calls(self, seen: Seen, balance: Balance) -> End:
        """Why the run ends when the strategy asks for nothing."""
        pairs = self._open(seen)
        affordable = pairs & (self.quotes.most <= balance.remaining)
        return End.BUDGET if pairs.any() and not affordable.any() else End.DONE

    async def _note(self, kind: NoteKind, text: str) -> None:
        if self.noted:
            run = self.numbers.identity
            await self.ledger.read(lambda: self.store.note(None, text, kind=kind, run=run))

    async def result(self, end: End) -> Result:
        """What the ledger holds now that the run has ended so."""
        await self._note(NoteKind.ENDED, f"{end.name}: {end.value}")
        result = result_of(
            self.plan,
            self.quotes,
            self.numbers,
            await self.ledger.read(lambda: Books.read(self.store, self.reader.entries())),
            end=end,
            rounds=self.rounds,
            rejected=np.stack([one.rejected for one in self.panel], axis=1),
        )
        if self.teller.watched:
            self.teller.round_ended(
                result.balance,
                answered=int(result.answered.sum()),
                scored=int(result.scored.sum()),
                lost=sum(judge.presumed for judge in result.judges),
                predicted_error=result.estimate.norm_error() * self.plan.scale.width,
                rounds=self.rounds,
            )
        return result
