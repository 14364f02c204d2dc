"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from adjudge.simulate import Summary


def simulation_table(summaries: Sequence[Summary], *, title: str) -> Table:
    """Mean errors and ratios, one block of rows per budget and norm."""
    table = Table(
        title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column("budget", no_wrap=True)
    table.add_column("norm", no_wrap=True)
    table.add_column("strategy", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    table.add_column("error", justify="right", no_wrap=True)
    table.add_column(f"/ {summaries[0].strategy}", justify="right", no_wrap=True)
    previous = None
    for summary in summaries:
        block = (summary.budget, summary.norm)
        if previous not in (None, block):
            table.add_section()
        begins = previous != block
        previous = block
        table.add_row(
            str(summary.budget) if begins else "",
            norm_name(summary.norm) if begins else "",
            summary.strategy,
            str(summary.runs),
            f"{summary.calls:,.0f}" if summary.runs else "-",
            f"{summary.error:.4g}" if summary.runs else "-",
            with_error(summary.ratio, summary.ratio_se) if summary.runs else "refused",
        )
    return table


def norm_name(norm: float) -> str:
    """1, 2, 1.5, inf."""
    return "inf" if norm == math.inf else f"{norm:g}"


def with_error(value: float, error: float) -> str:
    """A value and its standard error, or the value alone where the error is not known."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if math.isnan(error) else f"{value:.3f} ± {error:.3f}"
