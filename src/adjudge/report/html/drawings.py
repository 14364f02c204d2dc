"""Positions of the marks in each picture; the template turns them into SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.report.content import AllocationGrid, CurvePoint, JudgeCard, ScaleLine, Spot
from adjudge.report.html.ticks import Tick, money_ticks, score_ticks
from adjudge.report.numbers import UNKNOWN, count_text, money_text, range_text, score_text

WIDTH = 480
_MOST_JUDGES = 14
"""Most rows of a picture; with more judges, the cheapest are left out."""
_MOST_SERIES = 4
"""Most groups with a colour of their own."""
_LONGEST_NAME = 22


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The part of a picture within its axes."""

    left: float
    top: float
    right: float
    bottom: float
    height: float
    """Height of the whole picture."""

    def across(self, share: float) -> float:
        """The x coordinate at this share of the width."""
        return self.left + share * (self.right - self.left)

    def up(self, share: float) -> float:
        """The y coordinate at this share of the height, from the bottom."""
        return self.bottom - share * (self.bottom - self.top)


@dataclass(frozen=True, slots=True)
class Place:
    """A labelled tick on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Whisker:
    """An item: a dot for its score on a line for its interval."""

    id: str
    x: float
    y: float
    low: float
    high: float
    series: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Intervals:
    """Items in order of score."""

    frame: Frame
    whiskers: tuple[Whisker, ...]
    ticks: tuple[Place, ...]
    series: tuple[str, ...]
    """Names of the groups with a colour; empty if all items have the same."""


def draw_intervals(spots: Sequence[Spot], scale: ScaleLine) -> Intervals:
    """A picture of every item's score and interval, lowest score on the left."""
    frame = Frame(left=38, top=10, right=WIDTH - 6, bottom=232, height=250)
    low = min(spot.interval.low for spot in spots)
    high = max(spot.interval.high for spot in spots)
    low, high = (low, high) if high > low else (scale.low, scale.high)
    groups = list(dict.fromkeys(spot.group for spot in reversed(spots) if spot.group is not None))
    coloured = groups if 2 <= len(groups) <= _MOST_SERIES else []

    def y(score: float) -> float:
        return frame.up((score - low) / (high - low))

    return Intervals(
        frame=frame,
        whiskers=tuple(
            Whisker(
                id=spot.id,
                x=frame.across((place + 0.5) / len(spots)),
                y=y(spot.score),
                low=y(spot.interval.low),
                high=y(spot.interval.high),
                series=coloured.index(spot.group) if spot.group in coloured else 0,
                title=f"{spot.id}: {score_text(spot.score, scale.digits)}, "
                f"{range_text(spot.interval.low, spot.interval.high, scale.digits)}",
            )
            for place, spot in enumerate(spots)
        ),
        ticks=tuple(Place(y(tick.value), tick.label) for tick in score_ticks(low, high)),
        series=tuple(coloured),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One judge's calls and money."""

    name: str
    title: str
    y: float
    calls: float
    """Length of the bar for calls."""
    money: float
    calls_label: str
    money_label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Calls and money by judge."""

    frame: Frame
    bars: tuple[Bar, ...]
    left_out: int


def draw_bars(judges: Sequence[JudgeCard]) -> Bars:
    """A picture of every judge's share of calls and of money."""
    shown = sorted(judges, key=lambda judge: -judge.spent)[:_MOST_JUDGES]
    row = 44.0
    frame = Frame(
        left=0, top=4, right=WIDTH - 92, bottom=4 + row * len(shown), height=8 + row * len(shown)
    )
    longest = max((max(one.call_share, one.money_share) for one in shown), default=0.0) or 1.0
    return Bars(
        frame=frame,
        bars=tuple(
            Bar(
                name=short_name(judge.name, 48),
                title=judge.name,
                y=frame.top + row * place,
                calls=judge.call_share / longest * (frame.right - frame.left),
                money=judge.money_share / longest * (frame.right - frame.left),
                calls_label=count_text(judge.calls, "call"),
                money_label=money_text(judge.spent),
            )
            for place, judge in enumerate(shown)
        ),
        left_out=len(judges) - len(shown),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One judge's calls per item in one bin of items."""

    x: float
    y: float
    strength: float
    """0 for no calls, 1 for the most."""
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Heatmap:
    """Calls by item and judge."""

    frame: Frame
    cells: tuple[Cell, ...]
    cell_width: float
    cell_height: float
    rows: tuple[Place, ...]
    most: str
    """Calls per item at strength 1."""
    bins: int
    left_out: int


def draw_allocation(grid: AllocationGrid) -> Heatmap:
    """A heatmap with one row per judge, and items from the lowest score to the highest."""
    order = sorted(range(len(grid.judges)), key=lambda j: -sum(grid.calls[j]))[:_MOST_JUDGES]
    rows = sorted(order)
    bins = len(grid.calls[0])
    row = min(34.0, 220 / len(rows))
    names = [short_name(grid.judges[j], 18) for j in rows]
    frame = Frame(
        left=14 + 6.6 * max(map(len, names)),
        top=8,
        right=WIDTH - 4,
        bottom=8 + row * len(rows),
        height=30 + row * len(rows),
    )
    width = (frame.right - frame.left) / bins
    most = max((max(grid.calls[j]) for j in rows), default=0.0)
    return Heatmap(
        frame=frame,
        cells=tuple(
            Cell(
                x=frame.left + width * place,
                y=frame.top + row * number,
                # The square root, so that few calls are still visible.
                strength=math.sqrt(calls / most),
                title=f"{grid.judges[j]}: {calls:.3g} calls per item",
            )
            for number, j in enumerate(rows)
            for place, calls in enumerate(grid.calls[j])
            if calls > 0
        ),
        cell_width=width,
        cell_height=row,
        rows=tuple(
            Place(frame.top + row * (number + 0.5), name) for number, name in enumerate(names)
        ),
        most=f"{most:.3g}",
        bins=bins,
        left_out=len(grid.judges) - len(rows),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    label: str
    end: str
    """The last value, written at the end of the line."""
    series: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Precision against money."""

    frame: Frame
    traces: tuple[Trace, ...]
    x_ticks: tuple[Place, ...]
    y_ticks: tuple[Place, ...]


def draw_curve(points: Sequence[CurvePoint], scale: ScaleLine, *, error: str) -> Curve:
    """A picture of mean interval width and predicted error by money spent (log scale)."""
    frame = Frame(left=38, top=14, right=WIDTH - 46, bottom=214, height=250)
    first, last = points[0].spent, points[-1].spent
    top = max(max(point.mean_width, point.error) for point in points) or 1.0
    span = math.log(last / first) or 1.0

    def x(money: float) -> float:
        return frame.across(math.log(money / first) / span if last > first else 0.5)

    def y(value: float) -> float:
        return frame.up(value / (1.06 * top))

    def trace(label: str, values: list[float], series: int) -> Trace:
        return Trace(
            points=tuple(
                (x(point.spent), y(value)) for point, value in zip(points, values, strict=True)
            ),
            label=label,
            end=score_text(values[-1], scale.digits),
            series=series,
        )

    return Curve(
        frame=frame,
        traces=(
            trace("mean width of an interval", [point.mean_width for point in points], 0),
            trace(error, [point.error for point in points], 1),
        ),
        x_ticks=tuple(Place(x(tick.value), tick.label) for tick in _money_axis(first, last)),
        y_ticks=tuple(Place(y(tick.value), tick.label) for tick in score_ticks(0, top, about=4)),
    )


def _money_axis(first: int, last: int) -> tuple[Tick, ...]:
    ticks = money_ticks(first, last)
    return ticks if ticks else (Tick(last, money_text(last)),)


def short_name(name: str, longest: int = _LONGEST_NAME) -> str:
    """The name; if too long, its beginning and its end."""
    if not name:
        return UNKNOWN
    if len(name) <= longest:
        return name
    half = (longest - 1) // 2
    return f"{name[: longest - 1 - half]}…{name[-half:]}"
