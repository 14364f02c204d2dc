import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def adjudge() -> Run:
    """The real program in a process of its own."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "adjudge", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
        )

    return run
