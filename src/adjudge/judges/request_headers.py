"""Checks of the headers that a user adds to requests."""

from __future__ import annotations

import re
from collections.abc import Mapping

from adjudge.errors import InputError

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_OURS = frozenset(
    {
        "accept-encoding", "connection", "content-encoding", "content-length", "expect", "host",
        "http2-settings", "keep-alive", "proxy-authorization", "proxy-connection", "range", "te",
        "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that frame a message, choose its encoding, or are for the proxy."""


def check_header(name: str, value: str) -> None:
    """Raise InputError if a request cannot have this header; the error omits the value."""
    if not _NAME.fullmatch(name):
        raise InputError("headers", "this is no name of a header", "use letters, digits and -")
    if name.lower() in _OURS:
        raise InputError("headers", f"{name} is set by adjudge itself", "leave it out")
    if not value.isascii() or not value.isprintable():
        raise InputError("headers", "it holds characters that no header has", "write plain ASCII")


def merged(*groups: Mapping[str, str]) -> dict[str, str]:
    """All headers, each name once, ignoring case; the last group wins."""
    found: dict[str, tuple[str, str]] = {}
    for group in groups:
        found.update({name.lower(): (name, value) for name, value in group.items()})
    return dict(found.values())
