"""The panels and lines of every figure, with their labels."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.studies.curves import Curve, Curves, ratio
from adjudge.studies.names import PANEL, STRATEGY, money, norm_symbol, norm_word
from adjudge.studies.picture import Line, Panel, Picture
from adjudge.studies.study import Study

_ABREAST = 3
"""Panels per row when there is one norm."""
BOUND = {
    "bounded": "Lower bound, bounded scores",
    "gaussian": "Lower bound, unbiased Gaussian scores",
}


def curve_pictures(study: Study, curves: Curves, *, title: str) -> Iterator[Picture]:
    """One picture per norm: the errors, and below them their ratios to the oracle's."""
    for norm in study.norms:
        name = f"{study.name}-{norm_word(norm)}"
        panel = study.panels[0]
        errors = Panel(
            title="",
            x_label="",
            y_label=f"{norm_symbol(norm)} error",
            lines=_strategy_lines(study, curves, panel, norm)
            + _bound_lines(study, curves, panel, norm),
        )
        multiples = Panel(
            title="",
            x_label="Budget",
            y_label="Error / Oracle's",
            lines=_ratio_lines(study, curves, panel, norm),
        )
        yield Picture(
            name=name,
            title=f"{title}: {norm_symbol(norm)} error",
            caption=_bands(curves, ratios=True),
            rows=((errors,), (multiples,)),
            heights=(2.0, 1.0),
        )


def grid_picture(study: Study, curves: Curves, *, title: str) -> Picture:
    """One row per panel of the study and one column per norm; with one norm, panels fill rows."""
    cells = [
        [_grid_panel(study, curves, panel, norm) for norm in study.norms] for panel in study.panels
    ]
    if len(study.norms) == 1:
        flat = [row[0] for row in cells]
        cells = [flat[start : start + _ABREAST] for start in range(0, len(flat), _ABREAST)]
    rows = [tuple(row) for row in cells]
    return Picture(
        name=study.name,
        title=title,
        caption=_bands(curves, ratios=False),
        rows=tuple(rows),
        heights=(1.0,) * len(rows),
    )


def _grid_panel(study: Study, curves: Curves, panel: str, norm: float) -> Panel:
    lines = _strategy_lines(study, curves, panel, norm)
    lowest = min((float(line.y[line.y > 0].min()) for line in lines if line.y.any()), default=None)
    return Panel(
        title=f"{PANEL.get(panel, panel)}, {norm_symbol(norm)}",
        x_label="Budget",
        y_label=f"{norm_symbol(norm)} error",
        lines=lines + _bound_lines(study, curves, panel, norm, kinds=("gaussian",)),
        # The bound keeps falling; without a floor the plateaus above it would be squeezed.
        floor=None if lowest is None else lowest / 5,
    )


def cost_picture(study: Study, curves: Curves, *, title: str) -> Picture:
    """Rows: each strategy under the three cost structures, then Est-IVWE's ratio to the oracle."""
    rows = [
        tuple(_cost_panel(study, curves, strategy, norm) for norm in study.norms)
        for strategy in ("est-ivwe-bounded", "oracle")
    ]
    rows.append(tuple(_gap_panel(study, curves, norm) for norm in study.norms))
    return Picture(
        name=study.name,
        title=title,
        caption=_bands(curves, ratios=True),
        rows=tuple(rows),
        heights=(1.0, 1.0, 1.0),
    )


def _cost_panel(study: Study, curves: Curves, strategy: str, norm: float) -> Panel:
    found = [curves.curve(panel, norm, strategy) for panel in study.panels]
    return Panel(
        title=f"{STRATEGY[strategy]}, {norm_symbol(norm)}",
        x_label="",
        y_label=f"{norm_symbol(norm)} error",
        lines=tuple(
            _line(
                curve,
                key=curve.panel,
                label=PANEL[curve.panel],
                first=_first(curves, curve.panel),
            )
            for curve in found
            if curve is not None
        ),
    )


def _gap_panel(study: Study, curves: Curves, norm: float) -> Panel:
    lines = [
        replace(line, key=panel, label=PANEL[panel])
        for panel in study.panels
        for line in _ratio_lines(study, curves, panel, norm)
        if line.key == "est-ivwe-bounded"
    ]
    return Panel(
        title=f"Est-IVWE (Bounded) over Oracle, {norm_symbol(norm)}",
        x_label="Budget",
        y_label="Error / Oracle's",
        lines=tuple(lines),
    )


def _strategy_lines(study: Study, curves: Curves, panel: str, norm: float) -> tuple[Line, ...]:
    found = [curves.curve(panel, norm, strategy) for strategy in study.strategies]
    return tuple(
        _line(
            curve, key=curve.strategy, label=STRATEGY[curve.strategy], first=_first(curves, panel)
        )
        for curve in found
        if curve is not None
    )


def _line(curve: Curve, *, key: str, label: str, first: float) -> Line:
    late = curve.begins > first * (1 + DUST)
    return Line(
        key=key,
        label=label,
        x=curve.budget,
        y=curve.mean,
        low=curve.low,
        high=curve.high,
        begins=curve.begins if late else None,
        note=f"from {money(curve.begins)}" if late else "",
    )


def _ratio_lines(study: Study, curves: Curves, panel: str, norm: float) -> tuple[Line, ...]:
    oracle = curves.curve(panel, norm, "oracle")
    lines = []
    for strategy in study.strategies:
        curve = curves.curve(panel, norm, strategy)
        if oracle is None or curve is None:
            continue
        over = ratio(curve, oracle)
        spread = 2 * np.nan_to_num(over.error)
        lines.append(
            Line(
                key=strategy,
                label=STRATEGY[strategy],
                x=over.budget,
                y=over.value,
                low=over.value - spread,
                high=over.value + spread,
            )
        )
    return tuple(lines)


def _bound_lines(
    study: Study,
    curves: Curves,
    panel: str,
    norm: float,
    *,
    kinds: Sequence[str] = ("gaussian", "bounded"),
) -> tuple[Line, ...]:
    budgets = [curve.budget for curve in curves.curves if curve.panel == panel]
    everywhere = np.unique(np.concatenate(budgets)) if budgets else np.zeros(0)
    lines = []
    for kind in kinds:
        found = curves.bound(panel, norm, kind)
        scale = float(np.mean([bound.scale for bound in found])) if found else 0.0
        if not 0 < scale < math.inf or not everywhere.size:
            continue
        value = scale / np.sqrt(everywhere)
        holds = max(bound.holds_from for bound in found)
        condition = ""
        if kind == "bounded":
            condition = " (conditions not met)" if holds == math.inf else f", from {money(holds)}"
        lines.append(
            Line(
                key=f"bound-{kind}",
                label=BOUND[kind] + condition,
                x=everywhere,
                y=value,
                low=value,
                high=value,
            )
        )
    return tuple(lines)


def _first(curves: Curves, panel: str) -> float:
    """The smallest budget of a panel."""
    own = [curve for curve in curves.curves if curve.panel == panel and curve.budget.size]
    return min((float(curve.budget[0]) for curve in own), default=0.0)


def _bands(curves: Curves, *, ratios: bool) -> str:
    """The caption that explains lines and bands."""
    number = f"{curves.runs} run" if curves.runs == 1 else f"{curves.runs} runs"
    bands = f"Mean of {number}, with the 10 % and 90 % quantiles"
    return f"{bands}; of ratios, ± 2 standard errors" if ratios else bands
