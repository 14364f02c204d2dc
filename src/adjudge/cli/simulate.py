"""`adjudge simulate`: compare strategies on instances whose true scores are known."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from adjudge.cli.screen import Screen, say
from adjudge.errors import InputError
from adjudge.report.numbers import count_text
from adjudge.report.tables import norm_name, simulation_table
from adjudge.simulate import (
    CONTENDERS,
    Budget,
    FamilySource,
    Grid,
    Options,
    RecordedSource,
    Result,
    Row,
    Source,
    WithConstantJudge,
    simulate,
    summarise,
)
from adjudge.worlds import FAMILIES, RecordedScores

_INTERRUPTED = 130
"""Exit code of shells for Ctrl-C (128 + SIGINT)."""


def simulate_command(
    *,
    family: Annotated[
        str | None, typer.Option(help=f"Kind of random instance: {', '.join(FAMILIES)}.")
    ] = None,
    recorded: Annotated[
        Path | None,
        typer.Option(
            help="Recorded scores (Parquet, CSV, JSONL with item, judge, score), or exported calls."
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(help="Items per run: 200 of a family; a random part of recorded ones."),
    ] = None,
    judges: Annotated[int, typer.Option(help="Judges of a family.")] = 5,
    axis: Annotated[str | None, typer.Option(help="The axis of recorded scores to use.")] = None,
    judge: Annotated[
        list[str] | None, typer.Option(help="A recorded judge to use; repeat it. All if unset.")
    ] = None,
    price: Annotated[
        list[str] | None,
        typer.Option(help="JUDGE=COST of a recorded judge; repeat it. Equal prices if unset."),
    ] = None,
    add_constant_judge: Annotated[
        float | None,
        typer.Option(metavar="COST", help="Add a judge that always answers the middle."),
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help=f"Repeatable; the first is the reference. {', '.join(CONTENDERS)}."),
    ] = None,
    budget: Annotated[list[float] | None, typer.Option(help="Budget; repeatable.")] = None,
    calls_per_item: Annotated[
        list[float] | None, typer.Option(help="Budget in calls of average price; repeatable.")
    ] = None,
    norm: Annotated[
        list[str] | None, typer.Option(help="p of the error, 1 to inf; repeat it. Default 2.")
    ] = None,
    runs: Annotated[int, typer.Option(help="Number of runs, each on its own instance.")] = 20,
    seed: Annotated[int, typer.Option(help="The same seed gives the same numbers.")] = 0,
    jobs: Annotated[int, typer.Option(help="Worker processes; 0 for one per core.")] = 0,
    delta: Annotated[float, typer.Option(help="1 - confidence of Est-IVWE and ROBIN.")] = 0.05,
    reduced_pilot: Annotated[
        bool, typer.Option(help="Cut Est-IVWE's pilot to what the budget allows; no guarantee.")
    ] = False,
    raw_units: Annotated[
        bool, typer.Option(help="Est-IVWE's pilot in the units of the instance, as in the paper.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON row per run.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one CSV row per run.")] = False,
) -> None:
    """Compare strategies on instances whose true scores are known.

    Example:
        adjudge simulate --family mult --judges 10 --calls-per-item 5 --calls-per-item 20
        --strategy oracle --strategy uniform --strategy robin-hood

    """
    if as_json and as_csv:
        raise InputError("--json, --csv", "both", "choose one")
    source = _source(
        family=family,
        recorded=recorded,
        items=items,
        judges=judges,
        axis=axis,
        judge=judge,
        price=price,
    )
    if add_constant_judge is not None:
        source = WithConstantJudge(source=source, cost=add_constant_judge)
    grid = Grid(
        source=source,
        strategies=tuple(dict.fromkeys(strategy or ["oracle", "uniform", "cyclic", "best-single"])),
        budgets=_budgets(budget, calls_per_item),
        norms=tuple(dict.fromkeys(_norm(text) for text in norm or ["2"])),
        runs=runs,
        seed=seed,
        confidence=1 - delta,
        options=Options(reduced_pilot=reduced_pilot, raw_units=raw_units),
    )
    results, interrupted = _collect(grid, jobs or os.cpu_count() or 1)
    rows = [result.row for result in results if result.row is not None]
    if as_json:
        typer.echo(json_rows(rows))
    elif as_csv:
        typer.echo(csv_rows(rows), nl=False)
    else:
        name = family or str(recorded or "")
        title = f"{name}: {len(rows)} of {grid.size} runs" if interrupted else name
        Screen().print(simulation_table(summarise(grid, results), title=title))
    _say_refusals(results)
    if interrupted:
        say(f"adjudge: interrupted after {len(rows)} of {grid.size} runs", err=True)
        raise typer.Exit(_INTERRUPTED)


def _source(
    *,
    family: str | None,
    recorded: Path | None,
    items: int | None,
    judges: int,
    axis: str | None,
    judge: list[str] | None,
    price: list[str] | None,
) -> Source:
    if (family is None) == (recorded is None):
        raise InputError(
            "--family, --recorded",
            "both" if family else "neither",
            "say where instances come from: --family NAME or --recorded FILE",
        )
    if recorded is not None:
        prices = dict(_price(text) for text in price) if price else None
        scores = RecordedScores.read(recorded, axis=axis, judges=judge, prices=prices)
        if scores.left_out:
            left_out = count_text(scores.left_out, "call")
            say(f"adjudge: {recorded.name}: {left_out} without a score left out", err=True)
        return RecordedSource(scores=scores, items=items)
    for flag, value in (("--axis", axis), ("--judge", judge), ("--price", price)):
        if value:
            raise InputError(flag, "given with --family", "it belongs to --recorded")
    assert family is not None
    return FamilySource(family=family, items=200 if items is None else items, judges=judges)


def _price(text: str) -> tuple[str, float]:
    name, equals, cost = text.rpartition("=")
    try:
        if not equals:
            raise ValueError
        return name, float(cost)
    except ValueError:
        raise InputError("--price", text, "write JUDGE=COST, as gpt-5.4=0.0044") from None


def _norm(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError("--norm", text, "give a number from 1 to inf") from None


def _budgets(money: list[float] | None, calls: list[float] | None) -> tuple[Budget, ...]:
    budgets = [Budget(money=amount) for amount in money or []]
    budgets += [Budget(calls_per_item=number) for number in calls or []]
    return tuple(dict.fromkeys(budgets)) or (Budget(calls_per_item=10),)


def _collect(grid: Grid, jobs: int) -> tuple[list[Result], bool]:
    """The results so far, and whether the user interrupted."""
    results: list[Result] = []
    columns = (
        TextColumn("simulating"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    console = Screen(err=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=grid.size)
        try:
            for result in simulate(grid, jobs=min(jobs, grid.runs * len(grid.budgets))):
                results.append(result)
                bar.advance(task)
        except KeyboardInterrupt:
            return results, True
    return results, False


def json_rows(rows: Iterable[Row]) -> str:
    """A JSON list with one row per line; an infinite norm is the text "inf"."""
    lines = []
    for row in rows:
        fields = dataclasses.asdict(row)
        if math.isinf(row.norm):
            fields["norm"] = norm_name(row.norm)
        lines.append(json.dumps(fields))
    return "[\n" + ",\n".join(lines) + "\n]" if lines else "[]"


def csv_rows(rows: Iterable[Row]) -> str:
    """The rows as CSV with a header."""
    text = io.StringIO()
    writer = csv.DictWriter(
        text, [field.name for field in dataclasses.fields(Row)], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(dataclasses.asdict(row) for row in rows)
    return text.getvalue()


def _say_refusals(results: Iterable[Result]) -> None:
    """Print each strategy that refused a budget, once per budget and norm."""
    said = set()
    for result in results:
        cell = (result.strategy, result.budget, result.norm)
        if result.refusal and cell not in said:
            said.add(cell)
            say(
                f"adjudge: {result.strategy} was not run at {result.budget}, "
                f"norm {norm_name(result.norm)}: {result.refusal}",
                err=True,
            )
