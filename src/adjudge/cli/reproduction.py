"""Runs of studies with a progress bar, and their figures and findings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from adjudge.cli.screen import Screen, say
from adjudge.studies import Checkpoint, Outcome, Study, findings, run_studies
from adjudge.studies.checkpoint import unwritable
from adjudge.studies.points import Unit

_INTERRUPTED = 130
"""Exit code of shells for Ctrl-C (128 + SIGINT)."""


def reproduce(studies: Sequence[Study], runs: int, jobs: int, directory: Path) -> None:
    """Do the missing runs, then write figures, points and findings.

    `jobs=0` uses every core. An interrupt prints how to continue.
    """
    units: dict[str, list[Unit]] = {study.name: [] for study in studies}
    try:
        _collect(units, studies, runs, os.cpu_count() or 1 if jobs == 0 else jobs, directory)
        outcomes = [Outcome.of(study, units[study.name]) for study in studies]
        for path in _written(outcomes, directory):
            say(path)
    except KeyboardInterrupt:
        # Count the runs on disk: the interrupt may have come after one was saved but not counted.
        kept = [Checkpoint.of(study, directory).finished(range(runs)) for study in studies]
        done = sum(len(own) for own in kept)
        say(
            f"adjudge: interrupted after {done} of {runs * len(studies)} runs, which are kept in "
            f"{directory}; the same command goes on from there",
            err=True,
        )
        raise typer.Exit(_INTERRUPTED) from None


def _collect(
    units: dict[str, list[Unit]], studies: Sequence[Study], runs: int, jobs: int, directory: Path
) -> None:
    """Fill in the runs of each study, with a progress bar."""
    console = Screen(err=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("runs", total=runs * len(studies))
        for finished in run_studies(studies, runs=runs, directory=directory, jobs=jobs):
            units[finished.study].append(finished.unit)
            if finished.kept_before:
                # Runs done earlier must not count towards the remaining time.
                bar.reset(task, completed=sum(len(own) for own in units.values()))
            else:
                bar.advance(task)


def _written(outcomes: Sequence[Outcome], directory: Path) -> list[Path]:
    """Write all files and return their paths; `findings.md` is the last."""
    # Imported here because the drawing library takes as long to load as the rest of the program.
    from adjudge.report.figures import draw, save  # noqa: PLC0415

    paths: list[Path] = []
    for outcome in outcomes:
        for picture in outcome.pictures():
            paths += save(draw(picture), directory, picture.name)
        name = outcome.study.name
        paths.append(_text(directory / f"{name}.csv", outcome.csv()))
        paths.append(_text(directory / f"{name}.json", outcome.json()))
    return [*paths, _text(directory / "findings.md", findings(outcomes))]


def _text(path: Path, content: str) -> Path:
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise unwritable(path, error) from error
    return path
