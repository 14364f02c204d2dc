"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

RunFileOption: TypeAlias = Annotated[
    Path, typer.Option("--config", "-c", metavar="FILE", help="The run file.")
]
ItemsOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--items", metavar="FILE", help="Items instead of the run file's; - is stdin."),
]
BudgetOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--budget", metavar="DOLLARS", help="Budget instead of the run file's."),
]
LimitOption: TypeAlias = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N items.")
]
SeedOption: TypeAlias = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed instead of the run file's.")
]
ConcurrencyOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-concurrency", min=1, metavar="N", help="Concurrent calls of each judge, at most."
    ),
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any key of the run file; repeatable."),
]
RequireOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="GATE",
        help="Gate: exit code 3 if it fails, 4 if inconclusive; repeatable.",
    ),
]
UntilOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--until", metavar="GATE", help='End as soon as it holds, as "width < 0.5"; repeat it.'
    ),
]
JsonOption: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON, for programs to read.")
]
ImportOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--import", help="Import function judges whose source alone does not identify them."
    ),
]
OutputOption: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")
]

RUN_FILE = Path("run.yaml")
"""The default run file."""
