"""`adjudge reproduce`: repeat the paper's experiments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.reproduction import reproduce
from adjudge.cli.screen import say
from adjudge.errors import InputError
from adjudge.report.numbers import count_text
from adjudge.studies import (
    CostsStudy,
    RecordedFile,
    Setup,
    SingleStudy,
    Study,
    SyntheticStudy,
    recorded_studies,
)

app = typer.Typer(
    help="Redo the paper's experiments: figures, data points, and findings in words.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
)

Runs = Annotated[int, typer.Option(help="Number of runs, each on its own instance.")]
Budgets = Annotated[
    str | None,
    typer.Option(help="Budgets, as 1e6,1e7,1e8; a log grid that covers every strategy if unset."),
]
Items = Annotated[int, typer.Option(help="K, the number of items.")]
Judges = Annotated[int, typer.Option(help="J, the number of judges.")]
Delta = Annotated[float, typer.Option(help="1 - confidence of Est-IVWE and ROBIN-HOOD.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
Jobs = Annotated[int, typer.Option(help="Worker processes; 0 for one per core.")]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Directory of the results; results/EXPERIMENT if unset."),
]
MinSamples = Annotated[
    int, typer.Option(help="Scores that every judge of an item must have recorded.")
]
Names = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        help="OURS=THEIRS: the file's name of our column item, judge, score, axis or dataset; "
        "repeat it.",
    ),
]
ChosenJudges = Annotated[
    list[str] | None, typer.Option("--judge", help="A recorded judge; repeat it. All if unset.")
]
Axes = Annotated[
    list[str] | None, typer.Option("--axis", help="A recorded axis; repeat it. All if unset.")
]
Dataset = Annotated[
    str | None, typer.Option(help="The data set, if the file holds several in a column dataset.")
]
ScoreRange = Annotated[
    tuple[float, float] | None,
    typer.Option(
        help="Lowest and highest possible score; else noted beside the file, or from the data."
    ),
]


@app.command("synthetic")
def synthetic_command(
    *,
    runs: Runs = 50,
    budgets: Budgets = None,
    items: Items = 1000,
    judges: Judges = 10,
    delta: Delta = 0.05,
    seed: Seed = 0,
    jobs: Jobs = 0,
    output: Output = None,
) -> None:
    """Random judges with Beta scores, errors in the norms 1, 2 and inf.

    Example:
        adjudge reproduce synthetic --runs 10 --items 200 --judges 5 -o results/small

    """
    setup = _setup(budgets=budgets, items=items, judges=judges, delta=delta, seed=seed)
    reproduce([SyntheticStudy(setup=setup)], runs, jobs, output or Path("results/synthetic"))


@app.command("costs")
def costs_command(
    *,
    runs: Runs = 50,
    budgets: Budgets = None,
    items: Items = 1000,
    judges: Judges = 10,
    delta: Delta = 0.05,
    seed: Seed = 0,
    jobs: Jobs = 0,
    output: Output = None,
) -> None:
    """Noisy judges that are expensive, cheap, or priced like the others.

    Example:
        adjudge reproduce costs --runs 10 --items 200 --judges 5 -o results/small

    """
    setup = _setup(budgets=budgets, items=items, judges=judges, delta=delta, seed=seed)
    reproduce([CostsStudy(setup=setup)], runs, jobs, output or Path("results/costs"))


@app.command("single")
def single_command(
    *,
    runs: Runs = 50,
    budgets: Budgets = None,
    items: Items = 1000,
    delta: Delta = 0.05,
    seed: Seed = 0,
    jobs: Jobs = 0,
    output: Output = None,
) -> None:
    """One judge under the largest error: ROBIN-HOOD joins the comparison.

    Example:
        adjudge reproduce single --runs 10 --items 200 -o results/small

    """
    setup = _setup(budgets=budgets, items=items, judges=1, delta=delta, seed=seed)
    reproduce([SingleStudy(setup=setup)], runs, jobs, output or Path("results/single"))


@app.command("recorded")
def recorded_command(
    file: Annotated[
        Path,
        typer.Argument(
            help="Scores (Parquet, CSV, JSONL with item, judge, score), or exported calls."
        ),
    ],
    *,
    min_samples: MinSamples = 25,
    names: Names = None,
    judge: ChosenJudges = None,
    axis: Axes = None,
    dataset: Dataset = None,
    score_range: ScoreRange = None,
    runs: Runs = 50,
    budgets: Budgets = None,
    delta: Delta = 0.05,
    seed: Seed = 0,
    jobs: Jobs = 0,
    output: Output = None,
) -> None:
    """Recorded judges: all axes and norms after the consensus filter, and without the filter.

    Example:
        adjudge reproduce recorded scores.jsonl --map item=prompt_id --map judge=model
        --map score=rating --min-samples 25

    """
    setup = _setup(budgets=budgets, delta=delta, seed=seed)
    source = RecordedFile(
        path=file,
        columns=_columns(names),
        axes=tuple(axis or ()),
        dataset=dataset,
        judges=tuple(judge or ()),
        score_range=score_range,
    )
    studies = _filtered(source, setup, min_samples)
    reproduce(studies, runs, jobs, output or Path("results") / f"recorded-{source.name}")


@app.command("all")
def all_command(
    *,
    recorded: Annotated[
        list[Path] | None, typer.Option(help="A file of recorded scores; repeatable.")
    ] = None,
    min_samples: MinSamples = 25,
    names: Names = None,
    runs: Runs = 50,
    budgets: Budgets = None,
    items: Items = 1000,
    judges: Judges = 10,
    delta: Delta = 0.05,
    seed: Seed = 0,
    jobs: Jobs = 0,
    output: Output = None,
) -> None:
    """Every experiment: synthetic, costs, single, and recorded for each file given.

    Example:
        adjudge reproduce all --recorded scores.parquet --min-samples 8 -o results/all

    """
    setup = _setup(budgets=budgets, items=items, judges=judges, delta=delta, seed=seed)
    studies: list[Study] = [
        SyntheticStudy(setup=setup),
        CostsStudy(setup=setup),
        SingleStudy(setup=setup),
    ]
    for path in recorded or []:
        source = RecordedFile(path=path, columns=_columns(names))
        studies += _filtered(source, setup, min_samples)
    repeated = {study.name for study in studies}
    if len(repeated) < len(studies):
        raise InputError("--recorded", "two files of the same name", "rename one of them")
    reproduce(studies, runs, jobs, output or Path("results/all"))


def _setup(
    *, budgets: str | None, delta: float, seed: int, items: int = 1000, judges: int = 10
) -> Setup:
    try:
        amounts = None if budgets is None else tuple(float(text) for text in budgets.split(","))
    except ValueError:
        raise InputError("--budgets", str(budgets), "write numbers, as 1e6,1e7,1e8") from None
    return Setup(items=items, judges=judges, budgets=amounts, delta=delta, seed=seed)


def _columns(names: list[str] | None) -> dict[str, str]:
    columns = {}
    for text in names or []:
        ours, equals, theirs = text.partition("=")
        if not (ours and equals and theirs):
            raise InputError("--map", text, "write OURS=THEIRS, as item=prompt_id")
        columns[ours] = theirs
    return columns


def _filtered(source: RecordedFile, setup: Setup, min_samples: int) -> list[Study]:
    """Both studies of a file; prints what was left out and what the filter did."""
    filtered, differing, counts = recorded_studies(source, setup, min_samples=min_samples)
    left_out = max(scores.left_out for scores in differing.by_axis.values())
    if left_out:
        say(f"{source.path.name}: {count_text(left_out, 'call')} without a score left out")
    for axis, count in counts.items():
        say(f"{source.path.name}, {axis}: {count}")
    return [filtered, differing]
