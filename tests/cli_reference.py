"""The reference of every command: `python -m tests.cli_reference` writes it into the document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from adjudge.cli import COMMANDS
from adjudge.cli.program import program

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "cli.md"
MARK = "<!-- reference -->\n"


def reference() -> str:
    """Every command with its help, its example and its options."""
    group: Any = typer.main.get_command(program())
    return "\n".join(line for name in COMMANDS for line in _section(name, group.commands[name]))


def _section(name: str, command: Any) -> Iterator[str]:
    below = getattr(command, "commands", None)
    if below is not None:
        yield f"\n## adjudge {name}\n"
        yield command.help
        for sub, found in below.items():
            yield f"\n### adjudge {name} {sub}\n"
            yield from _body(found)
        return
    yield f"\n## adjudge {name}\n"
    yield from _body(command)


def _body(command: Any) -> Iterator[str]:
    words, _, example = command.help.partition("Example:")
    yield " ".join(words.split())
    if example:
        yield f"\n```sh\n{' '.join(example.split())}\n```"
    yield "\n| | |\n|---|---|"
    for parameter in command.params:
        names = ", ".join(sorted(parameter.opts, key=len))
        shown = names if names.startswith("-") else names.upper()
        metavar = f" {parameter.metavar}" if parameter.metavar and names.startswith("-") else ""
        yield f"| `{shown}{metavar}` | {parameter.help} |"


def written(document: str) -> str:
    """The document with the reference of the program as it is."""
    head, mark, _ = document.partition(MARK)
    assert mark, "the document has no place for the reference"
    return f"{head}{MARK}{reference()}\n"


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text()))
