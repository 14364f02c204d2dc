"""The outcome of one call of a judge in a probe."""

from __future__ import annotations

import time
from dataclasses import dataclass

from adjudge.judges import Judge, Limits, Prices, Quote, form_of
from adjudge.records import Item, Money, Outcome, Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The one call to a judge in a probe."""

    judge: str
    item: str | None = None
    """The item of the call; None if there was no call."""
    outcome: Outcome | None = None
    charged: Money = 0
    """The cost; the worst case if the cost is unknown."""
    seconds: float = 0.0
    form: str = "none"
    """The answer format that the judge is asked for."""


class ProbedJudge:
    """A wrapper that keeps its judge's call; see `Judge`."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self.form = form_of(judge)
        """The judge's own."""
        self.found = Probe(judge=judge.name)

    @property
    def name(self) -> str:
        """The judge's own."""
        return self._judge.name

    @property
    def identity(self) -> str:
        """The judge's own, so that its answers count for the plan."""
        return self._judge.identity

    @property
    def reads(self) -> frozenset[str] | None:
        """The judge's own."""
        return self._judge.reads

    @property
    def limits(self) -> Limits:
        """The judge's own."""
        return self._judge.limits

    @property
    def prices(self) -> Prices | None:
        """The judge's own; None if it has only a price per call."""
        return getattr(self._judge, "prices", None)

    def quote(self, item: Item) -> Quote:
        """The judge's own."""
        return self._judge.quote(item)

    def preview(self, item: Item) -> str:
        """The judge's own."""
        return self._judge.preview(item)

    async def open(self, *, salt: bytes = b"") -> None:
        """Open the judge."""
        await self._judge.open(salt=salt)

    async def score(self, item: Item) -> Outcome:
        """Ask the judge, and keep the outcome."""
        started = time.monotonic()
        outcome = await self._judge.score(item)
        known = None if isinstance(outcome, Refused) else outcome.cost
        self.found = Probe(
            judge=self.name,
            item=item.id,
            outcome=outcome,
            charged=self._charged(outcome, item) if known is None else known.total,
            seconds=time.monotonic() - started,
            form=self.form,
        )
        return outcome

    async def close(self) -> None:
        """Close the judge."""
        await self._judge.close()

    def _charged(self, outcome: Outcome, item: Item) -> Money:
        return 0 if isinstance(outcome, Refused) else self._judge.quote(item).most.total
