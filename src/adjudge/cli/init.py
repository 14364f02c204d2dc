"""`adjudge init`: a run file and items to start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from adjudge.cli.screen import say
from adjudge.config import json_schema
from adjudge.config.sample import SAMPLE_ITEMS, SampleProvider, run_file_for
from adjudge.errors import InputError

_SCHEMA = "run.schema.json"


def init_command(
    folder: Annotated[
        Path, typer.Argument(help="Folder to write to; created if missing.")
    ] = Path(),
    *,
    provider: Annotated[
        SampleProvider | None,
        typer.Option("--provider", help="Provider of the judges; openai if not given."),
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="For a model server on this machine, without a key.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Only print the JSON schema of run files.")
    ] = False,
) -> None:
    """Write a commented run file and sample items.

    Example:
        adjudge init my-evaluation --provider anthropic

    """
    described = json.dumps(json_schema(), indent=2) + "\n"
    if schema:
        typer.echo(described, nl=False)
        return
    if local and provider not in (None, SampleProvider.OLLAMA, SampleProvider.VLLM):
        raise InputError(
            "--local", f"{provider} is not on this machine", "give --local or --provider, not both"
        )
    usual = SampleProvider.OLLAMA if local else SampleProvider.OPENAI
    texts = {
        "run.yaml": run_file_for(provider or usual),
        "items.jsonl": SAMPLE_ITEMS,
        _SCHEMA: described,
    }
    there = [name for name in texts if (folder / name).exists()]
    if there and not force:
        raise InputError(
            str(folder / there[0]), "already exists", "choose another folder, or add --force"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            str(folder), f"cannot be written ({error.strerror})", "choose another folder"
        ) from error
    run_file = folder / "run.yaml"
    say(f"Wrote {', '.join(str(folder / name) for name in texts)}.")
    say(f"Next: adjudge check -c {run_file}, then adjudge run -c {run_file}")
