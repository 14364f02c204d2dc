"""Putting overrides in the place of what the file says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from adjudge.config.environment import Override
from adjudge.config.mistakes import KeyPath

_SHORT_FOR = {"items": "path", "strategy": "kind", "prices": "file"}
"""Keys whose value may be a text that is short for a mapping with this one key."""
_PATHS: frozenset[KeyPath] = frozenset(
    {("items",), ("items", "path"), ("ledger",), ("output",), ("prices",), ("criteria_file",)}
)


def given_overrides(overrides: Mapping[str, object]) -> Iterable[Override]:
    """The caller's overrides, by dotted keys; None says nothing."""
    for key, value in overrides.items():
        if value is not None:
            path = tuple(int(part) if part.isdecimal() else part for part in key.split("."))
            yield Override(path=path, value=value, origin="as overridden", folder=Path.cwd())


def with_overrides(
    values: dict[str, object], overrides: Iterable[Override]
) -> tuple[dict[str, object], dict[KeyPath, str]]:
    """The values with each override in its place, the last one winning, and what gave them."""
    origins: dict[KeyPath, str] = {}
    for override in overrides:
        value = override.value
        if override.path in _PATHS and isinstance(value, str | Path) and str(value) != "-":
            value = str(override.folder / value)
        values = _replaced(values, override.path, value)
        origins[override.path] = override.origin
    return values, origins


def _replaced(values: dict[str, object], path: KeyPath, value: object) -> dict[str, object]:
    first, *rest = path
    key = str(first)
    if not rest:
        return {**values, key: value}
    below = values.get(key)
    if isinstance(below, list) and isinstance(rest[0], int) and rest[0] < len(below):
        entry = below[rest[0]] if isinstance(below[rest[0]], dict) else {}
        changed = [*below]
        changed[rest[0]] = _replaced(entry, tuple(rest[1:]), value) if rest[1:] else value
        return {**values, key: changed}
    if isinstance(below, str) and key in _SHORT_FOR:
        below = {_SHORT_FOR[key]: below}
    return {**values, key: _replaced(below if isinstance(below, dict) else {}, tuple(rest), value)}
