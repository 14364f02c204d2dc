"""`adjudge export`: what a run found, for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, BinaryIO

import polars as pl
import typer

from adjudge.cli.options import (
    RUN_FILE,
    ItemsOption,
    LimitOption,
    OutputOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.writing import written_whole
from adjudge.errors import InputError
from adjudge.report.frames import calls_frames, items_frame, judges_frame, no_calls
from adjudge.run import ledger_calls, standing


class What(StrEnum):
    """The tables that can be exported."""

    ITEMS = "items"
    CALLS = "calls"
    JUDGES = "judges"


class Format(StrEnum):
    """How a table is written."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"


def export_command(
    what: Annotated[What, typer.Argument(help="Scores by item, every call, or the judges.")],
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    output: OutputOption = None,
    as_format: Annotated[
        Format | None, typer.Option("--format", help="By the output's ending, or csv.")
    ] = None,
) -> None:
    """Write items with scores and intervals, calls with costs, or judges; nothing is spent.

    Example:
        adjudge export items -c run.yaml -o scores.parquet

    """
    chosen = as_format or _format_of(output)
    project = Project.read(config, items=items, limit=limit, settings=settings)
    if output is not None:
        project.check_writable(output)
    ledger = project.file.ledger
    frames: Iterable[pl.DataFrame]
    if what is What.CALLS:
        frames = calls_frames(ledger_calls(project.plan, ledger) if ledger.exists() else ())
    else:
        result = standing(project.plan, ledger)
        frame = judges_frame(result) if what is What.JUDGES else items_frame(project.items, result)
        frames = [frame]
    _write(frames, output, chosen)


def _format_of(output: Path | None) -> Format:
    if output is None:
        return Format.CSV
    endings = {".csv": Format.CSV, ".jsonl": Format.JSONL, ".ndjson": Format.JSONL}
    endings |= {".parquet": Format.PARQUET, ".pq": Format.PARQUET}
    found = endings.get(output.suffix.lower())
    if found is None:
        raise InputError(
            str(output),
            f"the ending {output.suffix!r} says no format",
            "end it with .csv, .jsonl or .parquet, or add --format",
        )
    return found


def _write(frames: Iterable[pl.DataFrame], output: Path | None, chosen: Format) -> None:
    """All blocks as one table; a file appears only when it is complete."""
    if output is None:
        _to(sys.stdout.buffer, frames, chosen)
        return
    with written_whole(output) as file:
        _to(file, frames, chosen)


def _to(file: BinaryIO, frames: Iterable[pl.DataFrame], chosen: Format) -> None:
    if chosen is Format.PARQUET:  # whole, because a block has no place in its footer
        blocks = list(frames)
        pl.concat(blocks or [no_calls()]).write_parquet(file)
        return
    first = True
    for frame in frames:
        if chosen is Format.CSV:
            frame.write_csv(file, include_header=first)
        else:
            frame.write_ndjson(file)
        first = False
    if first and chosen is Format.CSV:
        no_calls().write_csv(file)
