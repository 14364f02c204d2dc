"""A process pool that stops as soon as its caller stops iterating."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from adjudge.errors import SimulationError

Common = TypeVar("Common")
Cell = TypeVar("Cell")
Outcome = TypeVar("Outcome")

_AHEAD = 4
"""Cells queued per worker."""


def in_parallel(
    work: Callable[[Common, Cell], Outcome], common: Common, cells: Iterable[Cell], *, jobs: int
) -> Iterator[Outcome]:
    """`work(common, cell)` for every cell, in order of completion.

    `common` is sent to each worker once. Workers end when the iteration is interrupted or the
    program is killed.
    """
    cells = iter(cells)
    if jobs <= 1:
        for cell in cells:
            yield work(common, cell)
        return
    # Forking would copy polars' threads in an unknown state.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_begin, initargs=(work, common)
    )
    try:
        with _interrupts_held_back():
            waiting = {pool.submit(_do, cell) for cell in itertools.islice(cells, _AHEAD * jobs)}
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            waiting |= {pool.submit(_do, cell) for cell in itertools.islice(cells, len(done))}
            for future in done:
                yield future.result()
    except BrokenProcessPool as error:
        raise SimulationError(
            "a worker process died, perhaps for lack of memory; try again with fewer --jobs"
        ) from error
    except BaseException:
        # Do not wait for cells in progress once the caller has stopped.
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        # The pool's thread must end before the interpreter exits, which would otherwise wake it
        # through a pipe that may already be closing.
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block SIGINT in this thread and in the processes it starts meanwhile.

    The terminal sends SIGINT to workers too, and one still loading would print a traceback.
    """
    if sys.platform == "win32":  # no pthread_sigmask
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_task: tuple[Callable[[Any, Any], Any], Any]


def _begin(work: Callable[[Any, Any], Any], common: Any) -> None:
    """Set up a worker."""
    global _task  # noqa: PLW0603
    # The parent process handles interrupts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _task = (work, common)


def _end_with_the_parent() -> None:
    """Exit if the parent process was killed, instead of waiting forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(cell: Any) -> Any:
    work, common = _task
    return work(common, cell)
