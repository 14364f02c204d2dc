"""Draws a picture, and writes it as PNG and PDF."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from adjudge.errors import InputError
from adjudge.report.figures.picture import Line, Panel, Picture
from adjudge.report.figures.style import OTHER, STYLES

_FONT = 9.5
_DOTS_PER_INCH = 144
_STEPS: tuple[tuple[float, tuple[float, ...]], ...] = (
    (30.0, (1, 3)),
    (4.0, (1, 2, 5)),
    (1.9, (1, 1.2, 1.5, 2, 3, 5, 7)),
    (0.0, (1, 1.1, 1.2, 1.3, 1.4, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)),
)
"""Multiples of powers of ten that are labelled if an axis spans more than this factor."""
_MANY_POINTS = 8
"""From this number of points on, every other point has a marker."""


def draw(picture: Picture) -> Figure:
    """The figure, with one legend for all panels; changes no global state."""
    columns = max(len(row) for row in picture.rows)
    single = columns == 1
    size = (7.0, 3.4 * len(picture.rows) + 0.6) if single else _grid_size(picture, columns)
    figure = Figure(figsize=size, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(
        len(picture.rows),
        columns,
        squeeze=False,
        sharex="col" if single else "none",
        height_ratios=list(picture.heights),
    )
    handles: dict[str, Line2D] = {}
    for row, own in zip(picture.rows, axes, strict=True):
        for panel, place in zip(row, own, strict=False):
            for line, handle in zip(panel.lines, _draw_panel(place, panel), strict=True):
                handles.setdefault(line.key, handle)
        for place in own[len(row) :]:
            place.set_visible(False)
    figure.suptitle(f"{picture.title}\n{picture.caption}", fontsize=_FONT + 0.5)
    figure.legend(
        handles=list(handles.values()),
        loc="outside lower center",
        ncols=2 if single else 3,
        fontsize=_FONT,
        frameon=False,
    )
    # Do the layout once, not again for every file.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    return figure


def save(figure: Figure, directory: Path, name: str) -> tuple[Path, Path]:
    """Write PNG and PDF and return their paths; the same picture gives the same bytes."""
    png, pdf = directory / f"{name}.png", directory / f"{name}.pdf"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        figure.savefig(
            png, dpi=_DOTS_PER_INCH, metadata={"Software": None}, pil_kwargs={"optimize": True}
        )
        figure.savefig(pdf, metadata={"CreationDate": None, "Creator": None, "Producer": None})
    except OSError as error:
        raise InputError(
            "output", f"{directory} cannot be written ({error.strerror})", "give another directory"
        ) from error
    return png, pdf


def _grid_size(picture: Picture, columns: int) -> tuple[float, float]:
    return 3.6 * columns, 2.7 * len(picture.rows) + 1.3


def _draw_panel(place: Axes, panel: Panel) -> list[Line2D]:
    place.set_xscale("log")
    place.set_yscale("log")
    handles = [_draw_line(place, line) for line in panel.lines]
    place.set_title(panel.title, fontsize=_FONT + 0.5)
    place.set_xlabel(panel.x_label, fontsize=_FONT + 0.5)
    place.set_ylabel(panel.y_label, fontsize=_FONT + 0.5)
    place.tick_params(labelsize=_FONT)
    place.grid(which="major", color="#dddddd", linewidth=0.6)
    place.spines[["top", "right"]].set_visible(False)
    if panel.floor is not None:
        place.set_ylim(bottom=panel.floor)
    _mark_beginnings(place, panel.lines)
    place.xaxis.set_minor_locator(NullLocator())
    _label_enough_ticks(place)
    return handles


def _draw_line(place: Axes, line: Line) -> Line2D:
    style = STYLES.get(line.key, OTHER)
    # A logarithmic axis cannot show zero.
    positive = line.y > 0
    y = np.where(positive, line.y, np.nan)
    (handle,) = place.plot(
        line.x,
        y,
        color=style.colour,
        linestyle=style.dashes,
        marker=style.marker or None,
        markersize=4.5,
        markevery=(style.every_other, 2) if line.x.size >= _MANY_POINTS else None,
        markeredgewidth=0,
        linewidth=1.4,
        label=line.label,
    )
    if not np.array_equal(line.low, line.high):
        floor = np.where(positive, line.y, np.nan) / 1e3
        place.fill_between(
            line.x,
            np.fmax(line.low, floor),
            np.fmax(line.high, floor),
            color=style.colour,
            alpha=0.18,
            linewidth=0,
        )
    return handle


def _mark_beginnings(place: Axes, lines: Sequence[Line]) -> None:
    """Draw a dotted line with a note where a curve begins; grey if several begin there."""
    marked: dict[str, list[Line]] = {}
    for line in lines:
        if line.begins is not None:
            marked.setdefault(line.note, []).append(line)
    for note, together in marked.items():
        begins = together[0].begins
        assert begins is not None
        alone = len(together) == 1
        colour = (STYLES.get(together[0].key, OTHER) if alone else OTHER).colour
        place.axvline(begins, color=colour, linestyle=(0, (1, 2)), linewidth=1.0)
        place.annotate(
            note,
            (begins, 0),
            xycoords=("data", "axes fraction"),
            xytext=(2, 4),
            textcoords="offset points",
            rotation=90,
            ha="left",
            va="bottom",
            fontsize=9,
            color=colour,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.4},
        )


def _label_enough_ticks(place: Axes) -> None:
    """Label numbers between the powers of ten if the axis would otherwise have few labels."""
    low, high = place.get_ylim()
    span = high / low
    if span > 300:
        place.yaxis.set_minor_locator(NullLocator())
        return
    steps = next(steps for least, steps in _STEPS if span > least)
    place.yaxis.set_major_locator(LogLocator(subs=steps, numticks=12))
    place.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    place.yaxis.set_minor_formatter(NullFormatter())
