"""A short summary for notebooks: main result, groups, judges and costs."""

from __future__ import annotations

from adjudge.report.content import ReportContent
from adjudge.report.html.page import render
from adjudge.store import Address

_MOST_ROWS = 12


def notebook_html(content: ReportContent, *, ledger: Address | None = None) -> str:
    """An HTML fragment for `_repr_html_`, without style or script.

    Shows the judges that cost most, most expensive first. `ledger` is shown if it is given.
    """
    return render(
        "notebook.html",
        content=content,
        ledger=ledger,
        scale=content.scale,
        judges=sorted(content.judges, key=lambda judge: -judge.spent)[:_MOST_ROWS],
        most=_MOST_ROWS,
    )
