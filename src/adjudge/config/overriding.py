"""Applying overrides to the values of a run file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from adjudge.config.environment import Override
from adjudge.config.mistakes import KeyPath, dotted
from adjudge.errors import ConfigError
from adjudge.store import is_postgres

_SHORT_FOR = {"items": "path", "strategy": "kind", "prices": "file"}
"""Keys whose value may be a text, as a short form of a mapping with this one key."""
_FILES: frozenset[KeyPath] = frozenset(
    {
        ("items", "path"),
        ("ledger",),
        ("output",),
        ("prices",),
        ("prices", "file"),
        ("criteria_file",),
        ("prompt", "system_file"),
        ("prompt", "user_file"),
    }
)
"""Keys of the run, or of a judge, whose value is a path."""
_INDEX = re.compile(r"\[(\d+)\]")


def override(key: str, value: object, *, origin: str = "as overridden") -> Override:
    """The override of a dotted key: `limits.concurrency`, `judges.0.model` or `judges[0].model`.

    `origin` is the source of the value, for errors.
    """
    parts = _INDEX.sub(r".\1", key).split(".")
    path: KeyPath = tuple(int(part) if part.isdecimal() else part for part in parts)
    return Override(path=path, value=value, origin=origin, folder=Path.cwd())


def given_overrides(overrides: Mapping[str, object] | Sequence[Override]) -> Iterable[Override]:
    """The caller's overrides, by dotted keys; values of None are ignored."""
    if not isinstance(overrides, Mapping):
        return overrides
    return [override(key, value) for key, value in overrides.items() if value is not None]


def with_overrides(
    values: dict[str, object], overrides: Iterable[Override]
) -> tuple[dict[str, object], dict[KeyPath, str]]:
    """The values with all overrides applied, the last one winning, and the overrides' origins."""
    origins: dict[KeyPath, str] = {}
    for given in overrides:
        path, value = given.path, given.value
        if path == ("items",) and isinstance(value, str | Path):
            path = ("items", "path")  # keep the other keys of items
        if _is_file(path) and isinstance(value, str | Path) and not _is_no_path(value):
            value = str(given.folder / value)
        if path[0] == "limits":
            values = _without_own_limits(values, path, value)
        values = _replaced(values, path, value, given)
        origins[path] = given.origin
    return values, origins


def _is_no_path(value: str | Path) -> bool:
    """Whether the value means standard input or a database."""
    return value == "-" or (isinstance(value, str) and is_postgres(value))


def _is_file(path: KeyPath) -> bool:
    return (path[2:] if path[0] == "judges" else path) in _FILES


def _without_own_limits(
    values: dict[str, object], path: KeyPath, value: object
) -> dict[str, object]:
    """The values without the judges' own limits for the keys overridden for all judges."""
    overridden = set(value) if len(path) == 1 and isinstance(value, dict) else set(path[1:2])
    judges = values.get("judges")
    if not isinstance(judges, list):
        return values
    return {**values, "judges": [_judge_without(judge, overridden) for judge in judges]}


def _judge_without(judge: object, overridden: set[str | int]) -> object:
    if not isinstance(judge, dict) or not isinstance(judge.get("limits"), dict):
        return judge
    kept = {name: limit for name, limit in judge["limits"].items() if name not in overridden}
    return {**judge, "limits": kept}


def _replaced(
    values: dict[str, object], path: KeyPath, value: object, given: Override
) -> dict[str, object]:
    first, *rest = path
    key = str(first)
    if not rest:
        return {**values, key: value}
    below = values.get(key)
    if isinstance(below, list):
        return {**values, key: _in_list(below, tuple(rest), value, given)}
    if isinstance(below, str) and key in _SHORT_FOR:
        below = {_SHORT_FOR[key]: below}
    inner = below if isinstance(below, dict) else {}
    return {**values, key: _replaced(inner, tuple(rest), value, given)}


def _in_list(below: list[object], path: KeyPath, value: object, given: Override) -> list[object]:
    number, *rest = path
    if not isinstance(number, int) or number >= len(below):
        raise ConfigError(
            given.origin,
            [
                f"{given.origin}: {dotted(given.path)}: there is no entry {number}; "
                f"name one of {len(below)} by its number, from 0, as judges.0.weight"
            ],
        )
    entry = below[number]
    if rest:
        # A judge may be given by its model alone.
        inner = {"model": entry} if isinstance(entry, str) else entry
        value = _replaced(inner if isinstance(inner, dict) else {}, tuple(rest), value, given)
    return [*below[:number], value, *below[number + 1 :]]
