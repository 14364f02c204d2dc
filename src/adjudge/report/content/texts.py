"""Texts of items and judges, shortened to fit a page."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable

_REASONS = (
    "reason",
    "reasoning",
    "reasons",
    "rationale",
    "explanation",
    "justification",
    "feedback",
)
"""JSON fields in which judges give their reasons."""
_ESCAPED = b'<>&"\\' + bytes(range(32))
"""Characters that take up to six bytes when escaped in a page; so do the two separators below."""
_SEPARATORS = ("\u2028".encode(), "\u2029".encode())
CUT = " … (cut)"
_LONGEST_NAME = 80


def words_of(answer: str) -> str:
    """The reason in a judge's JSON, or else the whole answer, without its `<think>` part."""
    text = answer.rpartition("</think>")[2].strip()
    begin, end = text.find("{"), text.rfind("}")
    if 0 <= begin < end:
        try:
            found = json.loads(text[begin : end + 1])
        except (ValueError, RecursionError):
            return text
        for name in _REASONS if isinstance(found, dict) else ():
            if isinstance(found.get(name), str) and found[name].strip():
                return str(found[name]).strip()
    return text


def size_in_page(text: str) -> int:
    """Upper bound on the bytes of the text in a page."""
    encoded = text.encode("utf-8", "surrogatepass")
    escaped = len(encoded) - len(encoded.translate(None, _ESCAPED))
    separators = sum(map(encoded.count, _SEPARATORS))
    return len(encoded) + 5 * escaped + 3 * separators


def largest_fit(texts: Iterable[str], room: int) -> int:
    """Longest allowed text, in bytes of a page, so that all texts fit the room if cut to it."""
    sizes = sorted(size_in_page(text) for text in texts)
    for place, size in enumerate(sizes):
        left = len(sizes) - place
        if size * left > room:
            return room // left
        room -= size
    return sizes[-1] if sizes else 0


def cut(text: str, longest: int) -> str:
    """The text, or its beginning if it takes more than `longest` bytes of a page."""
    if len(text) <= longest and size_in_page(text) <= longest:
        return text
    room = max(longest - len(CUT.encode()), 0)
    text = text[:room]
    fitting = bisect_right(
        range(len(text) + 1), room, key=lambda length: size_in_page(text[:length])
    )
    return text[: fitting - 1].rstrip() + CUT


def cut_name(name: str) -> str:
    """The name, cut to a short length, since it occurs in every line."""
    return cut(name, _LONGEST_NAME)
