"""Texts that cannot be stored in a file, an address or a page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.config.mistakes import KeyPath


def unsound_texts(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """The paths of keys or values with a lone surrogate or a NUL, each with advice."""
    if isinstance(value, str):
        problem = _problem(value)
        if problem is not None:
            yield path, problem
    elif isinstance(value, dict):
        for key, below in value.items():
            problem = _problem(str(key))
            if problem is None:
                yield from unsound_texts(below, (*path, key))
            else:
                yield path, f"a key below it: {problem}" if path else f"a key: {problem}"
    elif isinstance(value, list | tuple):
        for number, below in enumerate(value):
            yield from unsound_texts(below, (*path, number))


def _problem(text: str) -> str | None:
    if "\0" in text:
        return "it contains a NUL character; remove it"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "it contains half of a character (a lone surrogate); write the whole character"
    return None
