"""Keeping keys out of everything that is kept or shown."""

from __future__ import annotations

import os
from collections.abc import Iterable

from adjudge.errors import InputError

_HIDDEN = "[secret]"
_SHORTEST = 6
"""Shorter strings are not taken for secrets: they would be cut out of ordinary words."""


def key_from_environment(judge: str, variable: str) -> str:
    """The key that this variable holds."""
    key = os.environ.get(variable, "").strip()
    if not key:
        raise InputError(
            f"key of {judge}",
            f"the environment variable {variable} is not set",
            "set it, name another one, or say that this judge needs no key",
        )
    if not key.isascii() or not key.isprintable():
        raise InputError(
            f"key of {judge}",
            f"the environment variable {variable} holds characters that no key has",
            "copy the key again",
        )
    return key


def without_secrets(text: str, secrets: Iterable[str], *, longest: int = 200) -> str:
    """The text on one line, shortened, each secret replaced."""
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, _HIDDEN)
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
