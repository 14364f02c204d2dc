"""How a sum is best divided between labels and calls."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.problem import Evidence, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """What a sum buys if so much of it goes to labels."""

    labels: int
    """Further labels."""
    label_money: float
    call_money: float
    item_error: float
    """Expected root mean squared error of an item's score, in units of the labels."""
    mean_error: float
    """Expected standard error of the mean of all items, in units of the labels."""
    best_for_items: bool
    best_for_mean: bool


def divide(
    problem: Problem, evidence: Evidence, money: float, label_price: float
) -> tuple[Division, ...]:
    """Divisions of further money, by the number of labels; problem.labels may be None."""
    raise NotImplementedError
