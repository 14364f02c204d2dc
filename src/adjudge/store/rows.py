"""The rows of the table of calls, each with its two checksums.

`sum` covers the columns that results are made of, which are read by the million; `rest` covers the
others.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import IntArray
from adjudge.store.checksum import WEIGHTS, Damage, column_sums, mixed
from adjudge.store.entries import State
from adjudge.store.store import Reservation

_NULL = -(2**63)
"""Stands for NULL in a checksum."""
NO_ORDINAL = -1
"""Stands for the ordinal of a refused call."""


class Row(NamedTuple):
    """One row; its fields are the table's columns, in their order."""

    id: int
    sum: int
    item: int
    judge: int
    phase: int
    ordinal: int | None
    state: int
    reason: int | None
    charged: int
    charged_output: int | None
    score: float | None
    rest: int
    owner: int
    reserved: int
    excess: int | None
    prompt_tokens: int | None
    cached_tokens: int | None
    written_tokens: int | None
    output_tokens: int | None
    at: int
    text_sum: int | None
    detail: str | None


COLUMNS = ", ".join(f"call.{name}" for name in Row._fields)
_WORDS = struct.Struct("<7q3d11q")
"""The words of both checksums of a row."""
_OF_SUM = 10
"""How many of them are those of `sum`."""
_WEIGHTS = np.concatenate([WEIGHTS[:_OF_SUM], WEIGHTS[:11]])
_STARTS = np.array([0, _OF_SUM])
_RESERVED = State.RESERVED.value
_NO_USAGE = (_NULL,) * 5
"""The words from `excess` to `output_tokens` before a call has ended."""


def entry_sums(columns: Mapping[str, npt.NDArray[Any]]) -> IntArray:
    """What `sum` is for these columns; NULL is `NO_ORDINAL` in `ordinal` and nan elsewhere."""
    whole = ("call", "item", "judge", "phase", "ordinal", "state", "charged")
    real = ("reason", "charged_output", "score")
    return column_sums([columns[name] for name in whole], [columns[name] for name in real])


def sealed(rows: Sequence[Row]) -> list[Row]:
    """The rows with the checksums that they should have."""
    # `tuple.__new__` is what `_make` does, without counting the columns.
    return [
        tuple.__new__(Row, (row[0], one, *row[2:11], other, *row[12:]))
        for row, (one, other) in zip(rows, _sums([_packed(row) for row in rows]), strict=True)
    ]


def reserved_rows(
    reservations: Sequence[Reservation], *, first: int, owner: int, at: int
) -> list[Row]:
    """The rows of these calls, numbered from `first` on, before they are sent."""
    numbered = list(enumerate(reservations, first))
    packed = [
        _WORDS.pack(
            number, item, judge, phase, ordinal, _RESERVED, 0, nan, nan, nan,
            number, owner, amount, *_NO_USAGE, at, _NULL, _NULL,
        )
        for number, (item, judge, phase, ordinal, amount, _) in numbered
    ]  # fmt: skip
    return [
        tuple.__new__(
            Row,
            (
                number, one, item, judge, phase, ordinal, _RESERVED, None, 0, None, None,
                other, owner, amount, None, None, None, None, None, at, None, None,
            ),
        )
        for (number, (item, judge, phase, ordinal, amount, _)), (one, other) in zip(
            numbered, _sums(packed), strict=True
        )
    ]  # fmt: skip


def intact(rows: Sequence[Row]) -> list[bool]:
    """Whether each row has the checksums that it should have."""
    if not all(map(types_fit, rows)):
        return [types_fit(row) and intact([row])[0] for row in rows]
    return [
        (row.sum, row.rest) == (one, other)
        for row, (one, other) in zip(rows, _sums([_packed(row) for row in rows]), strict=True)
    ]


def types_fit(row: Row) -> bool:
    """Whether every value is of its column's type."""
    try:
        _packed(row)
    except (AttributeError, TypeError, ValueError, struct.error):
        return False
    return True


def verified(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows, if they have the checksums that they should have."""
    states = intact(rows)
    if not all(states):
        raise Damage(f"call {rows[states.index(False)].id} does not match its checksum")
    return rows


def _sums(packed: Sequence[bytes]) -> list[list[int]]:
    if not packed:
        return []
    words = np.frombuffer(b"".join(packed), np.uint64).reshape(-1, len(_WEIGHTS)) * _WEIGHTS
    totals = np.add.reduceat(words, _STARTS, axis=1)
    sums: list[list[int]] = mixed(totals).tolist()
    return sums


def _packed(row: Row) -> bytes:
    # By place, not by name or in a loop: every call passes here twice.
    (
        number, _, item, judge, phase, ordinal, state, reason, charged, output, score, _, owner,
        reserved, excess, prompt, cached, written, answered, at, text, detail,
    ) = row  # fmt: skip
    return _WORDS.pack(
        number,
        item,
        judge,
        phase,
        NO_ORDINAL if ordinal is None else ordinal,
        state,
        charged,
        nan if reason is None else reason,
        nan if output is None else output,
        nan if score is None else score + 0.0,
        number,
        owner,
        reserved,
        _NULL if excess is None else excess,
        _NULL if prompt is None else prompt,
        _NULL if cached is None else cached,
        _NULL if written is None else written,
        _NULL if answered is None else answered,
        at,
        _NULL if text is None else text,
        _NULL if detail is None else crc32(detail.encode()),
    )
