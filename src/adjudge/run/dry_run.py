"""What a run would send and what it could cost, without a single call."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.records import Money
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """One prompt as a run would send it."""

    judge: str
    item: str
    text: str
    most: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrice:
    """What one judge's calls may cost, before the first call."""

    judge: str
    cheapest: Money
    """Worst case of the cheapest call."""
    dearest: Money
    """Worst case of the most expensive call."""
    most: Money
    """Worst case of one call about each item, in total."""
    likely: Money
    """First guess at the cost of one call about each item, in total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """Prompts and prices."""

    previews: tuple[Preview, ...]
    prices: tuple[JudgePrice, ...]

    @property
    def most(self) -> Money:
        """Worst case of one call per pair, in total."""
        return sum(price.most for price in self.prices)


def dry_run(plan: Plan, *, items: int = 1) -> DryRun:
    """Every judge's price, and its prompts for the first items.

    Renders every prompt once.
    """
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
