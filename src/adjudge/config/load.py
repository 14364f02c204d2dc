"""Reads a run file; reports everything that is wrong with it at once."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping, Sequence
from copy import deepcopy
from datetime import UTC, date, datetime
from pathlib import Path
from types import MappingProxyType

from pydantic import ValidationError

from adjudge.config.build_judges import JudgeMaker
from adjudge.config.build_panel import read_panel
from adjudge.config.document import read_document
from adjudge.config.environment import Override, environment_overrides, read_env_file
from adjudge.config.label_sources import LabelSources
from adjudge.config.ledger import ledger_of
from adjudge.config.listed_prices import PriceBook
from adjudge.config.mistakes import MOST_TOLD, Mistakes, Places
from adjudge.config.overriding import given_overrides, with_overrides
from adjudge.config.run_file import RunFile
from adjudge.config.run_section import REQUIRED, RunSection
from adjudge.config.secrets import written_keys
from adjudge.config.soundness import unsound_texts
from adjudge.config.strategy_sections import PanelSection
from adjudge.config.words import key_path, sentence
from adjudge.judges import Scale
from adjudge.records import nano_dollars
from adjudge.store import Address

_MISSING = {
    "items": "name the file that holds what is to be scored, as items: items.jsonl",
    "budget": "say how many dollars may be spent, as budget: 5.00",
    "judges": "list one or more, as judges: [openai/gpt-4o-mini]",
}


def load_run_file(
    path: str | Path,
    *,
    overrides: Mapping[str, object] | Sequence[Override] = MappingProxyType({}),
    environment: MutableMapping[str, str] | None = None,
    imports: bool = True,
    frozen: bool = True,
    today: date | None = None,
) -> RunFile:
    """The checked run file at this path; one ConfigError reports everything that is wrong.

    Priority, highest first: `overrides` by dotted keys, such as `{"budget": 5,
    "limits.concurrency": 8}`; `ADJUDGE_` variables of the environment; those of `.env` beside the
    file; the file itself. An override of None is ignored, and the last override of a key counts.
    `environment` is the process's own if not given; other variables of `.env` are added to it.
    Without `imports`, judge functions are read but not imported, and cannot be asked. Judges
    without prices get public list prices: those of the first run on the ledger, or those of `today`
    if there are none or if not `frozen`.
    """
    file = Path(path)
    environment = os.environ if environment is None else environment
    values, places = _read(file, overrides, environment)
    return _checked(values, file, places, environment, imports=imports, frozen=frozen, today=today)


def read_section(
    file: Path, *, overrides: Sequence[Override], environment: MutableMapping[str, str]
) -> RunSection:
    """The file's content with the overrides applied; the files that it names are not read."""
    values, places = _read(file, overrides, environment)
    mistakes = Mistakes()
    run, _ = _validated(values, mistakes, places)
    if mistakes:
        raise mistakes.error(places)
    return run


def effective_values(
    file: Path, *, overrides: Sequence[Override], environment: MutableMapping[str, str]
) -> dict[str, object]:
    """The file's plain values with the overrides applied."""
    return deepcopy(_read(file, overrides, environment)[0])


def _read(
    file: Path,
    overrides: Mapping[str, object] | Sequence[Override],
    environment: MutableMapping[str, str],
) -> tuple[dict[str, object], Places]:
    document = read_document(file)
    beside = read_env_file(file.parent, environment)
    values, origins = with_overrides(
        document.values,
        [
            *environment_overrides(beside, where=".env", folder=file.parent),
            *environment_overrides(environment, where="the environment", folder=Path.cwd()),
            *given_overrides(overrides),
        ],
    )
    return values, Places(file=str(file), lines=document.lines, origins=origins)


def run_file_of(
    values: Mapping[str, object],
    *,
    name: str,
    folder: Path,
    environment: MutableMapping[str, str] | None = None,
) -> RunFile:
    """The run file with these values, as if it were in this folder; `name` is its name in errors.

    Nothing overrides the values. `.env` in the folder is read for the judges' API keys.
    """
    environment = os.environ if environment is None else environment
    read_env_file(folder, environment)
    return _checked(dict(values), folder / name, Places(file=name), environment)


def _checked(
    values: dict[str, object],
    file: Path,
    places: Places,
    environment: Mapping[str, str],
    *,
    imports: bool = True,
    frozen: bool = True,
    today: date | None = None,
) -> RunFile:
    """The run file with these values; raises one error with everything that is wrong."""
    mistakes = Mistakes()
    run, numbers = _validated(values, mistakes, places)
    ledger = mistakes.attempt((), lambda: ledger_of(run, file), keys=("ledger", "purse"))
    maker = JudgeMaker(
        run=run,
        scale=run.scale.scale(),
        folder=file.parent,
        environment=environment,
        imports=imports,
        mistakes=mistakes,
        price_book=PriceBook(ledger if frozen else None, today or datetime.now(UTC).date()),
    )
    read = None if ledger is None else _run_file(run, numbers, file, maker, ledger)
    if read is None or mistakes:
        raise mistakes.error(places)
    return read


def _validated(
    values: dict[str, object], mistakes: Mistakes, places: Places
) -> tuple[RunSection, list[int]]:
    """The valid part of the values, and the indices of the valid judges."""
    for path, problem in unsound_texts(values):
        mistakes.note(path, problem)
    if mistakes:  # later, such texts would cause unclear errors
        raise mistakes.error(places)
    for path, advice in written_keys(values):
        mistakes.note(path, f"this is a key (it is not shown here); {advice}")
    for name in REQUIRED:
        if values.get(name) is None:
            mistakes.note((name,), f"it is missing; {_MISSING[name]}")
    try:
        run = RunSection.model_validate(values)
        return run, list(range(len(run.judges or [])))
    except ValidationError as error:
        wrong = error.errors(include_url=False)
    for number, detail in enumerate(wrong):
        words = sentence(detail, values) if number < MOST_TOLD else "it is wrong too"
        mistakes.note(key_path(detail), words)
    # Valid parts are checked further, so that all mistakes are reported at once.
    spoilt = {key_path(detail)[:2] for detail in wrong}
    sound = {
        key: value
        for key, value in values.items()
        if key == "judges" or (key,) not in {path[:1] for path in spoilt}
    }
    judges = sound.pop("judges", None)
    if not isinstance(judges, list) or ("judges",) in spoilt:
        return RunSection.model_validate(sound), []
    numbers = [n for n in range(len(judges)) if ("judges", n) not in spoilt]
    kept = [judges[n] for n in numbers]
    return RunSection.model_validate({**sound, "judges": kept or None}), numbers


def _run_file(
    run: RunSection, numbers: list[int], file: Path, maker: JudgeMaker, ledger: Address
) -> RunFile | None:
    """The file in our own types; None if something in it is wrong."""
    panel = read_panel(list(zip(numbers, run.judges or [], strict=True)), maker)
    folder, items = file.parent, run.items
    if panel is None or items is None or run.budget is None:
        return None
    return RunFile(
        path=file,
        title=run.title or file.stem,
        items_source=items.path if items.path == "-" else folder / items.path,
        fields=items.fields.model_dump(exclude_none=True),
        limit=items.limit,
        budget=nano_dollars(run.budget),
        judges=panel.judges,
        weights=panel.weights,
        scale=maker.scale,
        labels=_labels(run, file, maker.scale),
        strategy=panel.strategy,
        strategy_name=run.strategy.kind,
        norm=run.norm,
        confidence=run.confidence,
        until=run.until,
        spend_all=run.spend == "all",
        seed=run.seed,
        keep_reasons=run.keep_reasons,
        ask_again=run.ask_again,
        grace=run.grace,
        patience=run.patience.patience(),
        ledger=ledger,
        output=folder / (run.output or f"{file.stem}.report.html"),
        place=run.run.place(folder),
    )


def _labels(run: RunSection, file: Path, scale: Scale) -> LabelSources:
    said = run.labels
    return LabelSources(
        file=None if said.path is None else file.parent / said.path,
        kept=file.parent / f"{file.stem}.labels.csv",
        draws=file.parent / f"{file.stem}.draws.jsonl",
        scale=scale if said.scale is None else said.scale.scale(),
        random=said.random_sample,
        count=not isinstance(run.strategy, PanelSection) or run.strategy.target is None,
    )
