"""What budgets would buy, for `adjudge plan`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from adjudge.cli.project import Project
from adjudge.core.forecasts import Forecast
from adjudge.core.strategies import Foreseen, Panel
from adjudge.errors import BudgetError, InputError
from adjudge.gates import Kind, check_gate_of, parse_gate
from adjudge.records import NANO, Money, about, dollars
from adjudge.report.numbers import count_text
from adjudge.run import Result
from adjudge.run.enough import ENOUGH_SCORES, GAIN


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Forecasts for the strategy of a run file, in nano-dollars and fractions of the scale."""

    project: Project
    result: Result
    forecasts: Sequence[Forecast]
    refused: Sequence[Money]
    """Budgets that the strategy refuses."""
    least: float | None
    """The smallest budget that it accepts; None if it refused none."""
    elsewhere: Money
    """Spent through the ledger on calls that do not count for this run."""
    enough: Money | None
    """The first of the budgets at which a run ends because doubling it would hardly help."""
    wanted: float | None
    needed: float | None
    """Nano-dollars for the wanted width, at least those spent; None if there is none, or it is out
    of reach."""

    @classmethod
    def of(
        cls, project: Project, result: Result, budgets: Sequence[int], width: float | None
    ) -> Outlook:
        """Forecasts for these total budgets, and the price of `width`, on the user's scale."""
        widest = result.scale.width
        if width is not None and not 0 < width <= widest:
            expected = f"a width is above 0 and at most {widest:g}, as wide as the scale"
            raise InputError("--width", f"{width:g}", expected)
        foreseen = Foreseen.of(
            strategy=project.plan.strategy,
            problem=result.problem,
            evidence=result.evidence,
            new_rng=lambda: np.random.default_rng(project.file.seed),
        )
        elsewhere = max(result.balance.spent - int(result.spent.sum()), 0)
        found, refused, least = [], [], None
        for budget in sorted(set(budgets)):
            try:
                forecast = foreseen.at(max(budget - elsewhere, 0))
            except BudgetError as error:
                refused.append(budget)
                least = error.needed + elsewhere
            else:
                found.append(replace(forecast, budget=budget))
        needed = None if width is None else foreseen.budget_for(width / widest)
        if needed is not None:
            reached = needed <= result.evidence.cost(result.problem)
            needed = result.balance.spent if reached else needed + elsewhere
        return cls(
            project=project,
            result=result,
            forecasts=found,
            refused=refused,
            least=least,
            elsewhere=elsewhere,
            enough=_enough(foreseen, found, elsewhere),
            wanted=width,
            needed=needed,
        )

    @property
    def _rows(self) -> list[tuple[int, int, float, float]]:
        """Budget, calls, mean width and error of an item, on the user's scale."""
        scale, items = self.result.scale.width, self.result.problem.items
        norm = self.result.problem.norm
        share = 1.0 if math.isinf(norm) else items ** (-1 / norm)
        return [
            (int(f.budget), f.calls, scale * f.mean_width, scale * share * f.norm_error)
            for f in self.forecasts
        ]

    @property
    def table(self) -> Table:
        """A row for each budget."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for title in ("budget", "calls", "calls per item", "interval width", "error of an item"):
            table.add_column(title, justify="right")
        items = self.result.problem.items
        for budget, calls, width, error in self._rows:
            table.add_row(
                dollars(budget),
                f"{calls:,}",
                f"{calls / items:.1f}",
                f"{width:.3g}",
                f"{error:.3g}",
            )
        return table

    def sentences(self) -> Iterator[str]:
        """The basis of the forecasts, and when a run would end before its money is spent."""
        yield self._basis
        if not isinstance(self.project.plan.strategy, Panel):
            yield (
                f"Forecast for the strategy {self._strategy}, carried out on judges as they are "
                "known so far."
            )
        if self.refused and self.least is not None:
            yield (
                f"{self._strategy} refuses {', '.join(dollars(b) for b in self.refused)}: it needs "
                f"at least {dollars(math.ceil(self.least))}."
            )
        if self.elsewhere:
            yield (
                f"{dollars(self.elsewhere)} of every budget is spent already, on calls that do not "
                "count for this run."
            )
        yield from self._early_ends()
        if self.wanted is not None:
            yield self._price_of_width

    @property
    def _strategy(self) -> str:
        return self.project.file.strategy_name

    @property
    def _basis(self) -> str:
        level = f"{self.result.problem.confidence:.0%}"
        whose = " of what people say" if self.result.anchored else ""
        calls = int(self.result.evidence.calls.sum())
        if not calls:
            return (
                f"A guess, before the first call; {level} intervals{whose}. A few calls make it "
                "better."
            )
        spent = self.result.balance.spent - self.elsewhere
        return f"After {count_text(calls, 'call')} for {dollars(spent)}; {level} intervals{whose}."

    def _early_ends(self) -> Iterator[str]:
        for text, reached in self._until():
            if reached == self.result.balance.spent and self.result.scored.any():
                yield f"`until: {text}` holds already: a run would end without another call."
            elif reached is not None:
                yield f"`until: {text}` would hold at {dollars(reached)}: the run would end there."
            elif parse_gate(text, of="until").first.kind is Kind.WIDTH:
                yield f"`until: {text}` would hold at none of these budgets."
            else:
                yield (
                    f"When `until: {text}` would hold cannot be forecast: it depends on the scores."
                )
        if self.enough is not None and not self.project.file.spend_all:
            yield (
                f"From {dollars(self.enough)} on, twice the money would narrow the intervals by "
                f"less than {GAIN:.0%} of the scale: a run without gates then ends (unless the run "
                "file says `spend: all`)."
            )

    def _until(self) -> Iterator[tuple[str, Money | None]]:
        """Each gate that ends the run, and the first of the budgets at which it would hold.

        That is what was spent where it holds already.
        """
        plan, spent = self.project.plan, self.result.balance.spent
        reached_now = float(self.result.interval().width.mean())
        for text in self.project.file.until:
            gate = parse_gate(text, of="until")
            check_gate_of(gate, plan)
            rows = [(spent, reached_now)] if self.result.scored.any() else []
            rows += [(budget, width) for budget, _, width, _ in self._rows]
            reached = (budget for budget, width in rows if gate.holds(width))
            yield text, next(reached, None) if gate.first.kind is Kind.WIDTH else None

    @property
    def _price_of_width(self) -> str:
        if self.needed is None:
            return f"Intervals of {self.wanted:g} are out of reach of any sensible budget."
        more = self.needed - self.result.balance.spent
        if more <= 0:
            return f"Intervals of {self.wanted:g} are reached already."
        return (
            f"Intervals of {self.wanted:g} need about {about(math.ceil(self.needed))} in all,"
            f" {about(math.ceil(more))} more than was spent."
        )

    @property
    def plain(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "strategy": self._strategy,
            "target": "people" if self.result.anchored else "panel",
            "calls_so_far": int(self.result.evidence.calls.sum()),
            "spent": self.result.balance.spent / NANO,
            "confidence": self.result.problem.confidence,
            "budgets": [
                {"budget": budget / NANO, "calls": calls, "mean_width": width, "error": error}
                for budget, calls, width, error in self._rows
            ],
            "refused": [budget / NANO for budget in self.refused],
            "until": [
                {"gate": text, "budget": None if reached is None else reached / NANO}
                for text, reached in self._until()
            ],
            "width": self.wanted,
            "budget_for_width": None if self.needed is None else self.needed / NANO,
        }


def _enough(foreseen: Foreseen, forecasts: Sequence[Forecast], elsewhere: Money) -> Money | None:
    if getattr(foreseen.strategy, "whole_budget", False):
        return None
    spent = elsewhere + foreseen.evidence.cost(foreseen.problem)
    for one in forecasts:
        if one.budget < spent:  # its forecast is the present state, and so may be that of twice it
            continue
        twice = foreseen.at(2 * (one.budget - elsewhere))
        gain = (one.mean_width - twice.mean_width) / foreseen.problem.score_width
        if one.calls >= ENOUGH_SCORES * foreseen.problem.items and gain < GAIN:
            return int(one.budget)
    return None
