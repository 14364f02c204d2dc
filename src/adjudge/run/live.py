"""The live loop: ask the strategy, make the calls, read the ledger, repeat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.evidence import Allocation
from adjudge.records import Reason
from adjudge.run.books import Books, result_of
from adjudge.run.enough import Interim
from adjudge.run.frozen_prices import freeze_prices
from adjudge.run.identity import Numbers
from adjudge.run.leading import Leading
from adjudge.run.opening import opened
from adjudge.run.panel import Panellist
from adjudge.run.plan import Plan
from adjudge.run.planning import Planner
from adjudge.run.progress import Teller, Watcher
from adjudge.run.quotes import Quotes
from adjudge.run.reader import EntryReader
from adjudge.run.result import End, Result
from adjudge.run.round import Lanes, RoundOutcome, opened_lanes
from adjudge.run.seen import Seen
from adjudge.run.stop import Stop
from adjudge.run.throttle import Throttle
from adjudge.store import Balance, GroupCommit, Heard, NoteKind, Store

_LOOK_AGAIN = 0.1
"""Seconds between two checks of what other processes have under way."""


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
    may_plan: bool = True,
) -> Result:
    """Score the plan's items within the store's budget.

    Errors in the plan are raised before the first call. After that, a failing judge never raises:
    the run ends with a result. Only a store that cannot be written raises. `on_settled` gets the
    calls that have ended, once they are on disk. `noted`: whether the ledger records this as the
    plan's last run, and which judges it switched off. `quotes`: the plan's quotes, if they are
    known. `may_plan`: whether this process may plan, if several processes carry out one run.
    """
    stop = stop or Stop()
    quotes = quotes or Quotes.of(plan)
    plan = replace(plan, judges=plan.judges_in_place, place=None)
    for_strategy, *for_judges = rng.spawn(1 + len(plan.judges))
    async with (
        opened(plan.judges, stop, salt=store.salt()),
        _group_commit(store, on_settled) as ledger,
    ):
        numbers = await ledger.read(lambda: Numbers.of(plan, store))
        money = (await ledger.read(store.balance)).remaining
        panel = [
            Panellist(
                plan,
                j,
                quotes,
                numbers,
                Throttle(judge.limits, plan.patience, own),
                money=money,
                noted=noted,
            )
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
            planner=Planner(plan, quotes, panel, for_strategy),
            leading=Leading(store.plans if noted else None, ledger, numbers, may_lead=may_plan),
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
    planner: Planner
    leading: Leading
    rng: np.random.Generator
    stop: Stop
    teller: Teller
    noted: bool
    rounds: int = 0
    looks: int = 0
    enough: str | None = None
    """Why the run may end before its money is spent; None if it may not."""

    async def to_its_end(self, lanes: Lanes) -> End:
        if self.teller.watched:
            self.teller.begin(await self.ledger.read(self._refused_before))
        seen, balance = await self._look()
        while (end := self._reason_to_end()) is None:
            await self.leading.look()
            if not self.leading.leads:
                end = await self._follow(seen, balance, lanes)
                if end is not None:
                    break
                seen, balance = await self._look()
                continue
            batch = await self.planner.batch(seen, balance, lanes)
            if batch:
                end = await self._round(batch, seen, balance, lanes)
            elif lanes.busy.any():
                await lanes.until_some_end()
            elif self.planner.show_more(seen, balance):
                continue
            elif not await self._others_were_busy():
                end = self._end_without_calls(seen, balance)
            if end is not None:
                break
            seen, balance = await self._look()
        return end

    async def _follow(self, seen: Seen, balance: Balance, lanes: Lanes) -> End | None:
        """Make calls that another process planned; returns why the run ends, None if it goes on."""
        batch = self.leading.batch(seen, self.planner.affordable(seen, balance))
        if batch and not self.leading.over:
            await self._share_limits()
            outcome = await lanes.carry_out(
                batch,
                seen,
                remaining=balance.remaining,
                ask_again=self.plan.ask_again,
                wait_for_all=True,
                rng=self.rng,
            )
            await self._switch_off_who_takes_nothing()
            if outcome.sent:
                return self._reason_to_end()
        if self.leading.over:
            await lanes.until_idle()
            return End.DONE
        await self.stop.sleep(_LOOK_AGAIN)
        return None

    async def _share_limits(self) -> None:
        """Limit this process to its share of the rates that the user set."""
        processes = await self.leading.processes()
        for one in self.panel:
            one.throttle.share(processes)

    async def _look(self) -> tuple[Seen, Balance]:
        """The ledger's current content; also reports progress and checks `plan.enough`."""
        entries = await self.ledger.read(self.reader.entries)
        seen = Seen.of(entries, self.numbers, self.plan.scale, self.quotes.most_output)
        balance = await self.ledger.read(self.store.balance)
        if self.teller.watched or self.plan.enough is not None:
            result = await self._result_so_far()
            self._tell(result)
            if self.plan.enough is not None and seen.scored.any():
                self.looks += 1
                interim = Interim(
                    result=result,
                    look=self.looks,
                    may_ask=self.planner.askable(seen),
                    strategy=self.plan.strategy,
                )
                self.enough = await asyncio.to_thread(self.plan.enough, interim)
        return seen, balance

    async def _result_so_far(self, end: End | None = None, why: str | None = None) -> Result:
        books = await self.ledger.read(lambda: Books.read(self.store, self.reader.entries()))
        return await asyncio.to_thread(
            result_of,
            self.plan,
            self.quotes,
            self.numbers,
            books,
            end=end,
            end_reason=why,
            rounds=self.rounds,
            rejected=np.stack([one.rejected for one in self.panel], axis=1),
        )

    def _tell(self, result: Result) -> None:
        if self.teller.watched:
            self.teller.round_ended(
                result.balance,
                answered=int(result.answered.sum()),
                scored=int(result.scored.sum()),
                lost=sum(judge.presumed for judge in result.judges),
                predicted_error=result.estimate.norm_error() * result.scale.width,
                rounds=self.rounds,
            )

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
        if self.enough is not None:
            return End.ENOUGH
        if all(panellist.throttle.off is not None for panellist in self.panel):
            return End.JUDGES_OFF
        return None

    async def _round(
        self, batch: Allocation, seen: Seen, balance: Balance, lanes: Lanes
    ) -> End | None:
        """Make the calls of the batch; returns why the run ends, None if it goes on."""
        if self.rounds == 0:
            await self.ledger.read(lambda: freeze_prices(self.plan.judges, self.store))
            await self._note(NoteKind.BEGUN, "a run began to make calls")
        await self._share_limits()
        await self.leading.publish(batch, seen)
        self.rounds += 1
        known = self.planner.blocked.sum()
        outcome = await lanes.carry_out(
            batch,
            seen,
            remaining=balance.remaining,
            ask_again=self.plan.ask_again,
            wait_for_all=not self.planner.replans,
        )
        await self._switch_off_who_takes_nothing()
        learned = bool(self.planner.blocked.sum() > known)
        if outcome.sent or learned or self.stop.requested:
            return self._reason_to_end()
        if lanes.busy.any():
            await lanes.until_some_end()
            return None
        return await self._stuck(outcome, seen)

    async def _stuck(self, outcome: RoundOutcome, seen: Seen) -> End | None:
        """Why the run ends after a round that could send nothing; None if it goes on."""
        if outcome.taken:
            now, _ = await self._look()
            if now.evidence.calls.sum() > seen.evidence.calls.sum():
                return None  # meanwhile other processes made the calls
        if await self._others_were_busy():
            return None
        return End.BUDGET if outcome.unaffordable else End.DONE

    async def _switch_off_who_takes_nothing(self) -> None:
        """Switch off judges that rejected every item.

        The throttle misses them if there are few items, or answers between the rejections.
        """
        for one in self.panel:
            if one.throttle.off is None and one.rejected.all():
                one.throttle.off = "would take none of the items"
                one.note_if_off(self.ledger)
        await self.ledger.flush()

    async def _others_were_busy(self) -> bool:
        """Wait for calls that other processes have under way; returns whether there were any."""
        found = await self.ledger.read(self.store.presume_dead)
        waited = found > 0
        while await self.ledger.read(self.store.reserved_elsewhere) and not self.stop.requested:
            waited = True
            await self.stop.sleep(_LOOK_AGAIN)
            await self.ledger.read(self.store.presume_dead)
        return waited

    def _end_without_calls(self, seen: Seen, balance: Balance) -> End:
        """Why the run ends when the strategy asks for nothing."""
        too_dear = (
            self.planner.askable(seen).any() and not self.planner.affordable(seen, balance).any()
        )
        return End.BUDGET if too_dear else End.DONE

    async def _note(self, kind: NoteKind, text: str) -> None:
        if self.noted:
            run = self.numbers.identity
            await self.ledger.read(lambda: self.store.note(None, text, kind=kind, run=run))

    async def result(self, end: End) -> Result:
        """The result of the run, which ended for this reason; also notes the end in the ledger."""
        why = self.enough if end is End.ENOUGH and self.enough else end.value
        if self.leading.leads:
            await self._note(NoteKind.ENDED, f"{end.name}: {why}")
            await self.leading.end()
        result = await self._result_so_far(end, why)
        self._tell(result)
        return result
