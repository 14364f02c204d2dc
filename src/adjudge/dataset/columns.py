"""The mapping of columns to the fields of an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

FIELDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "id": ("id",),
        "prompt": ("prompt", "input", "instruction", "user_input"),
        "response": ("response", "output", "actual_output"),
        "reference": ("reference", "target", "expected_output", "expected"),
        "group": ("group",),
        "label": ("label", "human", "human_score"),
    }
)
"""The fields of an item, each with the column names recognised without a mapping."""


_MOST_COLUMNS = 10_000
"""More columns mean a malformed file, such as one without line breaks."""
_LISTED = 20
"""Maximum number of columns named in an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The column of each field, for rows with the same columns."""

    id: str | None
    prompt: str | None
    response: str
    reference: str | None
    group: str | None
    label: str | None
    others: tuple[str, ...]
    """All other columns, kept as metadata."""
    no_response: str = ""
    """Why no column holds the response, if none does; also one of the problems."""
    problems: tuple[str, ...] = ()
    """Why rows with these columns cannot be read."""

    @classmethod
    def of(
        cls, columns: Sequence[str], named: Mapping[str, str], *, labels: bool = False
    ) -> Layout:
        """The layout of these columns; `named` is the user's mapping of fields to columns.

        A label column is metadata if `labels` is false or the user maps `label` to "".
        """
        problems: list[str] = []
        if too_many := len(columns) > _MOST_COLUMNS:
            problems.append(
                f"there are {len(columns):,} columns; give at most {_MOST_COLUMNS:,}, "
                "and check the character that separates cells"
            )
            columns = ()
        found = {
            field: _column(field, columns, named, problems)
            for field in FIELDS
            if labels or field != "label"
        }
        response, no_response = found["response"], ""
        if response is None and not too_many:
            no_response = _no_response(columns, named)
            problems.append(no_response)
        used = set(found.values())
        return cls(
            id=found["id"],
            prompt=found["prompt"],
            response=response or "",
            reference=found["reference"],
            group=found["group"],
            label=found.get("label"),
            others=tuple(column for column in columns if column not in used),
            no_response=no_response,
            problems=tuple(problems),
        )


def absent_column(field: str, column: str, columns: Sequence[str]) -> str:
    """The error for a mapping to a missing column."""
    near = _nearest(column, columns)
    return f'there is no column "{column}", which items.fields.{field} names; {near}'


def unknown_field(field: str) -> str:
    """The error for a mapping of an unknown field."""
    near = get_close_matches(field, FIELDS, n=1, cutoff=0.5)
    advice = f"did you mean {near[0]}?" if near else f"items have {', '.join(FIELDS)}"
    return f'"{field}" in fields is not a field of an item; {advice}'


def _column(
    field: str, columns: Sequence[str], named: Mapping[str, str], problems: list[str]
) -> str | None:
    """The column of this field, or None."""
    if field in named:
        if named[field] in columns:
            return named[field]
        # Rows of one file may differ, so only id and response are required in each.
        if field == "id":
            problems.append(absent_column(field, named[field], columns))
        return None
    taken = set(named.values())
    candidates = [name for name in FIELDS[field] if name in columns and name not in taken]
    if len(candidates) > 1:
        listed = " and ".join(f'"{name}"' for name in candidates)
        problems.append(
            f"the columns {listed} can all mean the {field}; say which one does, "
            f"as items.fields: {{{field}: {candidates[0]}}}"
        )
    return candidates[0] if candidates else None


def _no_response(columns: Sequence[str], named: Mapping[str, str]) -> str:
    if "response" in named:
        return absent_column("response", named["response"], columns)
    listed, last = _listed(columns), columns[-1] if columns else "answer"
    return (
        f"no column holds the response: none is named {' or '.join(FIELDS['response'])}; "
        f"name the one that does, as items.fields: {{response: {last}}}"
        + (f" (the columns are {listed})" if listed else "")
    )


def _nearest(column: str, columns: Sequence[str]) -> str:
    near = get_close_matches(column, columns, n=1, cutoff=0.5)
    if near:
        return f'did you mean "{near[0]}"?'
    return f"the columns are {_listed(columns)}" if columns else "there are no columns"


def _listed(columns: Sequence[str]) -> str:
    named = ", ".join(columns[:_LISTED])
    more = len(columns) - _LISTED
    return f"{named} and {more:,} more" if more > 0 else named
