"""The report as one self-contained HTML file."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from urllib.parse import quote

import jinja2

from adjudge.judges.price_words import rate_text
from adjudge.records import dollars
from adjudge.report.content import ReportContent
from adjudge.report.content.texts import cut_name
from adjudge.report.html import axes, drawings
from adjudge.report.html.embed import embedded
from adjudge.report.numbers import (
    count_text,
    error_name,
    label_text,
    money_text,
    norm_name,
    range_text,
    score_text,
    share_text,
)

_SURROGATES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_ROWS_WITHOUT_SCRIPT = 50


def page(content: ReportContent) -> str:
    """The whole page; texts of items and judges are escaped, and only our own script can run."""
    script = _package_file("script.js")
    error = error_name(content.asked.norm)
    return render(
        "report.html",
        content=content,
        scale=content.scale,
        style=_package_file("style.css"),
        script=script,
        script_hash=_hash(script),
        data=embedded(content),
        first_items=content.items[:_ROWS_WITHOUT_SCRIPT],
        group_axis=axes.group_axis(content.groups, content.scale),
        agreement_axis=axes.agreement_axis(content.people),
        difference_axis=axes.difference_axis(content.differences),
        intervals=drawings.draw_intervals(content.spots, content.scale),
        bars=drawings.draw_bars(content.judges),
        allocation=drawings.draw_allocation(content.allocation),
        curve=drawings.draw_curve(content.curve, content.scale, error=error)
        if content.curve
        else None,
    )


def render(template: str, **values: object) -> str:
    """A template of the package, filled in; all values except our own markup are escaped."""
    text = _environment().get_template(template).render(**values)
    # Lone surrogates, which JSON may contain, cannot be written as UTF-8.
    return _SURROGATES.sub(_REPLACEMENT, text)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("adjudge.report.html", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "anchor": anchor,
        "count": count_text,
        "cut_name": cut_name,
        "dollars": dollars,
        "error_name": error_name,
        "label_text": label_text,
        "money": money_text,
        "norm": norm_name,
        "rate": rate_text,
        "px": lambda place: f"{place:.1f}".removesuffix(".0"),
        "score": score_text,
        "share": share_text,
        "place": _place,
    }
    environment.globals |= {"range_text": range_text}
    return environment


def anchor(item: str) -> str:
    """The fragment (after #) of a link to an item, given its id."""
    return quote(f"item-{_SURROGATES.sub(_REPLACEMENT, cut_name(item))}")


def _place(value: float, low: float, high: float) -> str:
    """Position of a value between two ends, as a percentage."""
    share = (value - low) / (high - low) if high > low else 0.5
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _package_file(name: str) -> str:
    return (resources.files("adjudge.report.html") / "templates" / name).read_text("utf-8")


def _hash(script: str) -> str:
    """The script's hash for the content security policy."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
