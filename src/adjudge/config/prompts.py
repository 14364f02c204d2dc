"""The prompt of a judge, from its own templates, the run's, or the defaults."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from adjudge.config.endpoints import protocol_of
from adjudge.config.judge_sections import ModelSection
from adjudge.config.mistakes import KeyPath, Mistakes
from adjudge.config.run_section import RunSection
from adjudge.config.section import Section
from adjudge.errors import InputError
from adjudge.judges import Prompt, Scale
from adjudge.judges.prompt import DECIDED
from adjudge.judges.protocol_decisions import Deciding

_MOST_BYTES = 2**20
"""Size limit of a prompt file, which could also be an endless device."""


def prompt_of(
    judge: ModelSection,
    path: KeyPath,
    *,
    run: RunSection,
    scale: Scale,
    folder: Path,
    mistakes: Mistakes,
) -> Prompt | None:
    """The prompt of the judge at this path; None, with the mistakes noted, if it is wrong."""
    layers: tuple[tuple[KeyPath, ModelSection | RunSection], ...] = ((path, judge), ((), run))
    texts: dict[str, str] = {}
    places: dict[str, KeyPath] = {}
    for at, layer in layers:
        if layer.criteria is not None and layer.criteria_file is not None:
            mistakes.note((*at, "criteria_file"), "criteria is given too; give one of them")
    for name in ("criteria", "system", "user"):
        found = next(filter(None, (_given(section, at, name) for at, section in layers)), None)
        if found is None:
            continue
        places[name], given = found
        text = mistakes.attempt(places[name], partial(_text, places[name], given, folder))
        if text is None:
            return None
        texts[name] = text
    if isinstance(protocol_of(judge), Deciding):
        texts.setdefault("user", DECIDED)
    try:
        return Prompt(scale=scale, **texts)
    except InputError as error:
        which = error.field.partition(" ")[0]
        reason = error.found.rstrip(".")
        mistakes.note(places.get(which, path), f"{reason}; {error.expected}")
        return None


def _given(
    section: ModelSection | RunSection, path: KeyPath, name: str
) -> tuple[KeyPath, str] | None:
    """Path and value of the key that gives the text; None if the section has none."""
    holder: Section = section if name == "criteria" else section.prompt
    above = path if name == "criteria" else (*path, "prompt")
    for key in (name, f"{name}_file"):
        value: str | None = getattr(holder, key)
        if value is not None:
            return (*above, key), value
    return None


def _text(path: KeyPath, given: str, folder: Path) -> str:
    """The given text, or the content of the given file."""
    key, text = str(path[-1]), given
    if key.endswith("_file"):
        try:
            with (folder / given).open("rb") as file:
                content = file.read(_MOST_BYTES + 1)
            text = content.decode("utf-8-sig")
        except OSError as error:
            raise InputError(key, f"{given}: {error.strerror}", "name a file of text") from None
        except UnicodeDecodeError:
            raise InputError(key, f"{given} is not UTF-8", "save it as UTF-8") from None
        if len(content) > _MOST_BYTES:
            raise InputError(key, f"{given} has more than 1 MB", "name a file of text")
    if not text.strip() and not key.startswith("system"):
        raise InputError(key, "it is empty", "give some text, or leave the key out")
    return text
