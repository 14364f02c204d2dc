"""Moments of scores that stand in a row, each pair's after the other's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

SCORES_PER_BLOCK = 1 << 16
"""Scores in memory at once, so that they stay in the processor's cache."""


def blocks(calls: IntArray, *, size: int = SCORES_PER_BLOCK) -> Iterator[slice]:
    """Consecutive pairs with at most `size` scores together; one pair if it alone has more."""
    ends = np.cumsum(calls)
    start, done = 0, 0
    while start < calls.size:
        stop = max(start + 1, int(np.searchsorted(ends, done + size, side="right")))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


def mean_and_m2(scores: FloatArray, calls: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squared deviations of each pair's scores, one or more; both (P,)."""
    starts = np.cumsum(calls) - calls
    mean = np.add.reduceat(scores, starts) / calls
    # Two passes: squares of deviations do not cancel, squares of scores would.
    deviation = scores - np.repeat(mean, calls)
    return mean, np.add.reduceat(np.square(deviation, out=deviation), starts)
