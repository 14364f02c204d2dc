"""Time and memory of a function; the best of several repetitions excludes disturbances."""

import time
import tracemalloc
from collections.abc import Callable


def seconds(work: Callable[[], object], *, repeats: int = 7) -> float:
    """Shortest time of one call."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def peak_bytes(work: Callable[[], object]) -> int:
    """Peak memory allocated during one call, including its result."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
