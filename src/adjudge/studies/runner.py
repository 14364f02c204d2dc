"""Every run of several experiments, on every core; what is done is kept at once."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import InputError, SimulationError
from adjudge.studies.checkpoint import Checkpoint
from adjudge.studies.points import Unit
from adjudge.studies.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """One run of one study."""

    study: str
    unit: Unit
    kept_before: bool
    """Whether it was found on disk instead of being done now."""


def run_studies(
    studies: Sequence[Study], *, runs: int, directory: Path, jobs: int = 1
) -> Iterator[Finished]:
    """All runs as they come: first those that are on disk, then the missing ones.

    Interrupting the iteration stops the work; what came before is kept.
    """
    if runs < 1:
        raise InputError("runs", str(runs), "give at least 1")
    if jobs < 1:
        raise InputError("jobs", str(jobs), "give at least 1")
    missing: list[tuple[int, int]] = []
    checkpoints = [Checkpoint.of(study, directory) for study in studies]
    for place, (study, checkpoint) in enumerate(zip(studies, checkpoints, strict=True)):
        found = checkpoint.finished(range(runs))
        for run in range(runs):
            if run in found:
                yield Finished(study=study.name, unit=found[run], kept_before=True)
            else:
                missing.append((place, run))
    # Runs of all studies in turn: what is slow and what is fast are then spread over the time,
    # and so the time left is foreseen better.
    missing.sort(key=lambda cell: (cell[1], cell[0]))
    for place, unit in _units(studies, missing, jobs):
        checkpoints[place].add(unit)
        yield Finished(study=studies[place].name, unit=unit, kept_before=False)


def _units(
    studies: Sequence[Study], cells: Sequence[tuple[int, int]], jobs: int
) -> Iterator[tuple[int, Unit]]:
    """The unit of each (place of the study, run), in the order in which they are done."""
    jobs = min(jobs, len(cells))
    if jobs <= 1:
        for place, run in cells:
            yield place, studies[place].unit(run)
        return
    # Forking would copy the threads of the table reader in an unknown state.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin, initargs=(studies,))
    done = False
    try:
        futures: list[Future[tuple[int, Unit]]] = [pool.submit(_unit, cell) for cell in cells]
        for future in as_completed(futures):
            yield future.result()
        done = True
    except BrokenProcessPool as error:
        raise SimulationError(
            "a worker process ended before its run was done, as for want of memory; "
            "the same command goes on from what is kept, with fewer --jobs if need be"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if not done:
            # A run takes seconds; nobody who has interrupted waits for its end.
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()


_studies: Sequence[Study]


def _begin(studies: Sequence[Study]) -> None:
    """Set up a worker: the studies, with their recorded scores, are sent once."""
    global _studies  # noqa: PLW0603
    # The parent process decides what an interrupt means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    _studies = studies


def _end_with_the_parent() -> None:
    """End this worker when the program that it works for was killed: it would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _unit(cell: tuple[int, int]) -> tuple[int, Unit]:
    place, run = cell
    return place, _studies[place].unit(run)
