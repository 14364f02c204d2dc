"""Judges and items as bytes, for processes on other machines."""

from __future__ import annotations

import io
import pickle
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any


def packed(value: object) -> bytes:
    """The value as bytes, for `pickle.loads`."""
    content = io.BytesIO()
    _Packer(content, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    return content.getvalue()


class _Packer(pickle.Pickler):
    """Omits fields that a dataclass computes in `__init__`, such as compiled prompts.

    Unpickling computes them again.
    """

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, MappingProxyType):
            return _unchanging, (dict(value),)
        if is_dataclass(value) and not isinstance(value, type):
            given = {one.name: getattr(value, one.name) for one in fields(value) if one.init}
            if len(given) < len(fields(value)):
                return _made, (type(value), given)
        return NotImplemented


def _unchanging(value: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(value)


def _made(kind: type[Any], given: dict[str, Any]) -> Any:
    return kind(**given)
