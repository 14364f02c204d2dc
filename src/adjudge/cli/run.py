"""`adjudge run`: score the items within the budget."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.before import before_spending
from adjudge.cli.dry import show_dry_run
from adjudge.cli.exits import Exit, decide_gates, end_by, parse_gates
from adjudge.cli.options import (
    RUN_FILE,
    BudgetOption,
    ConcurrencyOption,
    ItemsOption,
    JsonOption,
    LimitOption,
    RequireOption,
    RunFileOption,
    SeedOption,
    SetOption,
    UntilOption,
)
from adjudge.cli.progress import shown_progress
from adjudge.cli.project import Project
from adjudge.cli.reporting import content_from_ledger, write_page
from adjudge.cli.screen import Screen, say
from adjudge.cli.summary import print_summary
from adjudge.cli.writing import ANOTHER_REPORT
from adjudge.errors import BudgetError
from adjudge.evaluation.running import as_it_stands
from adjudge.gates import Outcome, decide, parse_gate, plan_until
from adjudge.records import dollars
from adjudge.report.content import content_json
from adjudge.run import End, Result, run
from adjudge.store import PostgresAddress

_WHAT_TO_DO = (
    "Raise the budget to ask more, or start over with --fresh; adjudge report needs no budget."
)


def run_command(
    *,
    config: RunFileOption = RUN_FILE,
    items: ItemsOption = None,
    budget: BudgetOption = None,
    limit: LimitOption = None,
    seed: SeedOption = None,
    max_concurrency: ConcurrencyOption = None,
    settings: SetOption = None,
    until: UntilOption = None,
    require: RequireOption = None,
    report: Annotated[
        Path | None, typer.Option("--report", metavar="FILE", help="Where to write the report.")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show prompts and prices; make no calls.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over; the old ledger is kept under another name.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Score the items within the budget; continue where an earlier run stopped.

    A run that was stopped or killed continues where it stopped; a larger budget buys more calls.
    It ends before the money is spent once --until holds, every --require is decided for sure, or
    more calls would hardly change the results (unless the run file says `spend: all`). With --fresh
    it starts over, with the whole budget, and keeps the old ledger under another name.

    Example:
        adjudge run -c run.yaml --budget 5 --require "mean(group=new) - mean(group=old) > 0"

    """
    gates = parse_gates(require)
    project = Project.read(
        config,
        items=items,
        budget=budget,
        limit=limit,
        seed=seed,
        max_concurrency=max_concurrency,
        until=until,
        settings=settings,
        frozen=not fresh,
    )
    file = project.file
    plan = plan_until(project.plan, file.until, require=gates, spend_all=file.spend_all)
    if dry_run:
        show_dry_run(project, as_json=as_json)
        return
    page = None if no_report else report or file.output
    project.check_run_files(page)
    before_spending(project, plan, fresh=fresh, yes=yes or as_json)
    with shown_progress(plan, quiet=quiet or as_json) as watch:
        try:
            job = _job(project)
            result = run(
                plan, file.ledger, budget=file.budget, seed=file.seed, watch=watch, job=job
            )
            end = result.end
        except BudgetError as error:
            found = as_it_stands(plan, file.ledger, file.budget, error)
            result, end = found.result, None
            say(f"adjudge: {' '.join(found.remarks)} {_WHAT_TO_DO}", err=True)
    decisions = decide_gates(gates, result, project.items)
    content = content_from_ledger(project, result, decisions)
    if as_json:
        typer.echo(json.dumps(content_json(content)))
    else:
        print_summary(content, Screen())
    if page is not None:
        write_page(content, page, instead=ANOTHER_REPORT)
        if not as_json:
            say(f"The report is {page}")
    if end is not End.STOPPED and not result.scored.any():
        say(f"adjudge: {_without_a_score(result)}", err=True)
        raise typer.Exit(Exit.ERROR)
    for gate in file.until:
        unmet = decide(parse_gate(gate, of="until"), result, project.items)
        if end is not End.STOPPED and unmet.outcome is not Outcome.PASSED:
            say(f"adjudge: until `{gate}` is not reached: {unmet.sentence}", err=True)
    trouble = _trouble(result, end)
    if trouble is not None:
        say(f"adjudge: {trouble}", err=True)
    end_by(decisions, otherwise=_exit_of(end, trouble))


def _job(project: Project) -> bytes | None:
    """The job for `adjudge work` on other machines; None if the ledger is not shared."""
    if not isinstance(project.file.ledger, PostgresAddress):
        return None
    from adjudge.config.job import packed_job  # noqa: PLC0415

    return packed_job(
        project.file, project.items, overrides=project.overrides, environment=os.environ
    )


def _exit_of(end: End | None, trouble: str | None) -> Exit:
    if end is End.STOPPED:
        return Exit.INTERRUPTED
    return Exit.DONE if trouble is None else Exit.ERROR


def _trouble(result: Result, end: End | None) -> str | None:
    """Why the run counts as failed; None if it succeeded. `end` is None if nothing was asked."""
    if result.balance.debt:
        return (
            f"judges billed {dollars(result.balance.debt)} more than the budget allows, "
            "because calls cost more than their stated worst case; no more calls are made"
        )
    return end.value if end is End.JUDGES_OFF else None


def _without_a_score(result: Result) -> str:
    calls = int(result.answered.sum())
    if calls:
        none = "not even the only answer" if calls == 1 else f"not one of {calls:,} answers"
        return (
            f"{none} has a score, so nothing is known about the items; "
            "adjudge status and the report show what the judges did"
        )
    ended = "" if result.end is None else f" ({result.end.value})"
    return f"no judge answered{ended}, so nothing is known about the items"
