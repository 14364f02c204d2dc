"""Protocols for what can be drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adjudge.core.arrays import FloatArray


class Line(Protocol):
    """One line of a panel, with its band."""

    @property
    def key(self) -> str:
        """Key of colour and marker, which are the same in every picture."""
        ...

    @property
    def label(self) -> str:
        """Its entry in the legend."""
        ...

    @property
    def x(self) -> FloatArray:
        """Shape (B,)."""
        ...

    @property
    def y(self) -> FloatArray:
        """Shape (B,)."""
        ...

    @property
    def low(self) -> FloatArray:
        """Lower edge of the band; shape (B,)."""
        ...

    @property
    def high(self) -> FloatArray:
        """Upper edge of the band; shape (B,)."""
        ...

    @property
    def begins(self) -> float | None:
        """The beginning of the line to mark; None for no mark."""
        ...

    @property
    def note(self) -> str:
        """Text of the mark."""
        ...


class Panel(Protocol):
    """One pair of logarithmic axes."""

    @property
    def title(self) -> str:
        """Title above the panel; may be empty."""
        ...

    @property
    def x_label(self) -> str:
        """May be empty."""
        ...

    @property
    def y_label(self) -> str:
        """May be empty."""
        ...

    @property
    def floor(self) -> float | None:
        """Lower end of the vertical axis; None to fit all lines."""
        ...

    @property
    def lines(self) -> Sequence[Line]:
        """In the order of the legend."""
        ...


class Picture(Protocol):
    """Panels in rows, with one legend for all of them."""

    @property
    def name(self) -> str:
        """The name of its files, without an extension."""
        ...

    @property
    def title(self) -> str:
        """Title above all panels."""
        ...

    @property
    def caption(self) -> str:
        """Explanation of lines and bands, below the title."""
        ...

    @property
    def rows(self) -> Sequence[Sequence[Panel]]:
        """Rows of panels; all rows have the same length."""
        ...

    @property
    def heights(self) -> Sequence[float]:
        """Relative height of each row."""
        ...
