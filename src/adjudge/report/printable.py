"""Text without terminal control sequences."""

from __future__ import annotations

import re
import unicodedata

_DOUBTFUL = re.compile(r"[^\n\t\x20-\x7e]")
_JOINERS = "\u200c\u200d"
"""Invisible, but scripts and emoji are written with them."""
_REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """The text with everything replaced that a terminal would act on, or that hides the rest.

    Control characters (escape sequences begin with one), marks that reverse the direction of
    writing, other invisible characters and halves of characters become U+FFFD.
    """
    return _DOUBTFUL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    is_space = unicodedata.category(character) == "Zs"
    return (
        character if character.isprintable() or is_space or character in _JOINERS else _REPLACEMENT
    )
