"""`adjudge report`: a run's results as an HTML page."""

from __future__ import annotations

import json

import typer

from adjudge.cli.exits import check_gates, decide_gates, end_by, parse_gates
from adjudge.cli.options import (
    RUN_FILE,
    ImportOption,
    ItemsOption,
    JsonOption,
    LimitOption,
    OutputOption,
    RequireOption,
    RunFileOption,
    SetOption,
)
from adjudge.cli.project import Project
from adjudge.cli.reporting import content_from_ledger, write_page
from adjudge.cli.screen import say
from adjudge.report.content import content_json
from adjudge.run import standing


def report_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    limit: LimitOption = None,
    settings: SetOption = None,
    imports: ImportOption = False,
    require: RequireOption = None,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write the results as one HTML file; no call is made.

    Example:
        adjudge report -c run.yaml -o scores.html

    """
    gates = parse_gates(require)
    project = Project.read(config, items=items, limit=limit, settings=settings, imports=imports)
    check_gates(gates, project.plan)
    result = standing(project.plan, project.file.ledger)
    decisions = decide_gates(gates, result, project.items)
    content = content_from_ledger(project, result, decisions)
    if as_json:
        typer.echo(json.dumps(content_json(content)))
    if output is not None or not as_json:
        path = output or project.file.output
        project.check_writable(path)
        write_page(content, path)
        say(f"The report is {path}.", err=as_json)
    for decision in decisions:
        say(f"{decision.gate.text}: {decision.outcome}, {decision.sentence}.", err=as_json)
    end_by(decisions)
