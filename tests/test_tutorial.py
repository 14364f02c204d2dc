"""The tutorial does what it shows, command by command, in a folder of its own."""

import re

from tests.tutorial import TUTORIAL, steps


def without_numbers(text: str) -> list[str]:
    """The words; numbers, and the widths that follow from them, are free to move."""
    return re.sub(r"[-−–+±$]?\$?\d[\d.,]*(e[+-]?\d+)?", "#", text).replace("─", "").split()


def test_every_session_of_the_tutorial_prints_what_it_shows() -> None:
    commands = 0
    for _, done in steps(TUTORIAL.read_text()):
        for step in done:
            commands += 1
            assert without_numbers(step.shown) == without_numbers(step.printed), step.command
    assert commands >= 10
