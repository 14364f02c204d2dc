"""The data of a figure, separate from its drawing."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One line of a panel, with its error band."""

    key: str
    """Decides colour and marker."""
    label: str
    x: FloatArray
    """Shape (B,)."""
    y: FloatArray
    """Shape (B,)."""
    low: FloatArray
    """Lower edge of the band; shape (B,)."""
    high: FloatArray
    """Upper edge of the band; shape (B,)."""
    begins: float | None = None
    """Starting budget to mark, if later than the panel's first one."""
    note: str = ""
    """Text of the mark."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    floor: float | None = None
    """Lower end of the vertical axis; None fits all lines."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """One figure: panels in rows, with one legend for all of them."""

    name: str
    title: str
    caption: str
    """The meaning of lines and bands."""
    rows: tuple[tuple[Panel, ...], ...]
    heights: tuple[float, ...]
    """Relative height of each row."""
