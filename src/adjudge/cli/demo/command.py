"""The demonstration: starts simulated judges behind real HTTP, then works like `adjudge run`."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.demo.folder import RUN_FILE, ports_in, write_folder
from adjudge.cli.demo.panel import MODELS, DemoPanel
from adjudge.cli.demo.topics import answers
from adjudge.cli.run import run_command
from adjudge.cli.screen import say
from adjudge.errors import InputError
from adjudge.judges import Prices
from adjudge.records import dollars
from adjudge.testing.server import PracticeServer

_LATENCY = 0.02
"""Response time of a judge, in seconds."""


def demo_command(
    folder: Annotated[Path, typer.Argument(help="Folder to write to; created if missing.")] = Path(
        "adjudge-demo"
    ),
) -> None:
    """Score 64 answers with four simulated judges, over real HTTP and for simulated dollars.

    The judges run on this machine while the demonstration runs; everything else works as in
    `adjudge run`. A second run finds every answer paid for and spends nothing.

    Example:
        adjudge demo

    """
    answered = answers()
    with ExitStack() as stack:
        servers = _judges(stack, folder, DemoPanel(answered))
        write_folder(folder, {name: server.url for name, server in servers.items()}, answered)
        try:
            run_command(config=folder / RUN_FILE, yes=True)
        finally:
            bill = sum(server.bill for server in servers.values())
            say(f"By the judges' own bills, this run cost {dollars(bill)}.")


def _judges(stack: ExitStack, folder: Path, panel: DemoPanel) -> dict[str, PracticeServer]:
    """A server for every model, with its prices; on the ports of an earlier demonstration."""
    ports = ports_in(folder)
    try:
        return {
            name: stack.enter_context(
                PracticeServer(
                    prices=Prices.of(input=model.input, output=model.output),
                    answer=panel,
                    latency=_LATENCY,
                    port=ports.get(name, 0),
                )
            )
            for name, model in MODELS.items()
        }
    except OSError as error:
        raise InputError(
            str(folder),
            f"the ports of its judges are in use ({error.strerror})",
            "choose another folder",
        ) from error
