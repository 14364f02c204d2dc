"""What every command starts from: the run file, its items, and the plan they make."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.config import RunFile, load_run_file
from adjudge.errors import InputError
from adjudge.records import Item
from adjudge.run import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A run file and what it stands for."""

    file: RunFile
    items: Sequence[Item]
    plan: Plan

    @classmethod
    def read(
        cls,
        path: Path,
        *,
        items: str | None = None,
        budget: str | None = None,
        limit: int | None = None,
        seed: int | None = None,
        max_concurrency: int | None = None,
        settings: Sequence[str] | None = None,
    ) -> Project:
        """The run file with what the command line changes in it; nothing is opened or spent."""
        overrides: dict[str, object] = {
            **_settings(settings or ()),
            "items.path": items,
            "items.limit": limit,
            "budget": budget,
            "seed": seed,
            "limits.concurrency": max_concurrency,
        }
        file = load_run_file(path, overrides=overrides)
        read = file.read_items(stdin=sys.stdin.buffer)
        return cls(file=file, items=read, plan=file.plan(read))

    def check_writable(self, output: Path) -> None:
        """Refuse to write over what the run itself lives on."""
        own = [self.file.path, self.file.ledger, Path(self.file.items_source)]
        if output.resolve() in {path.resolve() for path in own}:
            raise InputError(
                str(output), "the run itself lives on this file", "name another to write to"
            )


def _settings(texts: Sequence[str]) -> dict[str, object]:
    found: dict[str, object] = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError("--set", f"{text!r}", "write it as key=value, as confidence=0.8")
        found[key.strip()] = value.strip()
    return found
