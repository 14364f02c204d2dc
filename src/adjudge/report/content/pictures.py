"""The data of a report's pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from adjudge.core.estimate import Interval
from adjudge.records import Item
from adjudge.report.content.sample import evenly
from adjudge.report.content.values import AllocationGrid, CurvePoint, Range, Spot
from adjudge.run import Moment, Result

_MOST_SPOTS = 150
_MOST_BINS, _MOST_SINGLE = 60, 120
"""Number of bins of items, and most items with a column each, without bins."""


def spots(items: Sequence[Item], result: Result, interval: Interval) -> tuple[Spot, ...]:
    """Scored items with their intervals, lowest first; evenly chosen if there are many."""
    scores = result.filled_scores
    scored = result.asked
    asked = np.flatnonzero(scored if scored.any() else ~scored)
    return tuple(
        Spot(
            id=items[k].id,
            group=items[k].group,
            score=float(scores[k]),
            interval=Range(low=float(interval.low[k]), high=float(interval.high[k])),
        )
        for k in asked[evenly(scores[asked], _MOST_SPOTS)].tolist()
    )


def allocation_grid(result: Result) -> AllocationGrid:
    """Calls per item and judge, with items in order of score; binned if there are many."""
    order = np.argsort(result.filled_scores, kind="stable")
    bins = np.array_split(order, order.size if order.size <= _MOST_SINGLE else _MOST_BINS)
    calls = result.evidence.calls
    grid = np.array([calls[members].mean(axis=0) for members in bins])
    return AllocationGrid(
        judges=tuple(judge.name for judge in result.judges),
        calls=tuple(tuple(row) for row in grid.T.tolist()),
        items_per_bin=order.size / len(bins),
    )


def curve(history: Sequence[Moment], *, items: int, norm: float) -> tuple[CurvePoint, ...]:
    """Predicted error and mean width by money spent, where known.

    Points before one call per item are left out: there, both values are guesses.
    """
    return tuple(
        CurvePoint(
            spent=moment.spent,
            calls=moment.calls,
            error=error_of_an_item(moment.norm_error, items=items, norm=norm),
            mean_width=moment.mean_width,
        )
        for moment in history
        if moment.spent > 0 and moment.calls >= items and math.isfinite(moment.norm_error)
    )


def error_of_an_item(norm_error: float, *, items: int, norm: float) -> float:
    """The norm of the errors as a mean per item; the largest error for an infinite norm."""
    return norm_error if norm == math.inf else float(norm_error / items ** (1 / norm))
