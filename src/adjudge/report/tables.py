"""Tables for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Column, Table
from rich.text import Text

from adjudge.report.content import FigureLine, PeopleCard, Range, ReportContent
from adjudge.report.numbers import (
    UNKNOWN,
    count_text,
    label_text,
    money_text,
    norm_name,
    range_text,
    score_text,
    share_text,
)
from adjudge.report.printable import printable
from adjudge.simulate import Summary

__all__ = [
    "agreement_table",
    "differences_table",
    "groups_table",
    "items_table",
    "judges_table",
    "norm_name",
    "simulation_table",
    "with_error",
]


def simulation_table(summaries: Sequence[Summary], *, title: str) -> Table:
    """Mean errors, coverage and ratios, one block of rows per budget and norm; 80 columns wide."""
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
    """A value with its standard error, or the value alone if the error is unknown."""
    if math.isnan(value):
        return "-"
    return f"{value:.3f}" if math.isnan(error) else f"{value:.3f} ± {error:.3f}"


def groups_table(content: ReportContent) -> Table:
    """Groups, highest mean first, with the intervals of their means."""
    level = share_text(content.asked.confidence)
    anchored = _is_anchored(content)
    table = _table(
        Text("group"),
        _number("items"),
        _number("mean"),
        _number(f"{level} interval"),
        *([_number("panel"), _number("labels")] if anchored else []),
        Text(""),
    )
    for group in content.groups:
        own = score_text(group.panel_mean, content.scale.digits)
        labels = UNKNOWN if group.labelled is None else f"{group.labelled:,}"
        table.add_row(
            Text(printable(group.name)),
            f"{group.items:,}",
            score_text(group.mean, content.group_digits),
            _interval(group.interval, content.group_digits),
            *([own, labels] if anchored else []),
            "may be first" if group.level_with_first and group is not content.groups[0] else "",
        )
    if content.groups_left_out:
        table.caption = f"{count_text(content.groups_left_out, 'group')} between them left out"
    return table


def differences_table(content: ReportContent) -> Table:
    """Differences between groups, in words and numbers."""
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
    """Each judge's properties, its costs, and the advice on it."""
    buys = "its dollar tells\nof people" if _is_anchored(content) else "its dollar\nbuys"
    table = _table(
        Text("judge"),
        *map(_number, ("calls", "spent", "a call", "offset", "noise", buys)),
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


def agreement_table(content: ReportContent, people: PeopleCard) -> Table:
    """Agreement of judges, panel and scores with people."""
    what = "accuracy" if people.yes_or_no else "correlation"
    level = share_text(content.asked.confidence)
    table = _table(
        Text("with people's labels"),
        *map(_number, ("items", what, f"{level} interval", "bias", "mean error", "kappa")),
    )
    for line in people.lines:
        found = line.agreement
        table.add_row(
            Text(printable(line.name)),
            f"{line.items:,}",
            score_text(None if found is None else found.value, 2),
            UNKNOWN if found is None else range_text(found.low, found.high, 2),
            _value(line.bias, people.digits, signed=True),
            _value(line.absolute_error, people.digits),
            _value(line.kappa, 2),
        )
    among = people.raters_line
    if among is not None:
        found = None if people.yes_or_no else among.pearson
        table.add_row(
            Text("people among themselves"),
            f"{among.items:,}",
            score_text(None if found is None else found.value, 2),
            UNKNOWN if found is None else range_text(found.low, found.high, 2),
            UNKNOWN,
            _value(among.absolute_error, people.digits),
            _value(among.kappa, 2),
        )
    return table


def _is_anchored(content: ReportContent) -> bool:
    return content.people is not None and content.people.anchored


def _value(figure: FigureLine | None, digits: int, *, signed: bool = False) -> str:
    return score_text(None if figure is None else figure.value, digits, signed=signed)


def items_table(content: ReportContent, *, most: int = 20) -> Table:
    """The items with the highest scores."""
    level = share_text(content.asked.confidence)
    people = (("label",) if content.people else ()) + (("panel",) if _is_anchored(content) else ())
    names = ("score", f"{level} interval", *people, "calls", "spent")
    table = _table(Text("item"), *map(_number, names))
    for item in content.items[:most]:
        beside = {
            "label": label_text(item.label),
            "panel": score_text(item.panel_score, content.scale.digits),
        }
        table.add_row(
            Text(printable(item.id)),
            score_text(item.score, content.scale.digits),
            _interval(item.interval, content.scale.digits),
            *(beside[name] for name in people),
            f"{item.calls:,}",
            money_text(item.spent),
        )
    if content.asked.items > most:
        table.caption = f"the highest of {content.asked.items:,}"
    return table


def _table(*columns: Text | Column) -> Table:
    """A table without a frame; markup in names is not interpreted."""
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
