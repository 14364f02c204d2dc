"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table

from adjudge.simulate import Summary


def simulation_table(summaries: Sequence[Summary], *, title: str) -> Table:
    """Mean errors and ratios, one block of rows per budget and norm."""
    table = Table(title=title, title_justify="left", caption_justify="left")
    for heading, justify in (
        ("budget", "left"),
        ("norm", "left"),
        ("strategy", "left"),
        ("runs", "right"),
        ("calls", "right"),
        ("error", "right"),
        (f"ratio to {summaries[0].strategy}", "right"),
    ):
        table.add_column(heading, justify="right" if justify == "right" else "left")
    previous = None
    for summary in summaries:
        block = (summary.budget, summary.norm)
        if previous not in (None, block):
            table.add_section()
        budget, norm = (
            (str(summary.budget), norm_name(summary.norm)) if previous != block else ("", "")
        )
        previous = block
        table.add_row(
            budget,
            norm,
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
