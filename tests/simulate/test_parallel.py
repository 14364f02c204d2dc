"""Promises of work on every core: it ends with whoever waits for it, and minds no interrupt."""

from __future__ import annotations

import operator
import signal
import threading
from collections.abc import Callable
from typing import Any

from adjudge.simulate import in_parallel


class InterruptedWhileLoading:
    """Interrupts the worker that it is sent to before that has begun, and becomes None there."""

    def __reduce__(self) -> tuple[Callable[[int], None], tuple[Any, ...]]:
        return signal.raise_signal, (signal.SIGINT,)


def test_an_interrupt_of_workers_that_are_still_loading_leaves_them_at_work() -> None:
    done = in_parallel(operator.is_not, InterruptedWhileLoading(), range(5), jobs=2)
    assert list(done) == [True] * 5


def test_whoever_stops_waiting_leaves_no_thread_behind() -> None:
    before = set(threading.enumerate())
    for _ in in_parallel(operator.add, 1, range(100), jobs=2):
        assert set(threading.enumerate()) - before
        break
    assert not set(threading.enumerate()) - before


def test_interrupts_reach_the_program_again_once_its_workers_have_started() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    for _ in in_parallel(operator.add, 1, range(3), jobs=2):
        assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before
