"""The typer program, which imports only the named command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer

from adjudge.cli import ABOUT, COMMANDS, SUMMARIES
from adjudge.version import __version__


def program(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The program with these commands imported; the others appear only in the help."""
    app = typer.Typer(
        name="adjudge",
        help=ABOUT,
        no_args_is_help=True,
        rich_markup_mode="rich",
        # Local variables contain API keys, and typer before 0.23 would print them.
        pretty_exceptions_enable=False,
        pretty_exceptions_show_locals=False,
    )
    app.callback()(_program_options)
    chosen = set(names)
    for name, place in COMMANDS.items():
        if name not in chosen:
            app.command(name, help=SUMMARIES.get(name))(_not_imported)
            continue
        module, _, attribute = place.partition(":")
        found: Any = getattr(import_module(module), attribute)
        if isinstance(found, typer.Typer):
            app.add_typer(found, name=name)
        else:
            command: Callable[..., None] = found
            app.command(name)(command)
    return app


def named_command(given: Sequence[str]) -> list[str]:
    """The command that these arguments name, or all commands for shell completion."""
    if "_ADJUDGE_COMPLETE" in os.environ:
        typed = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
        given = typed.split()[1:]
    words = [word for word in given if not word.startswith("-")]
    return [name for name in words[:1] if name in COMMANDS]


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
    pass


def _not_imported() -> None:
    """Placeholder for a command that was not named."""
