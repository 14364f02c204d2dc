"""Columns of numbers as PostgreSQL's arrays, in its binary form: cheap to write and to read."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

_HEAD = struct.Struct(">5i")
"""Dimensions, whether there are NULLs, the elements' type, their number, the first one's index."""
_ELEMENT = {
    "i": (np.dtype([("length", ">i4"), ("value", ">i8")]), np.int64, 20),
    "f": (np.dtype([("length", ">i4"), ("value", ">f8")]), np.float64, 701),
}
"""By kind: how an element is written, from what, and the server's number for its type."""


class _Array:
    """An array as it is sent."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content


class WholeArray(_Array):
    """Of bigint."""


class RealArray(_Array):
    """Of float8."""


def array_of_each(columns: Sequence[Sequence[Any]], kinds: str) -> list[Any]:
    """Each column as an array of its kind: `i` whole, `f` real, `t` text.

    With NULLs among the numbers it is one of text, and where all are NULL it is none: every element
    of that is NULL, too.
    """
    arrays: list[Any] = list(columns)
    whole: list[int] = []
    for place, (kind, column) in enumerate(zip(kinds, columns, strict=True)):
        if kind == "t":
            arrays[place] = list(column)
        elif None in column:
            some = column.count(None) < len(column)
            arrays[place] = text_array(column) if some else None
        elif kind == "i":
            whole.append(place)
        else:
            (content,) = _contents([column], "f")
            arrays[place] = RealArray(content)
    # All at once: most of the time goes into numpy's beginning with each.
    for place, content in zip(whole, _contents([columns[k] for k in whole], "i"), strict=True):
        arrays[place] = WholeArray(content)
    return arrays


def text_array(numbers: Collection[int | float | None]) -> str:
    """The numbers as PostgreSQL writes an array."""
    return "{" + ",".join(map(str, numbers)).replace("None", "NULL") + "}"


def register_arrays(connection: Any) -> None:
    """Have the connection take these arrays as values."""
    for kind, dumper in _dumpers().items():
        connection.adapters.register_dumper(kind, dumper)


def _contents(columns: Sequence[Sequence[Any]], kind: str) -> list[bytes]:
    if not columns:
        return []
    element, native, number = _ELEMENT[kind]
    shape = len(columns), len(columns[0])
    elements = np.empty(shape, element)
    elements["length"] = 8
    elements["value"] = np.fromiter(chain.from_iterable(columns), native).reshape(shape)
    head = _HEAD.pack(1, 0, number, shape[1], 1)
    return [head + row.tobytes() for row in elements]


@cache
def _dumpers() -> dict[type[_Array], Any]:
    from psycopg.adapt import Dumper  # noqa: PLC0415 (an extra)
    from psycopg.pq import Format  # noqa: PLC0415

    class _Binary(Dumper):
        format = Format.BINARY

        def dump(self, obj: _Array) -> bytes:
            return obj.content

    return {
        WholeArray: type("WholeDumper", (_Binary,), {"oid": 1016}),
        RealArray: type("RealDumper", (_Binary,), {"oid": 1022}),
    }
