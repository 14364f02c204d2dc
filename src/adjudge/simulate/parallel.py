"""A process pool whose work ends as soon as its caller stops waiting."""

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
    """`work(common, cell)` of every cell, as they are done; `common` is sent to each worker once.

    Interrupting the iteration, or killing the program, ends the workers too.
    """
    cells = iter(cells)
    if jobs <= 1:
        for cell in cells:
            yield work(common, cell)
        return
    # Forking would copy the threads of the table reader in an unknown state.
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
            "a worker process ended before its work was done, as for want of memory; "
            "try again with fewer --jobs"
        ) from error
    except BaseException:
        # A caller that stopped waiting must not wait for the cells under way either.
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        raise
    finally:
        # Its thread must be gone before the interpreter ends, which would wake it up once more
        # through a pipe that it may be closing at that moment.
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Block interrupts in this thread, and in the processes that it starts meanwhile.

    A terminal interrupts workers too, and one that is still loading would print where it was.
    """
    if sys.platform == "win32":  # which cannot hold them back
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
    # The parent process decides what an interrupt means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _task = (work, common)


def _end_with_the_parent() -> None:
    """End this worker if its parent was killed; it would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _do(cell: Any) -> Any:
    work, common = _task
    return work(common, cell)
