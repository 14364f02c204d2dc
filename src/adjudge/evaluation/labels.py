"""Labels from a Python user's data: a file, a data frame, mappings, or labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import polars as pl

from adjudge.errors import InputError
from adjudge.evaluation.items import PandasFrame, pandas_rows
from adjudge.records import Label

Labels: TypeAlias = (
    str
    | Path
    | Mapping[str, object]
    | pl.DataFrame
    | PandasFrame
    | Iterable[Label | Mapping[str, object]]
)
"""A file of labels, labels by item id, a data frame, rows, or a value as in a run file."""

_WORDS = {"path", "scale", "random_sample"}
_ROWS = "rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenLabels:
    """A caller's labels in two parts."""

    words: object = None
    """The value of `labels` in a run file; None if not given."""
    rows: tuple[object, ...] = ()

    @classmethod
    def of(cls, labels: Labels | None) -> GivenLabels:
        """The run file's part and the labels themselves.

        `{"rows": ..., "scale": "1..5"}` contains both.
        """
        if labels is None:
            return cls()
        if isinstance(labels, str | Path):
            return cls(words=str(labels))
        if isinstance(labels, Mapping) and labels and set(labels) <= {*_WORDS, _ROWS}:
            words = {key: value for key, value in labels.items() if key != _ROWS}
            return cls(words=words, rows=_rows(labels.get(_ROWS, ())))
        return cls(rows=_rows(labels))


def _rows(labels: object) -> tuple[object, ...]:
    if isinstance(labels, Mapping):
        return tuple({"item": item, "label": label} for item, label in labels.items())
    if isinstance(labels, pl.DataFrame):
        return tuple(labels.iter_rows(named=True))
    if isinstance(labels, PandasFrame):
        return tuple(pandas_rows(labels))
    if isinstance(labels, Iterable) and not isinstance(labels, str | bytes):
        return tuple(labels)
    raise InputError(
        "labels", f"this is a {type(labels).__name__}", 'give {"id": label}, rows or a file'
    )
