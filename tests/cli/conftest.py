import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.project import ProjectFolder
from tests.cli.starter import Starter

Run = Callable[..., "subprocess.CompletedProcess[str]"]

PLAIN = {"COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}


@pytest.fixture(scope="session")
def starter() -> Iterator[Starter]:
    with Starter.ready() as ready:
        yield ready


@pytest.fixture
def adjudge(starter: Starter) -> Run:
    """The program in a process of its own, that had it imported already."""

    def run(
        *arguments: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
    ) -> "subprocess.CompletedProcess[str]":
        return starter.run(
            arguments,
            cwd=cwd or Path.cwd(),
            env=os.environ | PLAIN | (env or {}),
            stdin=stdin,
        )

    return run


def from_nothing(
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        input=stdin,
        env=os.environ | PLAIN | (env or {}),
    )


@pytest.fixture
def adjudge_from_nothing() -> Run:
    """The program as a shell starts it: in a new interpreter. Every command has a test with it."""
    return from_nothing


@pytest.fixture
def project(tmp_path: Path) -> Iterator[ProjectFolder]:
    """A folder with a run file, items, and judges that answer over real HTTP."""
    with ProjectFolder.made(tmp_path) as made:
        yield made
