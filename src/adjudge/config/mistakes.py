"""The mistakes of a run file, collected and reported at once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from adjudge.errors import ConfigError, InputError

KeyPath: TypeAlias = tuple[str | int, ...]
"""The keys that lead to a value, such as `("judges", 0, "model")`."""

T = TypeVar("T")

MOST_TOLD = 50
"""Most mistakes that are reported at once."""


def dotted(path: KeyPath) -> str:
    """The path as text: `judges[0].model`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where the values of a run came from."""

    file: str
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """The line of each key in the file."""
    origins: Mapping[KeyPath, str] = field(default_factory=dict)
    """Sources of values that are not from the file: a variable, or the caller."""

    def of(self, path: KeyPath) -> str:
        """The place of this key, or of the nearest key that contains it."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
            if path[:length] in self.lines:
                return f"{self.file}:{self.lines[path[:length]]}"
        return f"{self.file}:1" if self.lines else self.file


class Mistakes:
    """Wrong keys, each with a sentence: what is there, and what would be right."""

    def __init__(self) -> None:
        self._found: dict[KeyPath, str] = {}

    def __bool__(self) -> bool:
        return bool(self._found)

    def note(self, path: KeyPath, sentence: str) -> None:
        """Add a mistake; only the first mistake about a key is kept."""
        self._found.setdefault(path, sentence)

    def attempt(
        self, path: KeyPath, work: Callable[[], T], *, keys: Collection[str] = ()
    ) -> T | None:
        """The result of `work`; None, with the mistake noted, if it raises an InputError.

        `keys` are keys below the path; an error with such a field is noted there.
        """
        try:
            return work()
        except InputError as error:
            name = error.field.partition(" of ")[0]
            self.note((*path, name) if name in keys else path, f"{error.found}; {error.expected}")
            return None

    def about(self, path: KeyPath) -> bool:
        """Whether something is wrong with this key or below it."""
        return any(found[: len(path)] == path for found in self._found)

    def error(self, places: Places) -> ConfigError:
        """One error with all mistakes, in the order of the file."""
        last = 1 + max(places.lines.values(), default=0)
        ordered = sorted(
            self._found.items(),
            key=lambda found: last if found[0] in places.origins else _line(found[0], places),
        )
        told = [
            ": ".join(filter(None, (places.of(path), dotted(path), sentence)))
            for path, sentence in ordered[:MOST_TOLD]
        ]
        if len(ordered) > MOST_TOLD:
            told.append(f"{places.file}: and {len(ordered) - MOST_TOLD:,} more mistakes")
        return ConfigError(places.file, told)


def _line(path: KeyPath, places: Places) -> int:
    while path and path not in places.lines:
        path = path[:-1]
    return places.lines.get(path, 1)
