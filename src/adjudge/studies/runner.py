"""Every run of several experiments, in parallel; each finished run is saved at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import InputError
from adjudge.simulate import in_parallel
from adjudge.studies.checkpoint import Checkpoint
from adjudge.studies.points import Unit
from adjudge.studies.study import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """One run of one study."""

    study: str
    unit: Unit
    kept_before: bool
    """Whether it was loaded from disk."""


def run_studies(
    studies: Sequence[Study], *, runs: int, directory: Path, jobs: int = 1
) -> Iterator[Finished]:
    """All runs as they finish: first those on disk, then the missing ones.

    Interrupting the iteration stops the work; finished runs stay on disk.
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
    # Alternating slow and fast studies makes the estimate of the remaining time better.
    missing.sort(key=lambda cell: (cell[1], cell[0]))
    for place, unit in in_parallel(_unit, studies, missing, jobs=min(jobs, len(missing))):
        checkpoints[place].add(unit)
        yield Finished(study=studies[place].name, unit=unit, kept_before=False)


def _unit(studies: Sequence[Study], cell: tuple[int, int]) -> tuple[int, Unit]:
    """The unit of (index of the study, run), with the index."""
    place, run = cell
    return place, studies[place].unit(run)
