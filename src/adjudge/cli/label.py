"""`adjudge label`: draw items for people to label, and import their labels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer

from adjudge.cli.options import (
    RUN_FILE,
    ItemsOption,
    JsonOption,
    LimitOption,
    OutputOption,
    RunFileOption,
    SeedOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.screen import say
from adjudge.cli.writing import written_whole
from adjudge.core.panel import PanelEstimate, Target
from adjudge.core.people import next_labels
from adjudge.core.strategies import Panel
from adjudge.dataset import joined_labels, read_labels
from adjudge.dataset.draws import Draw, read_draws
from adjudge.errors import InputError
from adjudge.records import Item, Label
from adjudge.report.frames import for_spreadsheets
from adjudge.report.numbers import count_text
from adjudge.run import label_reading, standing

_TO_LABEL = Path("to_label.csv")
_BESIDE = "it belongs beside the run file; copy the run file to a folder that can be written"


def label_command(
    *,
    config: RunFileOption = RUN_FILE,
    number: Annotated[
        int | None, typer.Option("--number", "-n", min=1, metavar="N", help="Draw N items.")
    ] = None,
    done: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Import a file that people filled in."),
    ] = None,
    items: ItemsOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    settings: SetOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw the items most worth labelling by people, and import their labels.

    With -n it writes to_label.csv, and the same as .jsonl: what a person needs to see of each item,
    and an empty column. Items are drawn at random, more often where people's labels are uncertain.
    The probabilities are kept beside the run file, so that estimates of means stay valid. With
    --import it checks a filled-in file and keeps its labels beside the run file, where all commands
    find them. No call is made and nothing is spent.

    Example:
        adjudge label -c run.yaml -n 20
        adjudge label -c run.yaml --import to_label.csv

    """
    if (number is None) == (done is None):
        raise InputError("label", "no action is given", "give -n 20 or --import to_label.csv")
    project = Project.read(
        config, items=items, limit=limit, seed=seed, settings=settings, imports=False
    )
    if number is not None:
        _draw(project, number, output, as_json=as_json)
    elif done is not None:
        _import(project, done, as_json=as_json)


def _draw(project: Project, number: int, output: Path | None, *, as_json: bool) -> None:
    file, plan = project.file, project.plan
    other = (output or _TO_LABEL).with_suffix(".jsonl")
    path = output if output is not None and output != other else other.with_suffix(".csv")
    for one in (path, other):
        project.check_writable(one)
        if one.exists():
            raise InputError(
                str(one), "it is there already", "import it, remove it, or name another with -o"
            )
    labelled = set() if plan.people is None else {label.item for label in plan.people.labels}
    left = len(plan.items) - len(labelled)
    if not left:
        raise InputError("label", "every item has a label", "there is nothing more to draw")
    draws = read_draws(file.labels.draws)
    rng = np.random.default_rng([file.seed, len(draws)])
    choice = next_labels(_estimate(project), min(number, left), rng)
    ids = [item.id for item in plan.items]
    draw = Draw(
        at=datetime.now().astimezone().isoformat(timespec="seconds"),
        items=tuple(ids[k] for k in choice.items.tolist()),
        probability={
            name: chance
            for name, chance in zip(ids, choice.probability.tolist(), strict=True)
            if chance > 0
        },
    )
    # Record the draw first: without it, the labels would count as an unknown selection.
    with written_whole(file.labels.draws, instead=_BESIDE) as kept:
        kept.write(b"".join(one.line for one in (*draws, draw)))
    chosen = [plan.items[k] for k in choice.items.tolist()]
    frame = _sheet(chosen, file.labels.scale.words)
    with written_whole(path) as sheet:
        sheet.write(for_spreadsheets(frame)[0].write_csv().encode())
    with written_whole(other) as sheet:
        sheet.write(frame.write_ndjson().encode())
    if as_json:
        drawn = [{"item": name, "probability": draw.probability[name]} for name in draw.items]
        told = {"items": drawn, "files": [str(path), str(other)], "labelled": len(labelled)}
        typer.echo(json.dumps(told))
        return
    say(
        f"{count_text(len(chosen), 'item')} to label in {path} (and {other.name}): fill in the "
        f"column label with {file.labels.scale.words}, and rater if several people label. "
        f"Then: adjudge label --import {path}"
    )


def _estimate(project: Project) -> PanelEstimate:
    """The current estimate of people's labels, whatever the run's own target is."""
    result = standing(project.plan, project.file.ledger)
    strategy = project.plan.strategy
    panel = strategy if isinstance(strategy, Panel) else Panel()
    estimate = replace(panel, target=Target.REFERENCE).estimate(result.problem, result.evidence)
    assert isinstance(estimate, PanelEstimate)
    return estimate


def _sheet(items: Sequence[Item], scale: str) -> pl.DataFrame:
    """The columns that a rater needs to see, without the group, which might bias the labels."""
    columns: dict[str, pl.Series] = {"item": pl.Series([item.id for item in items])}
    for name in ("prompt", "reference", "response"):
        texts = [getattr(item, name) or None for item in items]
        if any(texts):
            columns[name] = pl.Series(texts, dtype=pl.String)
    columns["scale"] = pl.Series([scale] * len(items))
    for name in ("label", "rater"):
        columns[name] = pl.Series([None] * len(items), dtype=pl.String)
    return pl.DataFrame(columns)


def _import(project: Project, done: Path, *, as_json: bool) -> None:
    file, plan = project.file, project.plan
    if file.limit is not None:
        raise InputError("--import", "a limit leaves some items out", "import without a limit")
    sources = file.labels
    reading = label_reading(sources.scale)
    ids = {item.id for item in plan.items}
    new = read_labels(done, reading=reading, items=ids)
    if not new:
        raise InputError(str(done), "it holds no label", "fill in the column label, and import it")
    before = () if plan.people is None else plan.people.labels
    kept = read_labels(sources.kept, reading=reading, items=ids) if sources.kept.exists() else []
    own = [label for label in before if label not in set(kept)]
    joined_labels(
        [(str(sources.kept), kept), ("the items or the run file's labels", own), (done.name, new)]
    )
    known = {(label.item, label.rater) for label in before}
    added = [label for label in new if (label.item, label.rater) not in known]
    _write(sources.kept, [*kept, *added])
    labelled = {label.item for label in (*before, *new)}
    if as_json:
        told = {
            "added": len(added),
            "known_before": len(new) - len(added),
            "labelled_items": len(labelled),
            "items": len(ids),
            "file": str(sources.kept),
        }
        typer.echo(json.dumps(told))
        return
    again = f" ({len(new) - len(added):,} were known)" if len(added) < len(new) else ""
    say(
        f"{count_text(len(added), 'label')} taken from {done}{again}: {len(labelled):,} of "
        f"{count_text(len(ids), 'item')} have one now. They are kept in {sources.kept}. "
        "`adjudge report` has the scores on the people's scale; nothing was asked or spent."
    )


def _write(path: Path, labels: Sequence[Label]) -> None:
    frame = pl.DataFrame(
        {
            "item": [label.item for label in labels],
            "label": [f"{label.value:.12g}" for label in labels],
            "rater": [label.rater or None for label in labels],
        },
        schema={"item": pl.String, "label": pl.String, "rater": pl.String},
    )
    with written_whole(path, instead=_BESIDE) as file:
        file.write(frame.write_csv().encode())
