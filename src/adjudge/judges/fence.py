"""The fence around judged text, which the text itself cannot close."""

from __future__ import annotations

import hashlib


def fenced(text: object, kind: str, *, salt: bytes) -> str:
    """The text between two lines that it cannot contain.

    Both contain 128 bits of a hash of the text, keyed by the run's salt, so the author of the text
    cannot predict them. The length of the fence does not depend on the salt, and so a quote does
    not either.
    """
    code = hashlib.blake2b(f"{kind}\n{text}".encode(), key=salt, digest_size=16).hexdigest()
    return f"<<< {kind} {code}\n{text}\n{code} >>>"
