"""A short summary for notebooks: what was found, the groups, the judges, the bill."""

from __future__ import annotations

from adjudge.report.content import ReportContent
from adjudge.report.html.page import render
from adjudge.store import Address

_MOST_ROWS = 12


def notebook_html(content: ReportContent, *, ledger: Address | None = None) -> str:
    """A fragment of HTML, as `_repr_html_` gives it; it has no style or script of its own.

    Judges are those that cost most, the dearest first. `ledger` is named if it is given.
    """
    return render(
        "notebook.html",
        content=content,
        ledger=ledger,
        scale=content.scale,
        judges=sorted(content.judges, key=lambda judge: -judge.spent)[:_MOST_ROWS],
        most=_MOST_ROWS,
    )
