import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.project import ProjectFolder

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def adjudge() -> Run:
    """The real program in a process of its own."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        plain = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
        return subprocess.run(
            [sys.executable, "-m", "adjudge", *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            input=stdin,
            env=os.environ | plain | (env or {}),
        )

    return run


@pytest.fixture
def project(tmp_path: Path) -> Iterator[ProjectFolder]:
    """A folder with a run file, items, and judges that answer over real HTTP."""
    with ProjectFolder.made(tmp_path) as made:
        yield made
