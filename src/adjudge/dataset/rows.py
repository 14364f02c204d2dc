"""Numbered rows from each file format."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING

import orjson

from adjudge.dataset.parquet import UnsoundParquetError, read_parquet
from adjudge.dataset.problems import Problems
from adjudge.dataset.sources import Format, Source

if TYPE_CHECKING:
    from _csv import Reader as CsvReader

Rows = Iterator[tuple[int, Mapping[str, object]]]
"""Each row with its line or row number."""

_OBJECT = 'give an object, as {"id": "1", "response": "..."}'
_ONE_LINE = "write each object on a line of its own, or all of them as one list in [ ]"
_SLICE = 50_000
"""Rows of a Parquet file converted at a time."""


def rows_of(source: Source, problems: Problems, limit: int | None) -> Rows:
    """The rows of the source; unreadable ones are noted and skipped."""
    if source.format is Format.PARQUET:
        return _parquet_rows(source, problems, limit)
    if source.format is Format.JSON:
        return islice(_json_rows(source, problems), limit)
    if source.format is Format.JSON_LINES:
        return islice(_json_lines(source, problems), limit)
    return islice(_cells(source, problems), limit)


def _json_lines(source: Source, problems: Problems) -> Rows:
    for number, line in enumerate(source.lines, 1):
        if line.isspace():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            if line.strip() == b"{":
                problems.note(f"an object is not closed; {_ONE_LINE}", row=number)
                return
            problems.note(_not_json(line, error), row=number)
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            problems.note(f"this is {_kind(row)}; {_OBJECT}", row=number)


def _json_rows(source: Source, problems: Problems) -> Rows:
    text = b"".join(source.lines)
    try:
        rows = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        problems.note(f"it is not JSON ({place}); fix it there")
        return
    del text
    for number, row in enumerate(rows, 1):
        if isinstance(row, dict):
            yield number, row
        else:
            problems.note(f"this is {_kind(row)}; {_OBJECT}", row=number)


def _cells(source: Source, problems: Problems) -> Rows:
    lines = _decoded(source.lines, problems)
    blank, first = 0, next(lines, "")
    while first.isspace():
        blank, first = blank + 1, next(lines, "")
    csv.field_size_limit(2**31 - 1)  # a response may be longer than csv's default limit
    separator = "\t" if source.format is Format.TABBED else _separator(first)
    reader = csv.reader(chain([first], lines), delimiter=separator, strict=True)
    records = _records(reader, problems, before=blank)
    _, header = next(records, (0, [""]))
    header = [name.strip() for name in header]
    twice = sorted(name for name, often in Counter(header).items() if name and often > 1)
    if twice:
        problems.note(f'the column "{twice[0]}" occurs twice; rename one of them')
        return
    for number, cells in records:
        if len(cells) != len(header):
            problems.note(
                f"there are {len(cells)} cells where the header has {len(header)}; "
                "put text that holds separators or line breaks in double quotes",
                row=number,
            )
            continue
        row = dict(zip(header, cells, strict=True))
        row.pop("", None)  # an index column, which has no name
        yield number, row


def _records(
    reader: CsvReader, problems: Problems, *, before: int
) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record, with the line on which it begins."""
    while True:
        number = before + reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            reason = "a quoted cell is not closed" if "unexpected end" in str(error) else str(error)
            problems.note(f"{reason}; double each quote inside a quoted cell", row=number)
            continue
        if cells:
            yield number, cells


def _separator(header: str) -> str:
    """The delimiter of a CSV file."""
    # Spreadsheets write semicolons where the comma is the decimal point.
    return next((mark for mark in ",\t;" if mark in header), ",")


def _parquet_rows(source: Source, problems: Problems, limit: int | None) -> Rows:
    try:
        frame = read_parquet(source.stream, limit)
    except UnsoundParquetError as error:
        problems.note(f"it is not a valid Parquet file ({error}); write it again")
        return
    number = 0
    for part in frame.iter_slices(_SLICE):
        for row in part.iter_rows(named=True):
            number += 1
            yield number, row


def _decoded(lines: Iterator[bytes], problems: Problems) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            problems.note(_not_utf8(line, error), row=number)
            yield line.decode(errors="replace")


def _not_json(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as wrong:
        return _not_utf8(line, wrong)
    column = min(error.pos, len(line.rstrip().decode())) + 1
    return f"it is not JSON (column {column}); fix it there"


def _not_utf8(line: bytes, error: UnicodeDecodeError) -> str:
    byte = f"byte {error.start + 1} is 0x{line[error.start]:02X}"
    return f"{byte}, which is not UTF-8; save the file as UTF-8"


def _kind(value: object) -> str:
    names = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
