"""A report's content as JSON."""

from __future__ import annotations

import math
import re
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from adjudge.records import NANO
from adjudge.report.content.values import ReportContent

_SURROGATES = re.compile("[\ud800-\udfff]")
_NOT_ASKED_FOR = frozenset({"spots", "allocation"})
"""Fields that only pictures need."""


def content_json(content: ReportContent) -> dict[str, Any]:
    """Names and plain values; money in dollars, unknown values as null."""
    return {
        field.name: _plain(getattr(content, field.name))
        for field in fields(content)
        if field.name not in _NOT_ASKED_FOR
    }


def _plain(value: object, kind: object = None) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: _plain(getattr(value, field.name), field.type) for field in fields(value)
        }
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return _number_or_text(value, kind)


def _number_or_text(value: object, kind: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, str):
        return _SURROGATES.sub("\ufffd", str(value))
    if kind == "Money" and isinstance(value, int):
        return value / NANO
    if value == math.inf:
        return "inf"  # a norm, as run files write it
    return None if isinstance(value, float) and math.isnan(value) else value
