"""What a run would send and what it could cost, without calling anyone."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.records import Money
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One prompt, as it would be sent."""

    judge: str
    item: str
    text: str
    most: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrice:
    """What one judge's calls cost, before any was made."""

    judge: str
    cheapest: Money
    """Worst case of the cheapest call."""
    dearest: Money
    """Worst case of the dearest call."""
    most: Money
    """Worst case of one call about every item."""
    likely: Money
    """First guess at one call about every item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """Prompts and prices."""

    previews: tuple[Preview, ...]
    prices: tuple[JudgePrice, ...]

    @property
    def most(self) -> Money:
        """Worst case of one call of every pair."""
        return sum(price.most for price in self.prices)


def dry_run(plan: Plan, *, items: int = 1) -> DryRun:
    """Every judge's price, and its prompts for the first items; every prompt is rendered once."""
    quotes = Quotes.of(plan)
    most, likely = quotes.most, quotes.likely_input + quotes.likely_output
    previews = [
        Preview(judge=judge.name, item=item.id, text=judge.preview(item), most=int(most[k, j]))
        for j, judge in enumerate(plan.judges)
        for k, item in enumerate(plan.items[:items])
    ]
    prices = [
        JudgePrice(
            judge=judge.name,
            cheapest=int(most[:, j].min()),
            dearest=int(most[:, j].max()),
            most=int(most[:, j].sum()),
            likely=int(likely[:, j].sum()),
        )
        for j, judge in enumerate(plan.judges)
    ]
    return DryRun(previews=tuple(previews), prices=tuple(prices))
