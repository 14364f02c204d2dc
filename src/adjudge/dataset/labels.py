"""People's labels from files or Python values; errors name the rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from adjudge.dataset.problems import Problems
from adjudge.dataset.rows import rows_of
from adjudge.dataset.sources import Format, opened
from adjudge.errors import DatasetError
from adjudge.records import Label

LABEL_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "item": ("item", "item_id", "id"),
        "label": ("label", "human", "human_score"),
        "rater": ("rater", "annotator"),
    }
)
"""The fields of a label, each with its recognised column names."""

_MOST_TOLD = 20
"""Maximum number of contradictions listed in an error."""
_MOST_COMPARED = 2_000
"""Maximum number of ids searched for a similar one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReading:
    """How labels are read."""

    parse: Callable[[object], float | None]
    """The label as a number on the scale; None if invalid."""
    words: str
    """Description of valid labels, such as `a whole number from 1 (worst) to 10 (best)`."""
    remedy: Callable[[object], str] = lambda _: "correct it, or leave it empty"
    """What to do about an invalid label."""

    def value(self, given: object, problems: Problems, row: int) -> float | None:
        """The label; None if absent or invalid; an invalid label is noted."""
        if _is_absent(given):
            return None
        found = self.parse(given)
        if found is None:
            problems.note(
                f'the label "{_shown(given)}" is not {self.words}; {self.remedy(given)}', row=row
            )
        return found


def read_labels(
    source: str | Path,
    *,
    reading: LabelReading,
    items: Collection[str],
    strangers: bool = False,
    stdin: BinaryIO | None = None,
) -> list[Label]:
    """The labels of a CSV, TSV, JSONL, JSON or Parquet file.

    Its columns are `item`, `label` and, optionally, `rater`. `items` are the known ids. Labels of
    other items are skipped if `strangers` is true, otherwise refused. Rows without a label are
    skipped. Equal labels by one rater count once. All problems are reported in one DatasetError.
    """
    with opened(source, stdin) as found:
        unit = "row" if found.format in {Format.PARQUET, Format.JSON} else "line"
        problems = Problems(found.name, unit=unit)
        gathering = _Labels(problems, reading, items, strangers=strangers)
        for row, values in rows_of(found, problems, None):
            gathering.add(row, values)
    problems.raise_if_any()
    return gathering.labels()


def labels_of(
    rows: Iterable[object],
    *,
    reading: LabelReading,
    items: Collection[str],
) -> list[Label]:
    """Labels from Python values: `Label`s, or mappings like the rows of a file."""
    problems = Problems("labels", unit="row")
    gathering = _Labels(problems, reading, items)
    for number, row in enumerate(rows, 1):
        if isinstance(row, Label):
            gathering.add(number, {"item": row.item, "label": row.value, "rater": row.rater})
        elif isinstance(row, Mapping):
            gathering.add(number, row)
        else:
            problems.note(f"this is a {type(row).__name__}; give a mapping or a Label", row=number)
    problems.raise_if_any()
    return gathering.labels()


def joined_labels(sources: Sequence[tuple[str, Sequence[Label]]]) -> tuple[Label, ...]:
    """The labels of several named sources; raises DatasetError for contradictory ones."""
    found: dict[tuple[str, str], tuple[Label, str]] = {}
    wrong = []
    for name, labels in sources:
        for label in labels:
            other, where = found.setdefault((label.item, label.rater), (label, name))
            if other.value != label.value:
                who = f", by rater {label.rater}" if label.rater else ""
                wrong.append(
                    f'{name}: item "{_shown(label.item)}" is labelled {label.value:g} here and '
                    f"{other.value:g} in {where}{who}; correct one of them, or name the raters"
                )
    if wrong:
        more = [f"and {len(wrong) - _MOST_TOLD:,} more"] if len(wrong) > _MOST_TOLD else []
        raise DatasetError("labels", [*wrong[:_MOST_TOLD], *more])
    return tuple(label for label, _ in found.values())


class _Labels:
    """Collects the labels of one source, row by row."""

    def __init__(
        self,
        problems: Problems,
        reading: LabelReading,
        items: Collection[str],
        *,
        strangers: bool = False,
    ) -> None:
        self._problems = problems
        self._reading = reading
        self._items = items if isinstance(items, set | frozenset | dict) else set(items)
        self._strangers = strangers
        self._found: dict[tuple[str, str], tuple[Label, int]] = {}
        """(label, row) by (item, rater)."""

    def add(self, row: int, values: Mapping[str, object]) -> None:
        """Add the label of a row, or note the row's problems."""
        columns = _columns(tuple(values))
        if isinstance(columns, str):
            self._problems.note(columns, row=row)
            return
        item = self._item(values[columns["item"]], row)
        value = self._reading.value(values[columns["label"]], self._problems, row)
        rater = columns.get("rater")
        who = "" if rater is None or _is_absent(values[rater]) else str(values[rater]).strip()
        if item is not None and value is not None:
            self._keep(Label(item=item, value=value, rater=who), row)

    def labels(self) -> list[Label]:
        """All labels, in row order."""
        return [label for label, _ in self._found.values()]

    def _keep(self, label: Label, row: int) -> None:
        other, first = self._found.setdefault((label.item, label.rater), (label, row))
        if other.value != label.value:
            who = f"rater {label.rater}" if label.rater else "one rater"
            sentence = (
                f'{who} labels item "{_shown(label.item)}" both {other.value:g} and '
                f"{label.value:g}; leave one out, or name the raters in a column rater"
            )
            for where in (first, row):
                self._problems.note(sentence, row=where)

    def _item(self, given: object, row: int) -> str | None:
        name = "" if _is_absent(given) else _name(given)
        if name in self._items:
            return name
        if name.startswith("'") and name[1:] in self._items:
            return name[1:]  # spreadsheets mark text by a leading apostrophe
        if not name:
            self._problems.note("no item is named; give its id in the column item", row=row)
        elif not self._strangers:
            self._problems.note(
                f'there is no item "{_shown(name)}"; {_nearest(name, self._items)}', row=row
            )
        return None


def _columns(names: Sequence[str]) -> dict[str, str] | str:
    """The column of each field of a label, or the error if one is missing."""
    found: dict[str, str] = {}
    plain = {name.strip().casefold(): name for name in reversed(names)}
    for field, known in LABEL_COLUMNS.items():
        name = next((plain[name] for name in known if name in plain), None)
        if name is not None:
            found[field] = name
    for field in ("item", "label"):
        if field not in found:
            named = " or ".join(LABEL_COLUMNS[field])
            listed = ", ".join(names[:20])
            return f"no column holds the {field}: none is named {named}; the columns are {listed}"
    return found


def _name(given: object) -> str:
    """The id as text; undoes the conversion of whole numbers to float."""
    if isinstance(given, float) and given.is_integer():
        return str(int(given))
    return str(given)


def _is_absent(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or (isinstance(value, float) and math.isnan(value))


def _shown(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def _nearest(name: str, items: Collection[str]) -> str:
    near = (
        get_close_matches(name, list(items), n=1, cutoff=0.7)
        if len(items) <= _MOST_COMPARED
        else []
    )
    if near:
        return f'did you mean "{_shown(near[0])}"?'
    return "give the id of an item, or leave the row out"
