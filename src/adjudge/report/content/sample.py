"""Which items a report shows when there are too many to show all."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

MOST_ITEMS = 2_000
_EXTREME = 0.15
"""Share of the sample for the highest scores, and as much for the lowest."""
_WIDEST = 0.2
"""Share for the widest intervals."""


def sampled(
    score: FloatArray, width: FloatArray, *, rng: np.random.Generator, most: int = MOST_ITEMS
) -> IntArray:
    """Places of the items to show, in the order of the items: all, or at most `most`.

    Of many, those with the highest and the lowest scores, those with the widest intervals, and as
    the rest a random sample of the others.
    """
    items = score.size
    if items <= most:
        return np.arange(items)
    ends, wide = int(_EXTREME * most), int(_WIDEST * most)
    order = np.argsort(score, kind="stable")
    chosen = np.zeros(items, bool)
    chosen[order[:ends]] = chosen[order[items - ends :]] = True
    chosen[np.argsort(-width, kind="stable")[:wide]] = True
    others = np.flatnonzero(~chosen)
    rest = most - np.count_nonzero(chosen)
    chosen[rng.choice(others, size=rest, replace=False)] = True
    return np.flatnonzero(chosen)


def evenly(score: FloatArray, most: int) -> IntArray:
    """Places of items in the order of their scores, lowest first; at most `most`, evenly chosen."""
    order = np.argsort(score, kind="stable")
    if order.size <= most:
        return order
    return order[np.linspace(0, order.size - 1, most).round().astype(np.int64)]
