"""Groups ranked by their means, and the differences between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.groups import GroupMean
from adjudge.core.panel import PanelEstimate
from adjudge.core.people import Comparison, PeopleEstimate, PeopleMean, group_mean
from adjudge.records import Item
from adjudge.report.content.values import DifferenceLine, GroupLine, Range, ScaleLine
from adjudge.report.numbers import range_text, score_text

_MOST_GROUPS = 40
"""With more groups, only the best and the worst are shown."""
_MOST_GROUPS_ALL_PAIRS = 6
"""With more groups, only the first is compared with every other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Groups, highest mean first, and their differences."""

    overall: GroupLine
    groups: tuple[GroupLine, ...]
    left_out: int
    digits: int
    """Decimals that match the precision of the means."""
    differences: tuple[DifferenceLine, ...]


def ranking(
    items: Sequence[Item],
    estimate: Estimate,
    scale: ScaleLine,
    *,
    panel_scale: ScaleLine | None = None,
) -> Ranking:
    """The groups of these items by mean; without groups, only the mean of all items.

    `panel_scale` is the judges' scale, if it differs from that of the scores.
    """
    everything = np.arange(len(items))
    panel_scale = panel_scale or scale
    overall = _line("all items", everything, estimate, scale, panel_scale)
    members = _members(items)
    if not members:
        digits = _digits([overall], scale)
        return Ranking(overall=overall, groups=(), left_out=0, digits=digits, differences=())
    shown = _best_and_worst(members, estimate)
    lines = sorted(
        (_line(name, members[name], estimate, scale, panel_scale) for name in shown),
        key=lambda line: (line.mean is None, -(line.mean or 0.0), line.name),
    )
    digits = _digits([overall, *lines], scale)
    differences = _differences(lines, members, items, estimate, replace(scale, digits=digits))
    level = _level_with_first(lines, differences)
    return Ranking(
        overall=overall,
        groups=tuple(replace(line, level_with_first=line.name in level) for line in lines),
        left_out=len(members) - len(shown),
        digits=digits,
        differences=differences,
    )


def _members(items: Sequence[Item]) -> dict[str, IntArray]:
    """The items of each group; empty if no item has a group."""
    places: dict[str | None, list[int]] = {}
    for k, item in enumerate(items):
        places.setdefault(item.group, []).append(k)
    if set(places) == {None}:
        return {}
    return {
        "(no group)" if name is None else name: np.array(own, np.int64)
        for name, own in places.items()
    }


def _best_and_worst(members: dict[str, IntArray], estimate: Estimate) -> list[str]:
    """All groups, or the best and the worst if there are too many."""
    if len(members) <= _MOST_GROUPS:
        return list(members)
    ordered = sorted(members, key=lambda name: -float(estimate.score[members[name]].mean()))
    return ordered[: _MOST_GROUPS // 2] + ordered[-_MOST_GROUPS // 2 :]


def _line(
    name: str, members: IntArray, estimate: Estimate, scale: ScaleLine, panel_scale: ScaleLine
) -> GroupLine:
    if not isinstance(estimate, PanelEstimate):
        mean = scale.low + scale.width * float(estimate.score[members].mean())
        seen = estimate.weights[members].any(axis=1)
        unasked = int(members.size - np.count_nonzero(seen))
        return _group_line(name, members, unasked, mean if seen.any() else None)
    asked = int(np.count_nonzero(~np.isnan(estimate.raw_score[members])))
    if not asked:
        return _group_line(name, members, members.size, None)
    found = group_mean(estimate, members)
    return replace(
        _with_people(
            _group_line(name, members, found.unasked, scale.low + scale.width * found.mean),
            members,
            estimate,
            found,
            panel_scale,
        ),
        interval=_on_scale(found, scale, scale.low),
        beyond=_on_scale(group_mean(estimate, members, population=True), scale, scale.low)
        if asked > 1
        else None,
    )


def _with_people(
    line: GroupLine,
    members: IntArray,
    estimate: PanelEstimate,
    found: GroupMean,
    panel_scale: ScaleLine,
) -> GroupLine:
    """The line with the panel's own mean, for a mean on the people's scale."""
    if not isinstance(estimate, PeopleEstimate):
        return line
    own = panel_scale.low + panel_scale.width * estimate.panel.raw_score[members]
    people = found if isinstance(found, PeopleMean) else None
    return replace(
        line,
        panel_mean=None if np.isnan(own).all() else float(np.nanmean(own)),
        labelled=None if people is None else people.labelled,
        lent=people is not None and people.lent,
    )


def _group_line(name: str, members: IntArray, unasked: int, mean: float | None) -> GroupLine:
    return GroupLine(
        name=name,
        items=int(members.size),
        unasked=unasked,
        mean=mean,
        interval=None,
        beyond=None,
        level_with_first=False,
    )


def _differences(
    lines: Sequence[GroupLine],
    members: dict[str, IntArray],
    items: Sequence[Item],
    estimate: Estimate,
    scale: ScaleLine,
) -> tuple[DifferenceLine, ...]:
    if not isinstance(estimate, PanelEstimate):
        return ()
    names = [line.name for line in lines if line.mean is not None]
    chosen = (
        combinations(names, 2)
        if len(names) <= _MOST_GROUPS_ALL_PAIRS
        else ((names[0], other) for other in names[1:])
    )
    prompts = [item.prompt for item in items]
    lines_of = []
    for first, second in chosen:
        found = Comparison.of(estimate, members[first], members[second], prompts=prompts)
        lines_of.append(_difference_line(first, second, found, scale))
    return tuple(lines_of)


def _difference_line(
    first: str, second: str, found: Comparison, scale: ScaleLine
) -> DifferenceLine:
    """The difference on the user's scale, and in words."""
    here, everywhere = found.here, found.beyond
    interval = _on_scale(here, scale)
    beyond = None if everywhere is None else _on_scale(everywhere, scale)
    return DifferenceLine(
        first=first,
        second=second,
        mean=scale.width * here.mean,
        interval=interval,
        beyond=beyond,
        pairs=found.pairs,
        left_out=found.left_out,
        told_apart=_without_zero(interval),
        holds_beyond=beyond is not None and _without_zero(beyond),
        sentence=_sentence(first, second, interval, scale.digits),
    )


def _digits(lines: Sequence[GroupLine], scale: ScaleLine) -> int:
    """Enough decimals to distinguish the ends of the shortest interval."""
    widths = [line.interval.high - line.interval.low for line in lines if line.interval]
    shortest = min((width for width in widths if width > 0), default=scale.width)
    return max(scale.digits, min(math.ceil(1 - math.log10(shortest)), 6))


def _without_zero(interval: Range) -> bool:
    return not interval.low <= 0 <= interval.high


def _sentence(first: str, second: str, interval: Range, digits: int) -> str:
    """For example, `b is better than a by 0.4 to 0.9.`, or that they cannot be told apart."""
    if interval.low > 0:
        return f"{first} is better than {second} by {_by(interval.low, interval.high, digits)}."
    if interval.high < 0:
        return f"{second} is better than {first} by {_by(-interval.high, -interval.low, digits)}."
    return f"{first} and {second} cannot be told apart with these calls."


def _by(low: float, high: float, digits: int) -> str:
    """The interval, with enough decimals that a positive end is not shown as zero."""
    while round(low, digits) == 0 and digits < 9:
        digits += 1
    if round(low, digits) == round(high, digits):
        return score_text(low, digits)
    return range_text(low, high, digits)


def _level_with_first(
    lines: Sequence[GroupLine], differences: Sequence[DifferenceLine]
) -> set[str]:
    """The groups that may be best: the first, and those not significantly different from it."""
    if not differences:
        return set()
    first = lines[0].name
    return {first} | {
        line.second for line in differences if line.first == first and not line.told_apart
    }


def _on_scale(found: GroupMean, scale: ScaleLine, origin: float = 0.0) -> Range:
    """The interval on the user's scale; the origin is 0 for a difference."""
    low, high = found.interval()
    return Range(low=origin + scale.width * low, high=origin + scale.width * high)
