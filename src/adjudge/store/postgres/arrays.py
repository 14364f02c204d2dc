"""Columns of numbers as PostgreSQL's arrays, in its binary form: cheap to write and to read."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

import numpy as np

_HEAD = struct.Struct(">5i")
"""Dimensions, whether there are NULLs, the elements' type, their number, the first one's index."""
_WHOLE = np.dtype([("length", ">i4"), ("value", ">i8")]), 20, 1016
_REAL = np.dtype([("length", ">i4"), ("value", ">f8")]), 701, 1022
"""How an element is written, and the server's numbers for its type and for arrays of it."""


class _Array:
    """An array as it is sent."""

    __slots__ = ("content",)

    def __init__(self, content: bytes) -> None:
        self.content = content


class WholeArray(_Array):
    """Of bigint."""


class RealArray(_Array):
    """Of float8."""


def whole_array(column: Sequence[int | None]) -> WholeArray | str:
    """Whole numbers; as text if there are NULLs among them."""
    try:
        return WholeArray(_content(column, *_WHOLE[:2]))
    except TypeError:
        return text_array(column)


def real_array(column: Sequence[float | None]) -> RealArray | str:
    """Real numbers; as text if there are NULLs among them."""
    return text_array(column) if None in column else RealArray(_content(column, *_REAL[:2]))


def text_array(numbers: Collection[int | float | None]) -> str:
    """The numbers as PostgreSQL writes an array."""
    return "{" + ",".join(map(str, numbers)).replace("None", "NULL") + "}"


def register_arrays(connection: Any) -> None:
    """Have the connection take these arrays as values."""
    for kind, dumper in _dumpers().items():
        connection.adapters.register_dumper(kind, dumper)


def _content(column: Sequence[Any], element: np.dtype[Any], kind: int) -> bytes:
    elements = np.empty(len(column), element)
    elements["length"] = 8
    elements["value"] = column
    return _HEAD.pack(1, 0, kind, len(column), 1) + elements.tobytes()


@cache
def _dumpers() -> dict[type[_Array], Any]:
    from psycopg.adapt import Dumper  # noqa: PLC0415 (an extra)
    from psycopg.pq import Format  # noqa: PLC0415

    class _Binary(Dumper):
        format = Format.BINARY

        def dump(self, obj: _Array) -> bytes:
            return obj.content

    return {
        WholeArray: type("WholeDumper", (_Binary,), {"oid": _WHOLE[2]}),
        RealArray: type("RealDumper", (_Binary,), {"oid": _REAL[2]}),
    }
