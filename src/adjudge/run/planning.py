"""Planning in a live run: asks the strategy which calls to make with the remaining money."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Sequence

import numpy as np

from adjudge.core.arrays import BoolArray
from adjudge.core.evidence import Allocation
from adjudge.core.problem import Problem
from adjudge.errors import BudgetError
from adjudge.run.askable import batch_for
from adjudge.run.books import problem_of
from adjudge.run.panel import Panellist
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.round import Lanes
from adjudge.run.seen import Seen
from adjudge.run.stragglers import is_straggler
from adjudge.store import Balance

_FIRST_STAGE = 30.0
"""First stage of the budget if a run may end early, in calls of average price per item."""
_FIRST_STAGE_AT_ONCE = 5.0
"""The same for a strategy that plans its whole budget in one round."""


class Planner:
    """Asks the plan's strategy for the next calls that can be made."""

    def __init__(
        self, plan: Plan, quotes: Quotes, panel: Sequence[Panellist], rng: np.random.Generator
    ) -> None:
        self._plan = plan
        self._quotes = quotes
        self._panel = panel
        self._rng = rng
        self._stage = 1
        self._began: tuple[float, int] | None = None
        """Time of the first plan, and the money spent before it."""

    @property
    def replans(self) -> bool:
        """Whether the strategy plans around slow judges; if not, each round waits for all."""
        return getattr(self._plan.strategy, "replans", False)

    @property
    def blocked(self) -> BoolArray:
        """Pairs rejected by the judge, or whose judge is switched off; shape (K, J)."""
        columns = [
            np.ones_like(one.rejected) if one.throttle.off is not None else one.rejected
            for one in self._panel
        ]
        return np.stack(columns, axis=1)

    def askable(self, seen: Seen) -> BoolArray:
        """The pairs that can still be asked, if there is money; shape (K, J).

        A pair is given up after `ask_again` repeats without a score, or after as many exceptions
        of the judge function as it has attempts. A deterministic judge is asked once per item.
        """
        silent = seen.answered > self._plan.ask_again
        failing = seen.raised >= self._plan.patience.attempts
        given_up = (seen.scored == 0) & (silent | failing)
        known = (seen.scored > 0) & np.array([one.asked_once for one in self._panel])
        pairs: BoolArray = ~self.blocked & ~given_up & ~known
        return pairs

    def affordable(self, seen: Seen, balance: Balance) -> BoolArray:
        """The askable pairs whose worst case fits the remaining money; shape (K, J)."""
        pairs: BoolArray = self.askable(seen) & (self._quotes.most <= balance.remaining)
        return pairs

    async def batch(self, seen: Seen, balance: Balance, lanes: Lanes) -> Allocation:
        """The next calls of judges that have none under way.

        Late judges are left out while the others have calls to make. The plan is made in a thread,
        so that the event loop keeps handling answers and signals.
        """
        if self._began is None:
            self._began = time.monotonic(), balance.spent
        problem = problem_of(self._plan, self._quotes, seen)
        may_ask = self.affordable(seen, balance)
        free = ~lanes.busy
        in_time = free & ~self._late(lanes, balance)
        for judges in [in_time] if (in_time == free).all() else [in_time, free]:
            pairs = may_ask & judges
            if pairs.any():
                money = self._shown(seen, balance)
                more = money < balance.remaining
                batch = await asyncio.to_thread(self._planned, problem, seen, money, pairs, more)
                if batch:
                    return batch
        return Allocation.nothing(problem)

    @property
    def _staged(self) -> bool:
        """Whether the strategy sees a large budget in stages."""
        whole = getattr(self._plan.strategy, "whole_budget", False)
        return self._plan.enough is not None and not whole

    def show_more(self, seen: Seen, balance: Balance) -> bool:
        """Double the stage; returns whether some money was still hidden from the strategy."""
        more = self._shown(seen, balance) < balance.remaining
        self._stage *= 2
        return more

    def _shown(self, seen: Seen, balance: Balance) -> float:
        """The remaining money as the strategy sees it.

        A strategy's rounds are shares of the money. If the run may end early, a large budget is
        therefore shown in stages, each twice the last, so that the run ends soon after it knows
        enough.
        """
        remaining = float(balance.remaining)
        if not self._staged:
            return remaining
        calls = _FIRST_STAGE if self.replans else _FIRST_STAGE_AT_ONCE
        first = calls * float(self._quotes.expected(seen).mean(axis=1).sum())
        return min(remaining, max(self._stage * first - float(seen.spent.sum()), 0.0))

    def _planned(
        self, problem: Problem, seen: Seen, money: float, may_ask: BoolArray, more: bool
    ) -> Allocation:
        """The strategy's next calls; `more`: whether some money is hidden from the strategy."""
        strategy = self._plan.strategy
        try:
            return batch_for(strategy, problem, seen.evidence, money, self._rng, may_ask=may_ask)
        except BudgetError:
            # At real prices the money is too little for the strategy. Before the first call, tell
            # the user; later, end the run and keep the answers already paid for.
            if not seen.evidence.calls.any() and not more:
                raise
            return Allocation.nothing(problem)

    def _late(self, lanes: Lanes, balance: Balance) -> BoolArray:
        """Judges too slow to answer before the others have spent all the money; shape (J,).

        Paused judges count as late too.
        """
        if not self.replans or self._began is None:
            return np.zeros(len(self._panel), bool)
        now, beats = time.monotonic(), lanes.beats()
        began, before = self._began
        spent = balance.spent - before
        left = math.inf if spent <= 0 else balance.remaining * (now - began) / spent
        return np.array(
            [
                one.throttle.paused(now) or (is_straggler(beats, j) and beats[j].lag > left)
                for j, one in enumerate(self._panel)
            ]
        )
