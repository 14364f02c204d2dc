"""`adjudge check`: find errors before anything is spent."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.text import Text

from adjudge.cli.dry import prices_table
from adjudge.cli.exits import Exit
from adjudge.cli.options import (
    RUN_FILE,
    ItemsOption,
    JsonOption,
    LimitOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.price_lines import plain_judge_prices, price_lines
from adjudge.cli.project import Project, overrides_of
from adjudge.cli.screen import Screen, say
from adjudge.cli.trust import show_trust
from adjudge.errors import InputError
from adjudge.gates import plan_until
from adjudge.records import NANO, dollars
from adjudge.report.content.people_notices import NO_LABELS
from adjudge.report.numbers import count_text
from adjudge.report.probes import probe_fields, probe_line
from adjudge.run import Probe, check_budget, dry_run, probe, unavailable_judges
from adjudge.run.frozen_prices import price_changes


def check_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="Do not look for keys and endpoints.")
    ] = False,
    probe_judges: Annotated[
        bool, typer.Option("--probe", help="Pay one cheap call of every judge; its answer counts.")
    ] = False,
    trust: Annotated[
        bool,
        typer.Option("--trust", help="Only list what a run would send, read, write and import."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Check the run file, every item and prompt, the budget, keys, endpoints and models.

    Nothing is spent, unless --probe asks for one call of every judge. With --trust, no call is made
    and nothing is imported: use it before you run a file that others wrote.

    Example:
        adjudge check -c run.yaml --probe

    """
    if trust:
        overrides = overrides_of(items=items, limit=limit, settings=settings)
        show_trust(config, overrides, as_json=as_json)
        return
    project = Project.read(config, items=items, limit=limit, settings=settings)
    plan_until(project.plan, project.file.until)
    prices = dry_run(project.plan, items=0)
    problems = [*_of_the_run(project), *([] if offline else unavailable_judges(project.plan))]
    probes = [] if problems or not probe_judges else _probed(project)
    found = {one.judge: probe_fields(one) for one in probes}
    remarks = [NO_LABELS] if project.plan.lacks_labels else []
    changes = list(price_changes(project.plan.judges, datetime.now(UTC).date()))
    silent = any(fields["score"] is None for fields in found.values())
    if as_json:
        told = {
            "items": len(project.items),
            "prices": plain_judge_prices(project.plan.judges),
            "judges": [judge.name for judge in project.plan.judges],
            "labels": _labels(project),
            "remarks": remarks,
            "problems": problems,
            "price_changes": changes,
            "probes": found,
            "most": prices.most / NANO,
        }
        typer.echo(json.dumps(told))
    else:
        console = Screen()
        console.print(prices_table(prices))
        for line in price_lines(project.plan.judges):
            console.print(Text(line), soft_wrap=True)
        console.print(
            f"{count_text(len(project.items), 'item')} and "
            f"{count_text(len(project.plan.judges), 'judge')},"
            f" budget {dollars(project.file.budget)}."
        )
        if project.plan.people is not None:
            console.print(_label_line(_labels(project)))
        for one in probes:
            console.print(probe_line(one))
        for problem in [*remarks, *changes, *problems]:
            say(f"adjudge: {problem}", err=True)
        if not problems and not silent:
            console.print("Everything is in order." if not offline else "The files are in order.")
    if problems or silent:
        raise typer.Exit(Exit.ERROR)


def _labels(project: Project) -> dict[str, int]:
    """Numbers of labels, of labelled items and of raters."""
    people = project.plan.people
    said = () if people is None else people.labels
    return {
        "labels": len(said),
        "items": len({label.item for label in said}),
        "raters": len({label.rater for label in said}),
    }


def _label_line(found: dict[str, int]) -> str:
    labels, raters = count_text(found["labels"], "label"), count_text(found["raters"], "rater")
    return f"{labels} by {raters} of {count_text(found['items'], 'item')}."


def _of_the_run(project: Project) -> list[str]:
    """Why a run would be refused before its first call: its files, or its budget."""
    file = project.file
    try:
        project.check_run_files(file.output)
        check_budget(project.plan, file.ledger, file.budget)
    except InputError as error:
        return [str(error)]
    return []


def _probed(project: Project) -> list[Probe]:
    file = project.file
    return probe(project.plan, file.ledger, budget=file.budget, seed=file.seed)
