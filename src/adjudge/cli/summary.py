"""The summary at the end of a run."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from adjudge.records import dollars
from adjudge.report.content import ReportContent, Weight
from adjudge.report.numbers import count_text
from adjudge.report.tables import (
    agreement_table,
    differences_table,
    groups_table,
    items_table,
    judges_table,
)

_FEW_ITEMS = 10
_STYLES = {Weight.TROUBLE: "bold red", Weight.CAUTION: "yellow", Weight.NOTE: "dim"}
_OUTCOMES = {"passed": "green", "failed": "bold red", "inconclusive": "yellow"}


def print_summary(content: ReportContent, console: Console) -> None:
    """Print groups (or items), judges, notices, and gates."""
    console.print(Text(content.headline, style="bold"))
    if content.whose_scale is not None:
        console.print(Text(content.whose_scale))
    if content.groups:
        console.print(groups_table(content))
        if content.differences:
            console.print(differences_table(content))
    else:
        console.print(items_table(content, most=_FEW_ITEMS))
    if content.people is not None and content.people.lines:
        console.print(agreement_table(content, content.people))
    console.print(judges_table(content))
    for notice in content.notices:
        console.print(Text(notice.text, style=_STYLES[notice.weight]))
    for gate in content.gates:
        console.print(
            Text.assemble(
                (gate.outcome, _OUTCOMES[gate.outcome]), f"  {gate.text}: {gate.sentence}"
            )
        )
    bill = content.bill
    here = dollars(bill.spent - bill.elsewhere)
    part = f", {here} of it" if bill.elsewhere else ""
    console.print(
        f"{dollars(bill.spent)} of {dollars(bill.budget)} spent{part} on "
        f"{count_text(bill.calls, 'call')}."
    )
