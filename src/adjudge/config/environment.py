"""The environment of a run: the process's variables, then those of `.env` beside the run file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from io import StringIO
from pathlib import Path
from types import MappingProxyType

from dotenv import dotenv_values
from dotenv.parser import parse_stream

from adjudge.config.known_keys import all_keys
from adjudge.config.mistakes import KeyPath
from adjudge.errors import ConfigError

_PREFIX = "ADJUDGE_"
_MOST_BYTES = 2**20
_NUMBER = re.compile(r"_\d+_")
VARIABLES: Mapping[str, KeyPath] = MappingProxyType(
    {
        "ADJUDGE_ITEMS": ("items", "path"),
        "ADJUDGE_LIMIT": ("items", "limit"),
        "ADJUDGE_BUDGET": ("budget",),
        "ADJUDGE_STRATEGY": ("strategy",),
        "ADJUDGE_NORM": ("norm",),
        "ADJUDGE_CONFIDENCE": ("confidence",),
        "ADJUDGE_SEED": ("seed",),
        "ADJUDGE_MAX_CONCURRENCY": ("limits", "concurrency"),
        "ADJUDGE_KEEP_REASONS": ("keep_reasons",),
        "ADJUDGE_LEDGER": ("ledger",),
        "ADJUDGE_OUTPUT": ("output",),
    }
)
"""The variables that override the run file, each with the key that it sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A value that replaces the run file's."""

    path: KeyPath
    value: object
    origin: str
    """Where the value came from, for errors."""
    folder: Path
    """Folder for relative paths in the value."""


def read_env_file(folder: Path, environment: MutableMapping[str, str]) -> dict[str, str]:
    """The variables of `.env` that the environment does not have.

    Adds them to the environment, where judges look for their API keys. Variables that override the
    run file are not added, because they apply only to this run file.
    """
    path = folder / ".env"
    if not path.is_file():
        return {}
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise _refused(f"{path}", "it has more than 1 MB; keep nothing but variables in it")
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise _refused(
            f"{path}", f"it cannot be read ({error.strerror}); make it readable"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _refused(f"{path}:{line}", "this is not UTF-8; save the file as UTF-8") from None
    wrong = [binding.original.line for binding in parse_stream(StringIO(text)) if binding.error]
    if wrong:
        raise _refused(f"{path}:{wrong[0]}", "this is not a variable; write it as NAME=value")
    found = {
        name: value
        for name, value in dotenv_values(stream=StringIO(text)).items()
        if value is not None and name not in environment
    }
    environment.update(
        {name: value for name, value in found.items() if not name.startswith(_PREFIX)}
    )
    return found


def environment_overrides(
    variables: Mapping[str, str], *, where: str, folder: Path
) -> Iterator[Override]:
    """The overrides from `ADJUDGE_` variables; an unknown variable is refused."""
    for name in sorted(variables):
        if not name.startswith(_PREFIX) or not variables[name]:
            continue
        origin = f"{name} in {where}"
        if name in VARIABLES:
            yield Override(
                path=VARIABLES[name], value=variables[name], origin=origin, folder=folder
            )
        elif near := get_close_matches(name, VARIABLES, n=1, cutoff=0.85):
            raise _refused(origin, f"it is not used; did you mean {near[0]}?")
        elif key := _keys_by_name().get(_NUMBER.sub("_0_", name)):
            raise _refused(origin, f"it is not used; {_other_way(key)}")


@cache
def _keys_by_name() -> dict[str, KeyPath]:
    """Every key, by the variable that a user might try, such as ADJUDGE_ITEMS_LIMIT."""
    return {
        _PREFIX + "_".join(str(part) for part in path).upper(): path for path in set(all_keys())
    }


def _other_way(key: KeyPath) -> str:
    variable = next((name for name, path in VARIABLES.items() if path == key), None)
    if variable is not None:
        return f"did you mean {variable}?"
    dots = ".".join(str(part) for part in key)
    return f"write {dots} into the run file, or add --set {dots}=..."


def _refused(place: str, sentence: str) -> ConfigError:
    return ConfigError(place, [f"{place}: {sentence}"])
