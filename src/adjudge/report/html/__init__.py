"""The report as one self-contained HTML page."""

from adjudge.report.html.page import page

__all__ = ["page"]
