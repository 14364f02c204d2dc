"""The program within this process, for the many calls of a fuzz test."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from adjudge.cli import main


def adjudge(*arguments: str, folder: Path) -> tuple[int, str, str]:
    """The exit code and what was printed; whatever is raised besides an exit is passed on."""
    said, complained = io.StringIO(), io.StringIO()
    code: object = 0
    path = list(sys.path)
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(complained),
    ):
        try:
            main(arguments)
        except SystemExit as ended:
            code = ended.code
    sys.path[:] = path
    assert code in {None, 0, 1, 2, 3, 4}, code
    assert "Traceback" not in complained.getvalue()
    return int(str(code or 0)), said.getvalue(), complained.getvalue()
