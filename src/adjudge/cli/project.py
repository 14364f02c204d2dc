"""What every command starts from: the run file, its items, and their plan."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.cli.writing import ANOTHER, ANOTHER_REPORT, check_writable
from adjudge.config import RunFile, load_run_file
from adjudge.config.environment import Override
from adjudge.config.overriding import override
from adjudge.errors import InputError
from adjudge.records import Item
from adjudge.run import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A run file with its items and its plan."""

    file: RunFile
    items: Sequence[Item]
    plan: Plan
    overrides: Sequence[Override]
    """Changes to the run file from the command line."""

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
        until: Sequence[str] | None = None,
        settings: Sequence[str] | None = None,
        imports: bool = True,
        frozen: bool = True,
    ) -> Project:
        """The run file with the changes from the command line; nothing is opened or spent.

        Without `imports` none of the user's code runs. Listed prices are those in the ledger if
        `frozen`, otherwise today's.
        """
        overrides = overrides_of(
            items=items,
            budget=budget,
            limit=limit,
            seed=seed,
            max_concurrency=max_concurrency,
            until=until,
            settings=settings,
        )
        file = load_run_file(path, overrides=overrides, imports=imports, frozen=frozen)
        read = file.read_items(stdin=sys.stdin.buffer)
        plan = file.plan(read, file.people(read))
        return cls(file=file, items=plan.items, plan=plan, overrides=overrides)

    def check_writable(self, output: Path, *, instead: str = ANOTHER) -> None:
        """Refuse a file that cannot be written, or that the run needs; `instead`: what to do."""
        labels = self.file.labels
        own = [self.file.path, self.file.ledger, Path(self.file.items_source)]
        own += [labels.kept, labels.draws, *([] if labels.file is None else [labels.file])]
        if output.resolve() in {path.resolve() for path in own if isinstance(path, Path)}:
            raise InputError(
                str(output), "the run itself lives on this file", "name another to write to"
            )
        check_writable(output, instead=instead)

    def check_run_files(self, report: Path | None) -> None:
        """Refuse a ledger, or a report if there is to be one, that a run could not write."""
        if isinstance(self.file.ledger, Path):
            check_writable(self.file.ledger.resolve(), instead="name another, as --set ledger=FILE")
        if report is not None:
            self.check_writable(report, instead=ANOTHER_REPORT)


def overrides_of(
    *,
    items: str | None = None,
    budget: str | None = None,
    limit: int | None = None,
    seed: int | None = None,
    max_concurrency: int | None = None,
    until: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
) -> list[Override]:
    """Changes to a run file from the command line, in increasing priority."""
    options = {
        "--items": ("items.path", items),
        "--limit": ("items.limit", limit),
        "--budget": ("budget", budget),
        "--seed": ("seed", seed),
        "--max-concurrency": ("limits.concurrency", max_concurrency),
        "--until": ("until", list(until) if until else None),
    }
    given = [
        override(key, value, origin=option)
        for option, (key, value) in options.items()
        if value is not None
    ]
    return [*_settings(settings or ()), *given]


def _settings(texts: Sequence[str]) -> Iterator[Override]:
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InputError("--set", f"{text!r}", "write it as key=value, as confidence=0.8")
        yield override(key.strip(), value.strip(), origin="--set")
