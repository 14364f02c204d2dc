"""The data of a figure, apart from its drawing."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Line:
    """One line of a panel, with its band."""

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
    """Where the line begins, if later than the panel does: the picture marks it."""
    note: str = ""
    """What the mark says."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Panel:
    """One pair of axes."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    floor: float | None = None
    """Where the vertical axis ends below; so that all lines fit if None."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """One figure: panels in rows, with one legend for all of them."""

    name: str
    title: str
    caption: str
    """What lines and bands are."""
    rows: tuple[tuple[Panel, ...], ...]
    heights: tuple[float, ...]
    """Relative height of each row."""
