"""Columns of numbers as PostgreSQL arrays in binary format, which is fast to write and to read."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

_HEAD = struct.Struct(">5i")
"""Number of dimensions, NULL flag, element type, number of elements, index of the first one."""
_ELEMENT = {
    "i": (np.dtype([("length", ">i4"), ("value", ">i8")]), np.int64, 20),
    "f": (np.dtype([("length", ">i4"), ("value", ">f8")]), np.float64, 701),
}
"""By kind: the encoding of an element, its numpy type, and the server's type number."""


class _Array:
    """An encoded array."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content


class WholeArray(_Array):
    """An array of bigint."""


class RealArray(_Array):
    """An array of float8."""


def array_of_each(columns: Sequence[Sequence[Any]], kinds: str) -> list[Any]:
    """Each column as an array of its kind: `i` integer, `f` float, `t` text.

    A column of numbers with NULLs becomes an array in text form. A column of only NULLs becomes
    NULL: indexing it gives NULL, too.
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
    # All columns at once: numpy's overhead per call takes most of the time.
    for place, content in zip(whole, _contents([columns[k] for k in whole], "i"), strict=True):
        arrays[place] = WholeArray(content)
    return arrays


def text_array(numbers: Collection[int | float | None]) -> str:
    """The numbers as an array in PostgreSQL's text form."""
    return "{" + ",".join(map(str, numbers)).replace("None", "NULL") + "}"


def register_arrays(connection: Any) -> None:
    """Register these arrays as parameter types of the connection."""
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
