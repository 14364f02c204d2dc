"""One curve compared with another: from which budget on it is below, and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.studies.curves import Curve, Ratio, ratio
from adjudge.studies.names import money

SURE = 3.0
"""Standard errors for significance: with two, 1 of 20 budgets would be a false positive."""
ON_PAR = 0.02
"""Ratios of mean errors closer to 1 than this count as equal."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """Errors of one curve divided by another's in the same runs, for each budget."""

    ratio: Ratio

    @classmethod
    def of(cls, curve: Curve | None, reference: Curve | None) -> Comparison | None:
        """The comparison, or None if the two share no budget."""
        if curve is None or reference is None:
            return None
        over = ratio(curve, reference)
        return cls(ratio=over) if over.budget.size else None

    @property
    def first_budget(self) -> float:
        """The smallest budget that both accept."""
        return float(self.ratio.budget[0])

    @property
    def last_budget(self) -> float:
        """The largest budget that both accept."""
        return float(self.ratio.budget[-1])

    @property
    def first(self) -> str:
        """The ratio at the smallest shared budget, with its standard error."""
        return with_error(self.ratio.value[0], self.ratio.error[0])

    @property
    def last(self) -> str:
        """The ratio at the largest shared budget, with its standard error."""
        return with_error(self.ratio.value[-1], self.ratio.error[-1])

    @property
    def below_from(self) -> float | None:
        """The budget from which the curve stays significantly below; None if it does not."""
        return _suffix(self.ratio, self.ratio.below >= SURE)

    @property
    def below_everywhere(self) -> bool:
        """Whether the curve is significantly below at every shared budget."""
        return self.below_from == self.first_budget

    @property
    def surely_above(self) -> list[float]:
        """Budgets at which the curve is significantly above, and by more than `ON_PAR`."""
        above = (self.ratio.below <= -SURE) & (self.ratio.value > 1 + ON_PAR)
        return [float(budget) for budget in self.ratio.budget[above]]

    @property
    def is_above_at_last(self) -> bool:
        """Whether the curve is significantly above at the largest budget."""
        return self.last_budget in self.surely_above

    @property
    def has_come_nearer(self) -> bool:
        """Whether the last ratio is significantly below the first."""
        value, error = self.ratio.value, np.nan_to_num(self.ratio.error)
        both = math.hypot(error[0], error[-1])
        return bool(value[0] - value[-1] > SURE * both)

    def within(self, share: float) -> bool:
        """Whether the last ratio is at most 1 + share."""
        return bool(self.ratio.value[-1] <= 1 + share)

    def surely_beyond(self, share: float) -> bool:
        """Whether the last ratio is significantly above 1 + share."""
        error = float(np.nan_to_num(self.ratio.error[-1]))
        return bool(self.ratio.value[-1] - SURE * error > 1 + share)


def with_error(value: float, error: float) -> str:
    """A ratio and its standard error, as 1.03 ± 0.01; more digits near 0."""
    if math.isnan(value):
        return "not defined (the other's error is zero)"
    digits = 3 if abs(value) < 0.1 else 2
    if math.isnan(error):
        return f"{value:.{digits}f}"
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def where_below(name: str, other: str, comparison: Comparison | None) -> str:
    """A sentence on the budget from which one strategy is below another."""
    if comparison is None:
        return f"{name} and {other} share no budget, so that nothing can be said."
    ends = f"at {money(comparison.last_budget)} its error is {comparison.last} times {other}'s"
    if comparison.below_everywhere:
        return (
            f"{name} is below {other} at every budget that both accept, from "
            f"{money(comparison.first_budget)} on; {ends}."
        )
    if comparison.below_from is not None:
        return (
            f"{name} is below {other} from budget {money(comparison.below_from)} on, but not yet "
            f"at {money(comparison.first_budget)}, where the ratio is {comparison.first}; {ends}."
        )
    if comparison.is_above_at_last:
        return f"{name} is not below {other}: {ends}."
    return f"{name} cannot be told from {other} at the largest budget: {ends}."


def verdict_below(comparisons: list[Comparison | None]) -> str:
    """The joint verdict of all comparisons: holds, holds from a budget on, or does not hold."""
    known = [comparison for comparison in comparisons if comparison is not None]
    if not known:
        return "not tested"
    lost = sum(comparison.is_above_at_last for comparison in known)
    if lost:
        return "does not hold" + f" in {lost} of {len(known)} comparisons" * (lost < len(known))
    reached = [known_from for one in known if (known_from := one.below_from) is not None]
    if len(reached) < len(known):
        return f"cannot be told in {len(known) - len(reached)} of {len(known)} comparisons"
    if all(comparison.below_everywhere for comparison in known):
        return "holds"
    return f"holds from budget {money(max(reached))} on"


def _suffix(over: Ratio, true: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> float | None:
    """The budget from which the claim is true for all larger ones; None if there is none."""
    if not true[-1]:
        return None
    wrong = np.flatnonzero(~true)
    first = 0 if wrong.size == 0 else int(wrong[-1]) + 1
    return float(over.budget[first])
