"""Messages and questions of `adjudge run` before it spends anything."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from adjudge.cli.exits import Exit
from adjudge.cli.project import Project
from adjudge.cli.screen import say
from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.records import Money, dollars
from adjudge.report.numbers import count_text
from adjudge.run import Plan, Surroundings, check_budget, surroundings, unavailable_judges
from adjudge.run.frozen_prices import price_changes
from adjudge.store import put_aside


def before_spending(project: Project, plan: Plan, *, fresh: bool, yes: bool) -> None:
    """Report paid answers that do not count, ask for consent, and with `fresh` rename the ledger.

    The ledger is renamed last, so that a run that cannot begin leaves it in place. Consent is asked
    for only at a terminal; otherwise the budget in the run file counts as consent.
    """
    around = surroundings(project.plan, project.file.ledger)
    if around.not_counted and not fresh:
        say(_not_counted(project, around), err=True)
    for change in price_changes(plan.judges, datetime.now(UTC).date()):
        say(f"adjudge: {change}", err=True)
    if not yes and sys.stdin.isatty() and sys.stdout.isatty():
        question = _begun_anew(project) if fresh else _going_on(project, around)
        if not typer.confirm(question, default=True):
            raise typer.Exit(Exit.ERROR)
    if fresh:
        _own_file(project)
        _check_that_it_can_begin(project, plan)
        say(_put_aside(project), err=True)


def _check_that_it_can_begin(project: Project, plan: Plan) -> None:
    with TemporaryDirectory() as nowhere:
        check_budget(plan, Path(nowhere) / "ledger", project.file.budget)
    problems = unavailable_judges(plan)
    if problems:
        raise JudgeUnavailableError("\n".join(problems))


def _not_counted(project: Project, around: Surroundings) -> str:
    number = around.not_counted
    about = (
        "is about another item, prompt or judge than this run has and does"
        if number == 1
        else "are about other items, prompts or judges than this run has and do"
    )
    return (
        f"{count_text(number, 'paid answer')} ({dollars(around.not_counted_cost)}) in "
        f"{project.file.ledger.name} {about} not count for it; "
        f"{dollars(_left(project, around))} of the budget of {dollars(project.file.budget)} is "
        "left. `adjudge run --fresh` starts over and keeps the old ledger."
    )


def _going_on(project: Project, around: Surroundings) -> str:
    left, budget = _left(project, around), project.file.budget
    more = dollars(left) if left == budget else f"{dollars(left)} more"
    lost = f" ({count_text(around.not_counted, 'paid answer')} not counted)"
    return f"{_task(project)} for up to {more}{lost if around.not_counted else ''}?"


def _begun_anew(project: Project) -> str:
    return f"{_task(project)} anew for up to {dollars(project.file.budget)}?"


def _task(project: Project) -> str:
    items, judges = len(project.items), len(project.plan.judges)
    return f"Score {count_text(items, 'item')} with {count_text(judges, 'judge')}"


def _left(project: Project, around: Surroundings) -> Money:
    balance = around.balance
    return max(project.file.budget - balance.spent - balance.reserved, 0)


def _own_file(project: Project) -> Path:
    """The run's ledger if it is a file; a shared ledger cannot be started over."""
    ledger = project.file.ledger
    if not isinstance(ledger, Path):
        raise InputError(
            "--fresh",
            f"{ledger} is shared with others, who go on using it",
            "name another database in the run file, or raise the budget",
        )
    return ledger


def _put_aside(project: Project) -> str:
    kept = put_aside(_own_file(project))
    if kept is None:
        return "There is no ledger yet: --fresh changes nothing."
    budget = dollars(project.file.budget)
    return f"The old ledger is now {kept}. This run has the whole budget of {budget} again."
