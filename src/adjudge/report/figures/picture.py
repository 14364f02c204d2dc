"""What can be drawn: anything that has these fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adjudge.core.arrays import FloatArray


class Line(Protocol):
    """One line of a panel, with its band."""

    @property
    def key(self) -> str:
        """Decides colour and marker: the same key looks the same in every picture."""
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
        """Where the line begins, if that is to be marked."""
        ...

    @property
    def note(self) -> str:
        """What the mark says."""
        ...


class Panel(Protocol):
    """One pair of logarithmic axes."""

    @property
    def title(self) -> str:
        """Above the panel; may be empty."""
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
        """Where the vertical axis ends below; so that all lines fit if None."""
        ...

    @property
    def lines(self) -> Sequence[Line]:
        """In the order of the legend."""
        ...


class Picture(Protocol):
    """Panels in rows, with one legend for all of them."""

    @property
    def name(self) -> str:
        """The name of its files, without an ending."""
        ...

    @property
    def title(self) -> str:
        """Above everything."""
        ...

    @property
    def caption(self) -> str:
        """What lines and bands are; below the title."""
        ...

    @property
    def rows(self) -> Sequence[Sequence[Panel]]:
        """As many panels in each row."""
        ...

    @property
    def heights(self) -> Sequence[float]:
        """Relative height of each row."""
        ...
