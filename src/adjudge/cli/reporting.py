"""The content of a report, gathered from a run's ledger."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from adjudge.cli.project import Project
from adjudge.cli.writing import ANOTHER, written_whole
from adjudge.gates import Decision
from adjudge.report.content import GateLine, ReportContent, content_of, shown_items
from adjudge.report.function_notices import function_notices, with_notices
from adjudge.report.html import page
from adjudge.run import Result, history, ledger_calls
from adjudge.store import there_is_none


def content_from_ledger(
    project: Project, result: Result, decisions: Sequence[Decision] = ()
) -> ReportContent:
    """The content of a report; judges' texts are read only for the items shown."""
    ledger = project.file.ledger
    shown = shown_items(project.items, result)
    known = not there_is_none(ledger)
    content = content_of(
        project.items,
        result,
        title=project.file.title,
        now=datetime.now().astimezone(),
        strategy=project.file.strategy_name,
        history=history(project.plan, ledger) if known else (),
        calls=ledger_calls(project.plan, ledger, items=shown) if known else (),
        plan=project.plan,
        run_seed=project.file.seed,
        gates=[gate_line(decision) for decision in decisions],
    )
    return with_notices(content, function_notices(project.plan.judges))


def gate_line(decision: Decision) -> GateLine:
    """A decided gate as reports show it."""
    return GateLine(
        text=decision.gate.text, outcome=decision.outcome.value, sentence=decision.sentence
    )


def write_page(content: ReportContent, path: Path, *, instead: str = ANOTHER) -> None:
    """Write the report as one HTML file; an old file is replaced only when the new is complete."""
    with written_whole(path, instead=instead) as file:
        file.write(page(content).encode())
