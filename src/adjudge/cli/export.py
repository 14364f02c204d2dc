"""`adjudge export`: a run's results as files for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from io import BytesIO
from pathlib import Path
from typing import Annotated, BinaryIO

import polars as pl
import typer

from adjudge.cli.options import (
    RUN_FILE,
    ImportOption,
    ItemsOption,
    LimitOption,
    OutputOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.screen import say
from adjudge.cli.writing import written_whole
from adjudge.errors import InputError
from adjudge.report.frames import (
    calls_frames,
    for_spreadsheets,
    items_frame,
    judges_frame,
    no_calls,
)
from adjudge.report.numbers import count_text
from adjudge.report.printable import printable
from adjudge.run import ledger_calls, standing
from adjudge.store import there_is_none


class What(StrEnum):
    """The tables that can be exported."""

    ITEMS = "items"
    CALLS = "calls"
    JUDGES = "judges"


class Format(StrEnum):
    """The file format of a table."""

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
    imports: ImportOption = False,
    output: OutputOption = None,
    as_format: Annotated[
        Format | None,
        typer.Option("--format", help="From the output's extension; csv if it has none."),
    ] = None,
) -> None:
    """Write items with scores and intervals, calls with costs, or judges; nothing is spent.

    Example:
        adjudge export items -c run.yaml -o scores.parquet

    """
    chosen = as_format or _format_of(output)
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    if output is not None:
        project.check_writable(output)
    ledger = project.file.ledger
    frames: Iterable[pl.DataFrame]
    if what is What.CALLS:
        frames = calls_frames(
            ledger_calls(project.plan, ledger) if not there_is_none(ledger) else ()
        )
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
    """Write all blocks as one table; the file appears only when it is complete."""
    if output is not None:
        with written_whole(output) as file:
            for part in _parts(frames, chosen):
                file.write(part)
    elif not sys.stdout.isatty():
        for part in _parts(frames, chosen):
            _write_all(sys.stdout.buffer, part)
    elif chosen is Format.PARQUET:
        raise InputError("--format", "a terminal cannot show Parquet", "name a file with -o")
    else:
        for part in _parts(frames, chosen):
            sys.stdout.write(printable(part.decode()))


def _write_all(file: BinaryIO, content: bytes) -> None:
    left = memoryview(content)
    while left:  # an unbuffered pipe (PYTHONUNBUFFERED) may accept only part of the data
        left = left[file.write(left) :]


def _parts(frames: Iterable[pl.DataFrame], chosen: Format) -> Iterator[bytes]:
    if chosen is Format.CSV:
        yield from _csv(frames)
    elif chosen is Format.JSONL:
        for frame in frames:
            yield frame.write_ndjson().encode()
    else:  # Parquet has one footer for the whole file, so it cannot be written in blocks
        file = BytesIO()
        pl.concat(list(frames) or [no_calls()]).write_parquet(file)
        yield file.getvalue()


def _csv(frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    changed, first = 0, True
    for frame in frames:
        safe, number = for_spreadsheets(frame)
        changed += number
        yield safe.write_csv(include_header=first).encode()
        first = False
    if first:
        yield no_calls().write_csv().encode()
    if changed:
        say(
            f"adjudge: {count_text(changed, 'cell')} would be a formula to a spreadsheet, and got "
            "an apostrophe in front; .jsonl and .parquet have every text as it is",
            err=True,
        )
