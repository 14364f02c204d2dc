"""The command line: each command reads, calls one library function, and prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from adjudge.errors import AdjudgeError
from adjudge.version import __version__

COMMANDS = {
    "init": "adjudge.cli.init:init_command",
    "check": "adjudge.cli.check:check_command",
    "plan": "adjudge.cli.plan:plan_command",
    "run": "adjudge.cli.run:run_command",
    "status": "adjudge.cli.status:status_command",
    "report": "adjudge.cli.report:report_command",
    "export": "adjudge.cli.export:export_command",
    "ledger": "adjudge.cli.ledger:app",
    "demo": "adjudge.cli.demo:demo_command",
    "simulate": "adjudge.cli.simulate:simulate_command",
    "reproduce": "adjudge.cli.reproduce:app",
}
"""Every command, in the order of the help, and where it is found."""


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"adjudge {__version__}")
        raise typer.Exit


def _program_options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Spend a fixed budget of LLM-judge calls where it buys the most accuracy."""


def program(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands; only theirs are imported."""
    app = typer.Typer(
        name="adjudge", no_args_is_help=True, add_completion=False, rich_markup_mode="rich"
    )
    app.callback()(_program_options)
    for name in names:
        module, _, attribute = COMMANDS[name].partition(":")
        found: Any = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            command: Callable[..., None] = found
            app.command(name)(command)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; an error of ours is one sentence and exit code 1, never a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    # A command starts in half the time if the others are not imported.
    names = given[:1] if given and given[0] in COMMANDS else [*COMMANDS]
    try:
        program(names)(given)
    except AdjudgeError as error:
        typer.echo(f"adjudge: {error}", err=True)
        sys.exit(1)
