"""The rows of the table of calls, each with two checksums.

`sum` covers the columns that results need, which are read by the million; `rest` covers the others.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import chain
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
"""NULL in a checksum."""
NO_ORDINAL = -1
"""The ordinal of a refused call in a checksum."""


class Row(NamedTuple):
    """One row; its fields are the table's columns, in order."""

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
"""The words that enter both checksums of a row."""
_OF_SUM = 10
"""Number of words that enter `sum`."""
_WEIGHTS = np.concatenate([WEIGHTS[:_OF_SUM], WEIGHTS[:11]])
_STARTS = np.array([0, _OF_SUM])
_RESERVED = State.RESERVED.value
_UNSENT = Row(
    0, 0, 0, 0, 0, 0, _RESERVED, None, 0, None, None, 0, 0, 0, None, None, None, None, None, 0,
    None, None,
)  # fmt: skip
"""The row of an unsent call, without the values that differ between calls."""
_DIFFERING = np.array(
    [*((weight, 0) for weight in WEIGHTS[1:5]), (0, WEIGHTS[2]), (WEIGHTS[0], WEIGHTS[0])],
    np.uint64,
)
"""The weights of those values in both checksums: item, judge, phase, ordinal, amount, number."""


def entry_sums(columns: Mapping[str, npt.NDArray[Any]]) -> IntArray:
    """The checksum `sum` of these columns; NULL is `NO_ORDINAL` in `ordinal` and nan elsewhere."""
    whole = ("call", "item", "judge", "phase", "ordinal", "state", "charged")
    real = ("reason", "charged_output", "score")
    return column_sums([columns[name] for name in whole], [columns[name] for name in real])


def sums(rows: Sequence[Row]) -> list[list[int]]:
    """Both checksums of each row, computed from its values."""
    if not rows:
        return []
    words = np.frombuffer(b"".join([_packed(row) for row in rows]), np.uint64)
    weighted = words.reshape(-1, len(_WEIGHTS)) * _WEIGHTS
    found: list[list[int]] = mixed(np.add.reduceat(weighted, _STARTS, axis=1)).tolist()
    return found


def sealed(rows: Sequence[Row]) -> list[Row]:
    """The rows with correct checksums."""
    return [
        row._replace(sum=one, rest=other)
        for row, (one, other) in zip(rows, sums(rows), strict=True)
    ]


def reserved_rows(
    reservations: Sequence[Reservation], *, first: int, owner: int, at: int
) -> list[Row]:
    """The rows of these calls before they are sent, numbered from `first` on."""
    # The weighted sum of the shared values is computed once for all calls.
    same = np.frombuffer(_packed(_UNSENT._replace(owner=owner, at=at)), np.uint64) * _WEIGHTS
    fields = np.fromiter(chain.from_iterable(reservations), np.int64)
    differing = fields.view(np.uint64).reshape(-1, len(_DIFFERING))
    differing[:, -1] = np.arange(first, first + len(reservations))
    totals = differing @ _DIFFERING + np.add.reduceat(same, _STARTS)
    # Like `_make`, but `tuple.__new__` does not count the columns.
    return [
        tuple.__new__(
            Row,
            (
                number, one, item, judge, phase, ordinal, _RESERVED, None, 0, None, None,
                other, owner, amount, None, None, None, None, None, at, None, None,
            ),
        )
        for number, ((item, judge, phase, ordinal, amount, _), (one, other)) in enumerate(
            zip(reservations, mixed(totals).tolist(), strict=True), first
        )
    ]  # fmt: skip


def intact(rows: Sequence[Row]) -> list[bool]:
    """Whether each row matches its checksums."""
    if not all(map(types_fit, rows)):
        return [types_fit(row) and intact([row])[0] for row in rows]
    return [
        (row.sum, row.rest) == (one, other)
        for row, (one, other) in zip(rows, sums(rows), strict=True)
    ]


def types_fit(row: Row) -> bool:
    """Whether every value has its column's type."""
    try:
        _packed(row)
    except (AttributeError, TypeError, ValueError, struct.error):
        return False
    return True


def verified(rows: Sequence[Row]) -> Sequence[Row]:
    """The rows; raises Damage if one does not match its checksums."""
    states = intact(rows)
    if not all(states):
        raise Damage(f"call {rows[states.index(False)].id} does not match its checksum")
    return rows


def _packed(row: Row) -> bytes:
    # Unpacked at once, not by name or in a loop, for speed: this runs for every call.
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
