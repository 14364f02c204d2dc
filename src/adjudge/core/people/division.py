"""The best split of money between labels and calls."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import check_budget
from adjudge.core.evidence import Evidence
from adjudge.core.people.calls import BIAS, PlannedCalls
from adjudge.core.problem import Problem
from adjudge.errors import InputError

_STEPS = 12
"""Number of splits to try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """One split of the money, with its expected errors."""

    labels: int
    """Number of further labels."""
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
    r"""Splits of further money between labels and calls, one per number of further labels.

    With n of K items labelled and :math:`\bar v` the prediction variance of labels after the
    planned calls, an item has the mean squared error :math:`(1 - n/K)\,\bar v\,(1 + 2/n)`, and the
    mean of all items has this divided by n. Without labels the bias of the panel is unknown: its
    prior variance is added to both. With labels, neither error is larger than that. Before the
    first label, people are modelled as one more judge like the others; `problem.labels` may be
    None.
    """
    check_budget(money)
    if not label_price > 0:
        raise InputError("label price", f"{label_price}", "a label must cost something")
    labels = problem.labels
    before = 0 if labels is None else labels.labelled.size
    width = problem.score_width if labels is None else labels.width
    most = min(int(money / label_price * (1 + 1e-9)), problem.items - before)
    calls = PlannedCalls.of(problem, evidence)
    found = []
    for number in _numbers(most):
        spent = number * label_price
        left = max(money - spent, 0.0)
        item, mean = _errors(float(calls.left_open(left)[0].mean()), before + number, problem.items)
        found.append((number, spent, left, width * item, width * mean))
    items, means = [row[3] for row in found], [row[4] for row in found]
    return tuple(
        Division(
            labels=number,
            label_money=spent,
            call_money=left,
            item_error=item,
            mean_error=mean,
            best_for_items=item == min(items),
            best_for_mean=mean == min(means),
        )
        for number, spent, left, item, mean in found
    )


def _numbers(most: int) -> list[int]:
    """Numbers of labels to try: 0, and a geometric grid from 1 to `most`."""
    grid = np.geomspace(1, max(most, 1), _STEPS).round().astype(np.int64)
    return [0, *np.unique(grid).tolist()] if most else [0]


def _errors(variance: float, labels: int, items: int) -> tuple[float, float]:
    """Root mean squared error of an item, and standard error of the mean; scale 0 to 1."""
    if labels < 1:
        return math.sqrt(variance + BIAS**2), math.sqrt(variance / items + BIAS**2)
    doubt = float(PlannedCalls.doubt(np.array(variance), labels))
    open_share = 1 - labels / items
    item = open_share * (variance + doubt)
    mean = open_share * min((variance + doubt) / labels, BIAS**2 + variance / items)
    return math.sqrt(item), math.sqrt(mean)
