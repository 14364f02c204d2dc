"""A run's results as tables for other programs: items, judges and calls."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from datetime import UTC, datetime
from itertools import count, islice
from typing import Any

import numpy as np
import orjson
import polars as pl

from adjudge.core.panel import PanelEstimate
from adjudge.core.people import Concord, PeopleEstimate
from adjudge.records import NANO, Item
from adjudge.report.content.people import found_agreement
from adjudge.run import LedgerCall, Result

_FORMULA = r"^[=+\-@\t\r\n＝＋－＠]"
_PLAIN_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
_BLOCK = 50_000
"""Most calls held as Python objects at a time."""


def items_frame(items: Sequence[Item], result: Result) -> pl.DataFrame:
    """Every item with its score, interval, calls and costs, followed by the item's own columns.

    An item that no judge scored has no score; its interval is predicted from the other items.
    """
    interval = result.interval()
    asked = result.asked
    columns: dict[str, Any] = {
        "id": [item.id for item in items],
        "group": pl.Series([item.group for item in items], dtype=pl.String),
        "score": result.scores,
        "low": interval.low,
        "high": interval.high,
        "level": np.full(len(items), interval.level),
        "standard_error": np.where(
            asked, result.scale.width * np.sqrt(result.estimate.variance), np.nan
        ),
    }
    if isinstance(result.estimate, PanelEstimate):
        columns["raw_score"] = result.scale.from_unit(result.estimate.raw_score)
    columns |= _of_people(result)
    columns["asked"] = asked
    columns["calls"] = result.answered.sum(axis=1)
    columns["dollars"] = result.spent.sum(axis=1) / NANO
    for j, judge in enumerate(result.judges):
        columns[_unused(f"calls_{judge.name}", columns)] = result.answered[:, j]
        columns[_unused(f"weight_{judge.name}", columns)] = result.estimate.weights[:, j]
    for name in ("prompt", "response", "reference"):
        texts = [getattr(item, name) for item in items]
        columns[_unused(name, columns)] = pl.Series(texts, dtype=pl.String)
    frame = pl.DataFrame(columns).fill_nan(None)
    return frame.with_columns(_metadata(items, taken=frame.columns))


def _of_people(result: Result) -> dict[str, Any]:
    """Columns for labels, for whose scale the score is on, and for the panel's own score."""
    labels, people = result.problem.labels, result.people
    if labels is None or people is None:
        return {}
    anchored = isinstance(result.estimate, PeopleEstimate)
    found: dict[str, Any] = {
        "target": ["people" if anchored else "panel"] * result.problem.items,
        "label": people.scale.from_unit(labels.mean),
    }
    return found | ({"panel_score": result.panel_scores} if anchored else {})


def judges_frame(result: Result) -> pl.DataFrame:
    """Every judge with its calls, its costs and, with the panel strategy, its properties.

    With labels, also its agreement with people.
    """
    rows = []
    panel = result.estimate.judges if isinstance(result.estimate, PanelEstimate) else None
    width = result.judge_scale.width
    agreement = found_agreement(result)
    for j, judge in enumerate(result.judges):
        row: dict[str, object] = {
            "judge": judge.name,
            "answered": judge.answered,
            "scored": judge.scored,
            "presumed_billed": judge.presumed,
            "refused": sum(judge.refusals.values()),
            "dollars": judge.spent / NANO,
            "switched_off": judge.switched_off,
        }
        if panel is not None:
            known = panel[j]
            row |= {
                "offset": width * known.offset,
                "noise": width * known.noise,
                "deviation": width * known.deviation,
                "failure_rate": known.failure_rate,
                "dollars_per_call": known.price / NANO,
                "guarded": not known.follows,
            }
        if agreement is not None and result.people is not None:
            row |= _with_people(agreement.judges[j], result.people.scale.width)
        rows.append(row)
    return pl.DataFrame(rows, infer_schema_length=None).fill_nan(None)


def _with_people(concord: Concord, width: float) -> dict[str, float | int]:
    return {
        "labelled_items": concord.items,
        "people_bias": width * concord.bias.value,
        "people_error": width * concord.absolute_error.value,
        "people_pearson": concord.pearson.value,
        "people_pearson_low": concord.pearson.low,
        "people_pearson_high": concord.pearson.high,
        "people_kappa": concord.kappa.value,
    }


def calls_frames(calls: Iterable[LedgerCall]) -> Iterable[pl.DataFrame]:
    """Every call with its cost, oldest first, in blocks."""
    remaining = iter(calls)
    while block := [_call_row(call) for call in islice(remaining, _BLOCK)]:
        yield pl.DataFrame(block, schema=_CALL_COLUMNS)


def for_spreadsheets(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """The table safe for spreadsheets, and the number of changed cells.

    Text that a spreadsheet would run as a formula gets a leading apostrophe, which marks it as
    text. Numbers stay unchanged.
    """
    names = [name for name, kind in frame.schema.items() if kind == pl.String]
    text = pl.col(names)
    begins = text.str.contains(_FORMULA) & ~text.str.contains(_PLAIN_NUMBER)
    count = sum(frame.select(begins.fill_null(False).sum()).row(0)) if names else 0
    titles = {name: f"'{name}" for name in frame.columns if re.match(_FORMULA, name)}
    if not count and not titles:
        return frame, 0
    safe = pl.when(begins).then(text.str.replace("^", "'")).otherwise(text)
    return frame.with_columns(safe).rename(titles), count + len(titles)


def no_calls() -> pl.DataFrame:
    """An empty table of calls."""
    return pl.DataFrame(schema=_CALL_COLUMNS)


_CALL_COLUMNS: dict[str, Any] = {
    "call": pl.Int64,
    "item": pl.String,
    "judge": pl.String,
    "state": pl.String,
    "reason": pl.String,
    "score": pl.Float64,
    "dollars": pl.Float64,
    "prompt_tokens": pl.Int64,
    "cached_tokens": pl.Int64,
    "output_tokens": pl.Int64,
    "at": pl.Datetime("us", "UTC"),
    "text": pl.String,
    "detail": pl.String,
}


def _call_row(call: LedgerCall) -> dict[str, object]:
    return {
        "call": call.call,
        "item": call.item,
        "judge": call.judge,
        "state": call.state.name.lower(),
        "reason": None if call.reason is None else call.reason.words,
        "score": call.score,
        "dollars": call.charged / NANO,
        "prompt_tokens": call.prompt_tokens,
        "cached_tokens": call.cached_tokens,
        "output_tokens": call.output_tokens,
        "at": datetime.fromtimestamp(call.at, UTC),
        "text": call.text,
        "detail": call.detail,
    }


def _metadata(items: Sequence[Item], *, taken: Sequence[str]) -> list[pl.Series]:
    """The items' other columns under their own names; mixed types become text."""
    names = dict.fromkeys(name for item in items for name in item.metadata)
    used = {*taken, *names}
    columns = []
    for name in names:
        shown = _unused(f"item_{name}", used) if name in taken else name
        used.add(shown)
        columns.append(_series(shown, [item.metadata.get(name) for item in items]))
    return columns


def _unused(name: str, taken: Container[str]) -> str:
    """The name without spaces, with a number if the name is already taken."""
    whole = "_".join(name.split())
    numbered = (f"{whole}_{number}" for number in count(2))
    return whole if whole not in taken else next(one for one in numbered if one not in taken)


def _series(name: str, values: list[object]) -> pl.Series:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or kinds in ({str}, {bool}):
        return pl.Series(name, values, strict=False)
    return pl.Series(name, [None if value is None else _text(value) for value in values], pl.String)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
