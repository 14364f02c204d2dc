"""The axes of the bars in tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from adjudge.report.content import DifferenceLine, GroupLine, PeopleCard, Range, ScaleLine
from adjudge.report.html.ticks import Tick, score_ticks

_MARGIN = 0.04
"""Share of the axis left free at each end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A range of numbers with labelled ticks."""

    low: float
    high: float
    ticks: tuple[Tick, ...]

    def place(self, value: float) -> str:
        """Position of a value, as a percentage between low and high."""
        share = (value - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def group_axis(groups: Sequence[GroupLine], scale: ScaleLine) -> Axis:
    """An axis for the means of groups and their intervals."""
    means = [group.mean for group in groups if group.mean is not None]
    return _around([*means, *_ends(groups)], otherwise=(scale.low, scale.high))


def difference_axis(differences: Sequence[DifferenceLine]) -> Axis:
    """An axis for differences, which includes zero."""
    means = [line.mean for line in differences]
    return _around([0.0, *means, *_ends(differences)], otherwise=(-1.0, 1.0))


def agreement_axis(people: PeopleCard | None) -> Axis:
    """An axis for agreement with people: from 0, or below if some value is negative, to 1."""
    found = [] if people is None else [line.agreement for line in people.lines]
    lows = [min(one.value, one.value if one.low is None else one.low) for one in found if one]
    return _around([min([0.0, *lows]), 1.0], otherwise=(0.0, 1.0))


def _ends(lines: Iterable[GroupLine | DifferenceLine]) -> Iterator[float]:
    for line in lines:
        for interval in (line.interval, line.beyond):
            if isinstance(interval, Range):
                yield from (interval.low, interval.high)


def _around(values: Sequence[float], *, otherwise: tuple[float, float]) -> Axis:
    low, high = (min(values), max(values)) if values else otherwise
    if not high > low:
        low, high = low - 0.5, high + 0.5
    margin = _MARGIN * (high - low)
    ticks = score_ticks(low - margin, high + margin, about=6)
    return Axis(low=low - margin, high=high + margin, ticks=ticks)
