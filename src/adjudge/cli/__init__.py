"""The command line: each command reads, calls one library function, and prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from adjudge import __version__
from adjudge.cli.reproduce import app as reproduce_app
from adjudge.cli.simulate import simulate_command
from adjudge.errors import AdjudgeError

app = typer.Typer(
    name="adjudge",
    help="Spend a fixed budget of LLM-judge calls where it buys the most accuracy.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
)
app.command("simulate")(simulate_command)
app.add_typer(reproduce_app, name="reproduce")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adjudge {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Options of the program itself."""


def main() -> None:
    """Run the program; an error of ours is one sentence and exit code 1, never a traceback."""
    try:
        app()
    except AdjudgeError as error:
        typer.echo(f"adjudge: {error}", err=True)
        sys.exit(1)
