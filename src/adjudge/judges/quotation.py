"""Removal of quotations from a judge's answer."""

from __future__ import annotations

import re
from collections.abc import Callable

QUOTED = "\x01"
"""Placeholder for a removed quotation."""
_CLOSING = {'"': '"', "“": "”", "„": "“”", "«": "»", "'": "'", "‘": "’", "`": "`"}
_WITHIN_A_LINE = frozenset("'‘`")
_MARKS = re.compile(r"[\"“”„«»'‘’`\n]")
_BLOCK_QUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
_QUOTING = re.compile(
    r"(?<!\byou )\b(?:asks|asked|begs|begged|claims|claimed|contains|contained|demands|demanded|"
    r"embeds|includes|injects|insists|instructs|quotes|reads|said|says|states|tells|told|"
    r"trick\w{0,3}|tries|tried|wants|writes|wrote|(?:begins|ends|starts) with)\b",
    re.IGNORECASE,
)
_SENTENCE_ENDS = (".", "!", "?", ")")
_GOES_ON = re.compile(r"[ \t]*\n[*_ \t]*[a-z]+\b(?![*_]*\s*[:=])")


def without_quotations(text: str, matters: Callable[[str], object]) -> str:
    """The text without block quotes, and without the quotations that `matters` selects."""
    text = _BLOCK_QUOTE.sub(QUOTED, text)
    kept: list[str] = []
    taken = 0
    opening = -1
    for mark in _MARKS.finditer(text):
        at, character = mark.start(), mark[0]
        if opening < 0:
            opening = at if character in _CLOSING and _opens(text, at) else -1
        elif character == "\n":
            if text[opening] in _WITHIN_A_LINE or text.startswith("\n", at + 1):
                opening = -1
        elif character in _CLOSING[text[opening]] and _closes(text, at):
            if matters(text[opening : at + 1]):
                kept += [text[taken:opening], QUOTED]
                taken = at + 1
            opening = -1
    return "".join(kept) + text[taken:]


def is_part_of_a_sentence(text: str, start: int, end: int) -> bool:
    """Whether these lines are part of a longer sentence.

    Either the line before introduces a quotation, or the next line continues the sentence.
    """
    before = text[max(0, start - 300) : start].rstrip().rstrip("*_")
    sentence = re.split(r"[.!?]\s|\n", before)[-1]
    quotes = not before.endswith(_SENTENCE_ENDS) and _QUOTING.search(sentence) is not None
    return quotes or _GOES_ON.match(text, end) is not None


def _opens(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not before.isalnum() and bool(after) and not after.isspace()


def _closes(text: str, at: int) -> bool:
    return not text[at - 1].isspace() and not text[at + 1 : at + 2].isalnum()
