"""Texts of items and judges, as much of them as a page can hold."""

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
"""Where judges that answer in JSON put their words."""
_ESCAPED = b'<>&"\\' + bytes(range(32))
"""What takes up to six bytes once it stands within a page, as do the two next."""
_SEPARATORS = ("\u2028".encode(), "\u2029".encode())
CUT = " … (cut)"
_LONGEST_NAME = 80


def words_of(answer: str) -> str:
    """What a judge said: the reason out of its JSON, or all of it; thinking aloud is left out."""
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
    """At most so many bytes of a page."""
    encoded = text.encode("utf-8", "surrogatepass")
    escaped = len(encoded) - len(encoded.translate(None, _ESCAPED))
    separators = sum(map(encoded.count, _SEPARATORS))
    return len(encoded) + 5 * escaped + 3 * separators


def largest_fit(texts: Iterable[str], room: int) -> int:
    """The longest that a text may be, in bytes of a page, so that all of them fit the room."""
    sizes = sorted(size_in_page(text) for text in texts)
    for place, size in enumerate(sizes):
        left = len(sizes) - place
        if size * left > room:
            return room // left
        room -= size
    return sizes[-1] if sizes else 0


def cut(text: str, longest: int) -> str:
    """The text, or its beginning if it takes more than so many bytes of a page."""
    if len(text) <= longest and size_in_page(text) <= longest:
        return text
    room = max(longest - len(CUT.encode()), 0)
    text = text[:room]
    fitting = bisect_right(
        range(len(text) + 1), room, key=lambda length: size_in_page(text[:length])
    )
    return text[: fitting - 1].rstrip() + CUT


def cut_name(name: str) -> str:
    """The same of a name, which stands in every line."""
    return cut(name, _LONGEST_NAME)
