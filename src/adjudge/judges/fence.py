"""The fence around judged text, which the text itself cannot close."""

from __future__ import annotations

import hashlib


def fenced(text: object, kind: str, *, salt: bytes) -> str:
    """The text between two lines that it cannot contain.

    Both carry 128 bits of a hash of the text, keyed by the run's salt: who writes the text knows
    neither. The fence is as long for any salt, so a price quoted under one holds under another.
    """
    code = hashlib.blake2b(f"{kind}\n{text}".encode(), key=salt, digest_size=16).hexdigest()
    return f"<<< {kind} {code}\n{text}\n{code} >>>"
