"""The report of an unexpected error: enough to find the bug, without secrets."""

from __future__ import annotations

import os
import platform
import re
import traceback
from pathlib import Path

from adjudge.version import __version__

_FRAMES = 12
_LONGEST = 500
_SECRET_NAME = re.compile(r"key|secret|token|password|passwd|auth|proxy|cookie", re.IGNORECASE)
_SHORTEST = 6
"""Shorter values do not count as secrets, since they also occur within ordinary words."""


def crash_text(error: BaseException) -> str:
    """One sentence, and where the error happened; without the values of variables."""
    words = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    lines = [
        f"adjudge: this is a bug in adjudge ({_shown(words)}); what was paid is kept. "
        "Please report it with these lines:",
        f"  adjudge {__version__}, Python {platform.python_version()}, {platform.system()}",
        *(f"  {_place(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames),
    ]
    return "\n".join(lines)


def _shown(words: str) -> str:
    for name, value in os.environ.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST:
            words = words.replace(value, "[secret]")
    line = " ".join(words.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _place(filename: str) -> str:
    """The path from the package on; the rest would show the user's folders."""
    parts = Path(filename).parts
    for root in ("site-packages", "src"):
        if root in parts:
            return "/".join(parts[len(parts) - parts[::-1].index(root) :])
    return "/".join(parts[-2:])
