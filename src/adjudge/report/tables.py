"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from adjudge.report.content import Range, ReportContent
from adjudge.report.numbers import (
    UNKNOWN,
    count_text,
    money_text,
    norm_name,
    range_text,
    score_text,
    share_text,
)
from adjudge.report.printable import printable
from adjudge.simulate import Summary

__all__ = [
    "differences_table",
    "groups_table",
    "items_table",
    "judges_table",
    "norm_name",
    "simulation_table",
    "with_error",
]


def simulation_table(summaries: Sequence[Summary], *, title: str) -> Table:
    """Mean errors, coverage and ratios, one block of rows per budget and norm; in 80 columns."""
    table = _table(
        Column(header="strategy", no_wrap=True),
        *map(_number, ("runs", "calls", "error", "coverage", "ratio")),
    )
    table.title, table.title_justify, table.show_edge = title, "left", False
    table.caption = f"ratio: mean error over that of {summaries[0].strategy} in the same runs"
    previous = None
    for summary in summaries:
        block = (summary.budget, summary.norm)
        if previous != block:
            if previous is not None:
                table.add_section()
            table.add_row(f"{summary.budget}, norm {norm_name(summary.norm)}")
        previous = block
        table.add_row(
            f"  {summary.strategy}",
            str(summary.runs),
            _count(summary.calls) if summary.runs else "-",
            f"{summary.error:.4g}" if summary.runs else "-",
            f"{summary.coverage:.3f}" if summary.runs else "-",
            with_error(summary.ratio, summary.ratio_se) if summary.runs else "refused",
        )
    return table


def _count(calls: float) -> str:
    return f"{calls:,.0f}" if calls < 1e6 else f"{calls:.3g}"


def with_error(value: float, error: float) -> str:
    """A value and its standard error, or the value alone where the error is not known."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if math.isnan(error) else f"{value:.3f} ± {error:.3f}"


def groups_table(content: ReportContent) -> Table:
    """Groups, highest mean first, with the intervals of their means."""
    level = share_text(content.asked.confidence)
    table = _table(
        Text("group"), _number("items"), _number("mean"), _number(f"{level} interval"), Text("")
    )
    for group in content.groups:
        table.add_row(
            Text(printable(group.name)),
            f"{group.items:,}",
            score_text(group.mean, content.group_digits),
            _interval(group.interval, content.group_digits),
            "may be first" if group.level_with_first and group is not content.groups[0] else "",
        )
    if content.groups_left_out:
        table.caption = f"{count_text(content.groups_left_out, 'group')} between them left out"
    return table


def differences_table(content: ReportContent) -> Table:
    """What the groups' differences come to, in words and numbers."""
    level = share_text(content.asked.confidence)
    table = _table(
        Text("on these items"),
        _number("difference"),
        _number(f"{level} interval"),
        _number("for items like these"),
    )
    for line in content.differences:
        table.add_row(
            Text(printable(line.sentence)),
            score_text(line.mean, content.group_digits, signed=True),
            _interval(line.interval, content.group_digits),
            _interval(line.beyond, content.group_digits),
        )
    return table


def judges_table(content: ReportContent) -> Table:
    """What each judge is like, what it cost, and what to do with it."""
    table = _table(
        Text("judge"),
        *map(_number, ("calls", "spent", "a call", "offset", "noise", "its dollar\nbuys")),
        Text("advice"),
    )
    digits = content.scale.digits
    for judge in content.judges:
        table.add_row(
            Text(printable(judge.name)),
            f"{judge.calls:,}",
            money_text(judge.spent),
            money_text(judge.price),
            score_text(judge.offset, digits, signed=True),
            score_text(judge.noise, digits),
            share_text(judge.buys),
            judge.advice.counsel.value,
        )
    return table


def items_table(content: ReportContent, *, most: int = 20) -> Table:
    """The items with the highest scores."""
    level = share_text(content.asked.confidence)
    table = _table(Text("item"), *map(_number, ("score", f"{level} interval", "calls", "spent")))
    for item in content.items[:most]:
        table.add_row(
            Text(printable(item.id)),
            score_text(item.score, content.scale.digits),
            _interval(item.interval, content.scale.digits),
            f"{item.calls:,}",
            money_text(item.spent),
        )
    if content.asked.items > most:
        table.caption = f"the highest of {content.asked.items:,}"
    return table


def _table(*columns: Text | Column) -> Table:
    """A table without frame; names that look like markup are shown as they are."""
    headers = [
        column if isinstance(column, Column) else Column(header=column) for column in columns
    ]
    return Table(
        *headers, box=SIMPLE_HEAD, pad_edge=False, caption_justify="left", padding=(0, 1, 0, 0)
    )


def _number(header: str) -> Column:
    return Column(header=header, justify="right", no_wrap=True)


def _interval(interval: Range | None, digits: int) -> str:
    return UNKNOWN if interval is None else range_text(interval.low, interval.high, digits)
