"""The tutorial does what it shows, command by command, in a folder of its own."""

import re
from pathlib import Path

import pytest

from tests.tutorial import TUTORIALS, steps


def without_numbers(text: str) -> list[str]:
    """The words; numbers, and the widths that follow from them, are free to move."""
    return re.sub(r"[-−–+±$]?\$?\d[\d.,]*(e[+-]?\d+)?", "#", text).replace("─", "").split()


@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_every_session_of_a_tutorial_prints_what_it_shows(tutorial: Path) -> None:
    commands = 0
    for _, done in steps(tutorial.read_text()):
        for step in done:
            commands += 1
            assert without_numbers(step.shown) == without_numbers(step.printed), step.command
    assert commands >= {"tutorial": 10, "labels": 5}[tutorial.stem]
