"""The picture of a plan: expected interval width by budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from adjudge.core.forecasts import Forecast
from adjudge.errors import InputError
from adjudge.judges import Scale
from adjudge.records import Money
from adjudge.report.numbers import digits_for, money_text, round_money_text, score_text

_LINE, _MARK = "#0072B2", "#D55E00"
_ENDINGS = (".png", ".svg", ".pdf")
_DATES = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""Metadata that is left out, so that the same picture gives the same file."""


def draw_plan(forecasts: Sequence[Forecast], path: Path, *, scale: Scale, spent: Money = 0) -> None:
    """Draw expected interval width against budget, and write it as PNG, SVG or PDF.

    Budgets are in nano-dollars, as in the forecasts; `spent` is marked.
    """
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        raise InputError("figure", f"{path}", f"its name must end in {' or '.join(_ENDINGS)}")
    if not forecasts:
        raise InputError("budgets", "none are given", "name one or more")
    # Without a fixed salt, matplotlib gives SVG elements random ids.
    with rc_context({"svg.hashsalt": "adjudge"}):
        try:
            plan_figure(forecasts, scale=scale, spent=spent).savefig(
                path, dpi=144, metadata=_DATES[ending]
            )
        except OSError as error:
            raise InputError(
                "figure", f"{path} cannot be written ({error.strerror})", "name another file"
            ) from error


def plan_figure(forecasts: Sequence[Forecast], *, scale: Scale, spent: Money = 0) -> Figure:
    """The figure; changes no global state."""
    ordered = sorted((one for one in forecasts if one.budget > 0), key=lambda one: one.budget)
    if not ordered:
        raise InputError("budgets", "all are zero", "name one above zero")
    figure = Figure(figsize=(6.4, 3.8), layout="constrained")
    FigureCanvasAgg(figure)
    place = figure.subplots()
    place.set_xscale("log")
    budgets = [one.budget for one in ordered]
    widths = [scale.width * one.mean_width for one in ordered]
    place.plot(budgets, widths, color=_LINE, marker="o", markersize=5, linewidth=1.6)
    for budget, width in zip(budgets, widths, strict=True):
        place.annotate(
            score_text(width, digits_for(scale.width)),
            (budget, width),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    _mark_spent(place, spent)
    _dress(place, budgets, 1.18 * max(widths), scale)
    return figure


def _mark_spent(place: Axes, spent: Money) -> None:
    if spent <= 0:
        return
    place.axvline(spent, color=_MARK, linestyle=(0, (3, 2)), linewidth=1.1)
    place.annotate(
        f"{money_text(spent)} spent",
        (spent, 1),
        xycoords=("data", "axes fraction"),
        xytext=(4, -4),
        textcoords="offset points",
        va="top",
        fontsize=9,
        color=_MARK,
    )


def _dress(place: Axes, budgets: Sequence[float], top: float, scale: Scale) -> None:
    place.set_ylim(0, max(top, 1e-12))
    if len(set(budgets)) == 1:
        place.set_xlim(budgets[0] / 3, budgets[0] * 3)
    place.xaxis.set_major_locator(FixedLocator(_apart(budgets)))
    place.xaxis.set_minor_locator(NullLocator())
    place.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: round_money_text(amount)))
    place.set_xlabel("budget, on a logarithmic scale", fontsize=9.5)
    place.set_ylabel(
        f"mean width of an interval\n(scale {scale.low:g} to {scale.high:g})", fontsize=9.5
    )
    place.tick_params(labelsize=9)
    place.grid(axis="y", color="#dddddd", linewidth=0.6)
    place.spines[["top", "right"]].set_visible(False)


def _apart(budgets: Sequence[float]) -> list[float]:
    """The budgets whose labels do not overlap."""
    least = math.log(budgets[-1] / budgets[0]) / 9
    kept: list[float] = []
    for budget in budgets:
        if not kept or math.log(budget / kept[-1]) >= least:
            kept.append(budget)
    return kept
