"""Reads checked items from a source."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from adjudge.dataset.columns import FIELDS, unknown_field
from adjudge.dataset.gather import Gathering
from adjudge.dataset.labels import LabelReading
from adjudge.dataset.problems import Problems
from adjudge.dataset.rows import rows_of
from adjudge.dataset.sources import Format, opened
from adjudge.errors import DatasetError, InputError
from adjudge.records import Item

_NO_MAPPING: Mapping[str, str] = MappingProxyType({})


def read_items(
    source: str | Path,
    *,
    fields: Mapping[str, str] | None = None,
    limit: int | None = None,
    labels: LabelReading | None = None,
    stdin: BinaryIO | None = None,
) -> list[Item]:
    """The items of a JSONL, JSON, CSV, TSV or Parquet file, or of standard input (`-`).

    `fields` maps fields of an item to columns, as `{"response": "answer"}`; other fields are found
    by the column names in `FIELDS`, and all other columns are metadata. Without ids, items are
    numbered from "1". `labels` says how to read people's labels; without it they are metadata.
    All problems are reported in one DatasetError.
    """
    if limit is not None and limit < 1:
        raise InputError("limit", f"{limit}", "take at least one item, or leave it out")
    with opened(source, stdin) as found, _without_collection():
        unit = "row" if found.format in {Format.PARQUET, Format.JSON} else "line"
        problems = Problems(found.name, unit=unit)
        gathering = Gathering(problems, _checked(found.name, fields), labels)
        # islice accepts at most sys.maxsize.
        most = None if limit is None else min(limit, sys.maxsize)
        for row, values in rows_of(found, problems, most):
            gathering.add(row, values)
    return gathering.items()


def items_of(
    rows: Iterable[Mapping[str, object] | Item],
    *,
    fields: Mapping[str, str] | None = None,
    labels: LabelReading | None = None,
) -> list[Item]:
    """Items from Python values: `Item`s, or mappings read as in `read_items`."""
    problems = Problems("items", unit="row")
    gathering = Gathering(problems, _checked("items", fields), labels)
    for number, row in enumerate(rows, 1):
        wrong = _no_row(row)
        if wrong is not None:
            problems.note(wrong, row=number)
        elif isinstance(row, Item):
            gathering.keep(number, row)
        else:
            gathering.add(number, row)
    return gathering.items()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Disable garbage collection: rows form no cycles, and the search takes a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _no_row(row: object) -> str | None:
    """Why this value is not a row; None if it is."""
    if isinstance(row, Item):
        return None
    if not isinstance(row, Mapping):
        return f"this is a {type(row).__name__}; give a mapping or an Item"
    if not all(isinstance(name, str) for name in row):
        return "a key is not text; use text as the name of every field"
    return None


def _checked(source: str, fields: Mapping[str, str] | None) -> Mapping[str, str]:
    unknown = [field for field in fields or () if field not in FIELDS]
    if unknown:
        raise DatasetError(source, [f"{source}: {unknown_field(field)}" for field in unknown])
    return fields or _NO_MAPPING
