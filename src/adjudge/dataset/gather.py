"""Converts rows to items, with the checks common to all sources."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Mapping
from datetime import date, time, timedelta
from numbers import Number
from types import MappingProxyType

from adjudge.dataset.columns import Layout, absent_column
from adjudge.dataset.labels import LabelReading
from adjudge.dataset.problems import Problems
from adjudge.records import Item

_NO_RESPONSE = (
    "there is no response, but other rows have one; write one, such as (no answer), or leave the "
    "row out"
)
_NO_METADATA: Mapping[str, object] = MappingProxyType({})


class Gathering:
    """Collects the items of one source, row by row."""

    def __init__(
        self, problems: Problems, fields: Mapping[str, str], labels: LabelReading | None = None
    ) -> None:
        self._problems = problems
        self._fields = fields
        self._labels = labels
        """How labels are read; None treats them as metadata."""
        self._layouts: dict[tuple[str, ...], Layout] = {}
        self._misread: defaultdict[str, array[int]] = defaultdict(lambda: array("Q"))
        """Rows without a valid layout, by problem."""
        self._groups: dict[str, str] = {}
        """One string object per group name, to save memory."""
        self._items: list[Item] = []
        self._rows = array("Q")
        """The row number of each item."""
        self._seen = 0
        self._without_id = array("Q")

    def add(self, row: int, values: Mapping[str, object]) -> None:
        """Add the item of a row, or note the row's problems."""
        self._seen += 1
        columns = tuple(values)
        layout = self._layouts.get(columns)
        if layout is None:
            layout = self._layouts[columns] = Layout.of(
                columns, self._fields, labels=self._labels is not None
            )
        if layout.problems:
            for problem in layout.problems:
                self._misread[problem].append(row)
            return
        response = self._text("response", values[layout.response], row)
        if response is None:
            return
        if not response.strip():
            self._problems.note(
                "the response is empty; write a text, such as (no answer), or leave the row out",
                row=row,
            )
            return
        group = self._optional("group", layout.group, values, row)
        self._rows.append(row)
        self._items.append(
            Item(
                id=self._id(layout.id, values, row),
                response=response,
                prompt=self._optional("prompt", layout.prompt, values, row) or "",
                reference=self._optional("reference", layout.reference, values, row),
                group=None if group is None else self._groups.setdefault(group, group),
                metadata=MappingProxyType({name: values[name] for name in layout.others})
                if layout.others
                else _NO_METADATA,
                label=self._label(layout.label, values, row),
            )
        )

    def keep(self, row: int, item: Item) -> None:
        """Add a ready-made `Item`; only its label is checked."""
        self._seen += 1
        self._rows.append(row)
        if item.label is not None and self._labels is not None:
            self._labels.value(item.label, self._problems, row)
        self._items.append(item)

    def items(self) -> list[Item]:
        """All items; raises DatasetError if any row has a problem."""
        if not self._seen and not self._problems:
            self._problems.note("there are no items; give at least one row")
        layouts = self._layouts.values()
        some = bool(self._items) or any(layout.response for layout in layouts)
        no_response = {layout.no_response for layout in layouts}
        for problem, rows in self._misread.items():
            told = _NO_RESPONSE if some and problem in no_response else problem
            for row in [None] if len(rows) == self._seen else rows:
                self._problems.note(told, row=row)
        self._check_mapping()
        if len(self._without_id) < len(self._items):
            for row in self._without_id:
                self._problems.note(
                    "there is no id, but other rows have one; give every row an id, or none",
                    row=row,
                )
            self._check_unique()
        self._problems.raise_if_any()
        return self._items

    def _id(self, column: str | None, values: Mapping[str, object], row: int) -> str:
        given = None if column is None else self._text("id", values[column], row, required=False)
        if given is not None and given.strip():
            return given
        self._without_id.append(row)
        return str(self._seen)

    def _label(self, column: str | None, values: Mapping[str, object], row: int) -> float | None:
        if column is None or self._labels is None:
            return None
        return self._labels.value(values[column], self._problems, row)

    def _optional(
        self, field: str, column: str | None, values: Mapping[str, object], row: int
    ) -> str | None:
        if column is None:
            return None
        return self._text(field, values[column], row, required=False) or None

    def _text(self, field: str, value: object, row: int, *, required: bool = True) -> str | None:
        """The value as text; None, with the problem noted, if it cannot be text."""
        if isinstance(value, str):
            if value.isascii() or _is_unicode(value):
                return value
            self._problems.note(
                f"the {field} holds half a character (a lone surrogate); repair the text", row=row
            )
            return None
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return "" if required else None
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, Number | date | time | timedelta):
            return str(value)
        self._problems.note(
            f"the {field} is a {type(value).__name__}, not text; give text, "
            "or name another column in fields",
            row=row,
        )
        return None

    def _check_mapping(self) -> None:
        """Note mappings of optional fields to columns that no row has."""
        columns = list(dict.fromkeys(name for layout in self._layouts for name in layout))
        for field, column in self._fields.items():
            if field in {"id", "response"} or (field == "label" and not column):
                continue
            if columns and column not in columns:
                self._problems.note(absent_column(field, column, columns))

    def _check_unique(self) -> None:
        if len({item.id for item in self._items}) == len(self._items):
            return
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, item in zip(self._rows, self._items, strict=True):
            rows[item.id].append(row)
        for name, where in rows.items():
            if len(where) > 1:
                sentence = f'the id "{name}" is given more than once; give each item its own'
                for row in where:
                    self._problems.note(sentence, row=row)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
