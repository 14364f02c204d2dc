"""Moments of scores stored in one array, pair after pair."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray

SCORES_PER_BLOCK = 1 << 16
"""Scores per block, few enough for the processor's cache."""


def blocks(calls: IntArray, *, size: int = SCORES_PER_BLOCK) -> Iterator[slice]:
    """Slices of consecutive pairs with at most `size` scores in total, or of one larger pair."""
    ends = np.cumsum(calls)
    start, done = 0, 0
    while start < calls.size:
        stop = max(start + 1, int(np.searchsorted(ends, done + size, side="right")))
        yield slice(start, stop)
        start, done = stop, int(ends[stop - 1])


def mean_and_m2(scores: FloatArray, calls: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean and sum of squared deviations of each pair's scores (at least one); both (P,)."""
    starts = np.cumsum(calls) - calls
    mean = np.add.reduceat(scores, starts) / calls
    # Two passes avoid the cancellation of summing squared scores.
    deviation = scores - np.repeat(mean, calls)
    return mean, np.add.reduceat(np.square(deviation, out=deviation), starts)
