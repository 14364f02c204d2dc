"""Figures: the data of a picture, and its drawing."""

from adjudge.report.figures.draw import draw, save
from adjudge.report.figures.picture import Line, Panel, Picture

__all__ = ["Line", "Panel", "Picture", "draw", "save"]
