"""What running a run file would access."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import typer

from adjudge.cli.screen import say
from adjudge.config.environment import Override
from adjudge.config.trust import Trust, plain, trust_in


def show_trust(config: Path, overrides: Sequence[Override], *, as_json: bool) -> None:
    """Print every address, file and module that a run of this file would use."""
    trust = trust_in(config, overrides=overrides)
    if as_json:
        typer.echo(json.dumps(plain(trust)))
        return
    for line in _lines(trust):
        say(line)


def _lines(trust: Trust) -> list[str]:
    lines = ["Addresses, and the variables whose values are sent to them:"]
    lines += [
        f"  {one.address}  {', '.join(one.variables) or 'no variable'}  (judge {one.judge})"
        for one in trust.destinations
    ] or ["  none"]
    if trust.diverting:
        names = ", ".join(trust.diverting)
        lines.append(f"  Proxies and certificates come from {names}.")
    if trust.cluster is not None:
        lines.append(
            f"  Calls are made, and modules imported, on the Ray cluster {trust.cluster}, with the "
            "keys that its machines have."
        )
    if trust.set_variables:
        lines.append(f"Variables that .env sets: {', '.join(trust.set_variables)}")
    for title, written in (("Files read:", False), ("Files written:", True)):
        lines.append(title)
        lines += [
            f"  {one.path}{'  OUTSIDE the folder of the run file' if one.outside else ''}"
            for one in trust.files
            if one.written is written
        ]
    lines.append("Modules imported, whose code then runs:")
    lines += [f"  {one.name}  {one.file or 'not found'}" for one in trust.modules] or ["  none"]
    lines.append("No call was made and nothing was imported.")
    return lines
