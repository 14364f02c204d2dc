"""Tokens of plain values, the same in every process, and the distinction of library code."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import re
import sys
import types
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path, PurePath
from typing import Any
from uuid import UUID

_PLAIN = {
    type(None), type(...), type(NotImplemented), bool, int, float, complex, str, bytes, bytearray,
    range, slice, date, timedelta, timezone, Decimal, Fraction, UUID,
}  # fmt: skip
_INSTALLED = {"site-packages", "dist-packages"}


def scalar_token(value: object) -> str | None:
    """A token that is the same in every process; None if the value is not plain data."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if isinstance(value, Enum):
        return f"{library_name(kind)}.{value._name_}={scalar_token(value._value_)}"
    if isinstance(value, tuple) and kind is tuple:
        parts = [scalar_token(part) for part in value]
        return None if None in parts else f"tuple {parts}"
    return _library_token(value) if is_library(kind) else None


def _library_token(value: Any) -> str | None:
    """The token of a value of the standard library or numpy."""
    kind = type(value)
    if isinstance(value, re.Pattern):
        return f"pattern {value.pattern!r} {value.flags}"
    if isinstance(value, PurePath):
        return f"path {value}"
    if kind in (datetime, time) and type(value.tzinfo) in (type(None), timezone):
        return repr(value)
    if kind.__module__ == "numpy" and not getattr(getattr(value, "dtype", None), "hasobject", True):
        content = hashlib.blake2b(value.tobytes(), digest_size=16).hexdigest()
        return f"numpy {value.dtype.str} {value.shape} {content}"
    return None


def is_library(value: types.ModuleType | types.FunctionType | type, *, own: str = "") -> bool:
    """Whether it belongs to Python, an installed package or adjudge, and so counts by name only.

    The package `own` is never a library, even if it is installed.
    """
    module = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
    return isinstance(module, str) and is_library_module(module, own=own)


def is_library_module(name: str, *, own: str = "") -> bool:
    """Whether the module belongs to Python, an installed package or adjudge."""
    first = package_of(name)
    if first in sys.stdlib_module_names:
        return True
    if first in ("__main__", "__mp_main__", own):
        return False
    if first == "adjudge":
        return True
    place = _place(first)
    return place is not None and not _INSTALLED.isdisjoint(place.parts)


def package_of(module: str) -> str:
    """The top-level package."""
    return module.partition(".")[0]


def library_name(value: types.FunctionType | type) -> str:
    """Module and name."""
    return f"{value.__module__}.{value.__qualname__}"


@functools.cache
def _place(module: str) -> Path | None:
    """Path of the top-level module; None if it is not on disk."""
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # a module made by hand has no spec
        return None
    if spec is None:
        return None
    places = [spec.origin] if spec.has_location else [*(spec.submodule_search_locations or ())]
    return Path(places[0]) if places and places[0] else None
