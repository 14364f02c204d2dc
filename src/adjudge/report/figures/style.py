"""Line styles: colours that colour-blind readers can tell apart, and markers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LineStyle:
    """Colour, marker and dashes of a line."""

    colour: str
    marker: str = ""
    dashes: str = "-"
    every_other: int = 0
    """0 or 1: whether even or odd points have markers, so that overlapping lines both show."""


# The palette of Okabe and Ito (2008).
_BLACK, _ORANGE, _SKY, _GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
_BLUE, _VERMILION, _PURPLE, _GREY = "#0072B2", "#D55E00", "#CC79A7", "#666666"

STYLES = {
    "oracle": LineStyle(colour=_BLACK, marker="o"),
    "uniform": LineStyle(colour=_ORANGE, marker="s"),
    "uniform-ivw": LineStyle(colour=_PURPLE, marker="D", every_other=1),
    "est-ivwe-bounded": LineStyle(colour=_BLUE, marker="^"),
    "est-ivwe-gaussian": LineStyle(colour=_GREEN, marker="v", every_other=1),
    "robin": LineStyle(colour=_SKY, marker="P", every_other=1),
    "robin-hood": LineStyle(colour=_VERMILION, marker="X", every_other=1),
    "bad-is-expensive": LineStyle(colour=_BLUE, marker="^"),
    "bad-is-cheap": LineStyle(colour=_VERMILION, marker="o"),
    "uniform-costs": LineStyle(colour=_GREEN, marker="s"),
    "bound-bounded": LineStyle(colour=_GREY, dashes=":"),
    "bound-gaussian": LineStyle(colour=_GREY, dashes="--"),
}
OTHER = LineStyle(colour=_GREY, marker=".")
"""Style of any other line."""
