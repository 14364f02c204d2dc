"""Items from a Python user's data: a file, a data frame, mappings, or items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import polars as pl

from adjudge.dataset import LabelReading, items_of, read_items
from adjudge.errors import InputError
from adjudge.records import Item


@runtime_checkable
class PandasFrame(Protocol):
    """The methods of a pandas data frame that are used; pandas need not be installed."""

    columns: Any
    index: Any

    def isna(self) -> Any:
        """Which values are missing."""
        ...

    def reset_index(self) -> Any:
        """The frame with its index as columns."""
        ...

    def itertuples(self, *, index: bool, name: None) -> Iterable[tuple[object, ...]]:
        """The rows."""
        ...


Items: TypeAlias = (
    str | Path | pl.DataFrame | pl.LazyFrame | PandasFrame | Iterable[Item | Mapping[str, object]]
)
"""A file of items, a polars or pandas data frame, items, or mappings with their fields."""


def read(items: Items, labels: LabelReading | None = None) -> list[Item]:
    """The checked items; `labels` is how to read people's labels, if they are read."""
    if isinstance(items, str | Path):
        return read_items(items, labels=labels)
    if isinstance(items, pl.LazyFrame):
        items = items.collect()
    if isinstance(items, pl.DataFrame):
        return items_of(items.iter_rows(named=True), labels=labels)
    if isinstance(items, PandasFrame):
        return items_of(pandas_rows(items), labels=labels)
    return items_of(items, labels=labels)


def pandas_rows(frame: Any) -> Iterator[dict[str, object]]:
    """The rows as mappings; missing values become None, and a named index becomes a column."""
    names = [name for name in frame.index.names if name is not None]
    if names and not set(names) & set(frame.columns):
        frame = frame.reset_index()
    columns = list(frame.columns)
    twice = sorted({str(name) for name in columns if columns.count(name) > 1})
    if twice:
        raise InputError("items", f'the column "{twice[0]}" occurs twice', "rename one of them")
    missing = frame.isna().itertuples(index=False, name=None)
    rows = frame.itertuples(index=False, name=None)
    for values, absent in zip(rows, missing, strict=True):
        plain = (value.item() if isinstance(value, np.generic) else value for value in values)
        yield {
            column: None if gone else value
            for column, value, gone in zip(columns, plain, absent, strict=True)
        }
