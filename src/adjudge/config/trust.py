"""What a run of a run file would access, found without running any of the user's code."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.config.build_judges import judge_name
from adjudge.config.endpoints import key_variable, written_address
from adjudge.config.environment import Override, read_env_file
from adjudge.config.judge_sections import FunctionSection, JudgeSection, ModelSection
from adjudge.config.load import read_section
from adjudge.config.run_section import RunSection
from adjudge.config.sections import PricesSection
from adjudge.config.unimported import module_file
from adjudge.errors import InputError
from adjudge.store import is_postgres

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_DIVERTING = re.compile(r"(?i)(http|https|all)_proxy|ssl_cert_(file|dir)")
"""Variables that redirect requests, including their API keys, to other servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """The destination of a judge's requests."""

    judge: str
    address: str
    """The address as written in the file."""
    variables: tuple[str, ...]
    """The variables whose values are sent there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TouchedFile:
    """A file that a run reads or writes."""

    path: Path
    written: bool
    outside: bool
    """Whether it is outside the run file's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedModule:
    """A module that a run imports, which runs its code."""

    name: str
    file: Path | None
    """The module's file; None if it was not found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Everything that a run of a run file would access."""

    destinations: tuple[Destination, ...]
    files: tuple[TouchedFile, ...]
    modules: tuple[ImportedModule, ...]
    set_variables: tuple[str, ...]
    """The variables that `.env` beside the run file would set."""
    diverting: tuple[str, ...]
    """Variables of `.env` or the environment that redirect requests to other servers."""
    cluster: str | None = None
    """The Ray cluster that makes the calls, with its machines' API keys; None for none."""


def trust_in(path: str | Path, *, overrides: Sequence[Override] = ()) -> Trust:
    """What a run of this file would access; no call is made and nothing is imported."""
    file = Path(path)
    environment = dict(os.environ)
    run = read_section(file, overrides=overrides, environment=environment)
    beside = read_env_file(file.parent, dict(os.environ))
    judges = run.judges or []
    return Trust(
        destinations=tuple(_destinations(judges)),
        files=tuple(dict.fromkeys(_files(run, file))),
        modules=tuple(_modules(judges, file.parent)),
        set_variables=tuple(sorted(beside)),
        diverting=tuple(sorted(name for name in environment if _DIVERTING.fullmatch(name))),
        cluster=None if run.run.on == "here" else run.run.address or "auto",
    )


def _destinations(judges: Sequence[JudgeSection]) -> Iterator[Destination]:
    for section in judges:
        if isinstance(section, ModelSection):
            texts = [written_address(section), *section.headers.values()]
            named = [_key(section), *(name for text in texts for name in _VARIABLE.findall(text))]
            yield Destination(
                judge=judge_name(section),
                address=written_address(section),
                variables=tuple(dict.fromkeys(name for name in named if name)),
            )


def _key(section: ModelSection) -> str | None:
    try:
        return key_variable(section)
    except InputError:  # a run would refuse it
        return None


def _files(run: RunSection, file: Path) -> Iterator[TouchedFile]:
    read: list[str | None] = [file.name, ".env" if (file.parent / ".env").exists() else None]
    if run.items is not None and run.items.path != "-":
        read.append(run.items.path)
    kept = [f"{file.stem}.labels.csv", f"{file.stem}.draws.jsonl"]
    read += [run.labels.path, *(name for name in kept if (file.parent / name).exists())]
    read += [run.criteria_file, run.prompt.system_file, run.prompt.user_file, _map(run.prices)]
    for section in run.judges or []:
        if isinstance(section, ModelSection):
            prompt = section.prompt
            read += [section.criteria_file, prompt.system_file, prompt.user_file]
            read.append(_map(section.prices))
    shared = run.ledger is not None and is_postgres(run.ledger)
    written = [
        None if shared else run.ledger or f"{file.stem}.ledger.sqlite",
        run.output or f"{file.stem}.report.html",
    ]
    folder = file.parent.resolve()
    for names, are_written in ((read, False), (written, True)):
        for name in filter(None, names):
            place = (folder / name).resolve()
            yield TouchedFile(
                path=place, written=are_written, outside=not place.is_relative_to(folder)
            )


def _map(prices: PricesSection | None) -> str | None:
    return None if prices is None else prices.file


def _modules(judges: Sequence[JudgeSection], folder: Path) -> Iterator[ImportedModule]:
    for section in judges:
        if isinstance(section, FunctionSection):
            name = section.function.partition(":")[0]
            yield ImportedModule(name=name, file=module_file(name, folder) if name else None)


def plain(trust: Trust) -> Mapping[str, object]:
    """The same for JSON."""
    return {
        "destinations": [
            {"judge": one.judge, "address": one.address, "variables": list(one.variables)}
            for one in trust.destinations
        ],
        "files": [
            {"path": str(one.path), "written": one.written, "outside": one.outside}
            for one in trust.files
        ],
        "modules": [
            {"name": one.name, "file": None if one.file is None else str(one.file)}
            for one in trust.modules
        ],
        "set_variables": list(trust.set_variables),
        "diverting": list(trust.diverting),
        "cluster": trust.cluster,
    }
