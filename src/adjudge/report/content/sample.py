"""Which items a report shows if there are too many to show all."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

MOST_ITEMS = 2_000
_EXTREME = 0.15
"""Share of the sample for the highest scores, and the same share for the lowest."""
_WIDEST = 0.2
"""Share of the sample for the widest intervals."""


def sampled(
    score: FloatArray, width: FloatArray, *, rng: np.random.Generator, most: int = MOST_ITEMS
) -> IntArray:
    """Indices of the items to show, in increasing order: all, or at most `most`.

    If there are more, takes the highest and lowest scores, the widest intervals, and a random
    sample of the rest.
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
    """Indices of items by score, lowest first; at most `most`, evenly chosen."""
    order = np.argsort(score, kind="stable")
    if order.size <= most:
        return order
    return order[np.linspace(0, order.size - 1, most).round().astype(np.int64)]
