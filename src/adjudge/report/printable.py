"""Text without terminal control sequences."""

from __future__ import annotations

import re
import unicodedata

_DOUBTFUL = re.compile(r"[^\n\t\x20-\x7e]")
_JOINERS = "\u200c\u200d"
"""Invisible characters that some scripts and emoji need."""
_REPLACEMENT = "\ufffd"


def printable(text: str) -> str:
    """The text without characters that control the terminal or hide other text.

    Control characters (which begin escape sequences), marks that reverse the writing direction,
    other invisible characters and lone surrogates become U+FFFD.
    """
    return _DOUBTFUL.sub(_shown, text.replace("\r\n", "\n"))


def _shown(found: re.Match[str]) -> str:
    character = found[0]
    is_space = unicodedata.category(character) == "Zs"
    return (
        character if character.isprintable() or is_space or character in _JOINERS else _REPLACEMENT
    )
