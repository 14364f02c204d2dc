"""The keys that a run file may have, and suggestions for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from adjudge.config.judge_sections import judge_kind
from adjudge.config.mistakes import KeyPath
from adjudge.config.run_section import RunSection
from adjudge.config.secrets import ADVICE, names_a_secret
from adjudge.config.section import Section
from adjudge.config.strategy_sections import strategy_kind


def nearest(word: str, known: Iterable[str], *, otherwise: str) -> str:
    """Advice that names the most similar known word, or all known words."""
    known = list(known)
    plain = word.strip().lower().replace("-", "_").replace(" ", "_")
    near = [plain] if plain in known else get_close_matches(plain, known, n=1)
    return f"did you mean {near[0]}?" if near else f"{otherwise} {', '.join(known)}"


def unknown_key(path: KeyPath, values: object) -> str:
    """The error about an unknown key; `values` is the whole file."""
    *above, last = path
    key = str(last)
    if key.lower().replace("-", "_") in {"api_key", "apikey", "token", "secret", "password"}:
        return f"keys are not written into run files; {ADVICE}"
    in_judge = len(above) == 2 and above[0] == "judges"
    if not above and key in _keys_of_judges():
        return "this is a key of a judge; move it below one of the judges"
    known = keys_at(tuple(above), values)
    if in_judge and key in RunSection.model_fields:
        return "this is a key of the run; move it out of the judge"
    if in_judge and key in _keys_of_judges():
        return f"a judge of this kind has no such key; it has {', '.join(known)}"
    if names_a_secret(key) and not get_close_matches(key, known, n=1, cutoff=0.85):
        return f"keys are not written into run files; {ADVICE}"
    return f"there is no such key; {nearest(key, known, otherwise='the keys here are')}"


def keys_at(path: KeyPath, values: object) -> list[str]:
    """The keys that the mapping at this path may have."""
    sections: list[type[Section]] = [RunSection]
    for part in path:
        if isinstance(part, str):
            field = _chosen(sections, values).model_fields.get(part) if sections else None
            sections = [] if field is None else list(_sections_in(field.annotation))
        values = _below(values, part)
    return list(_chosen(sections, values).model_fields) if sections else []


def all_keys(section: type[Section] = RunSection, above: KeyPath = ()) -> Iterator[KeyPath]:
    """Every key that a run file may have, for all judges and strategies; 0 stands for any index."""
    for name, field in section.model_fields.items():
        path = (*above, name)
        yield path
        inner = (*path, 0) if _is_list(field.annotation) else path
        for below in _sections_in(field.annotation):
            yield from all_keys(below, inner)


def _keys_of_judges() -> set[str]:
    sections = _sections_in(RunSection.model_fields["judges"].annotation)
    return {key for section in sections for key in section.model_fields}


def _is_list(annotation: Any) -> bool:
    """Whether the type is a list or an optional list."""
    return get_origin(annotation) in {list, tuple} or any(
        get_origin(part) in {list, tuple} for part in get_args(annotation)
    )


def _below(values: object, part: str | int) -> object:
    if isinstance(values, dict):
        return values.get(part)
    if isinstance(values, list) and isinstance(part, int) and part < len(values):
        return values[part]
    return None


def _sections_in(annotation: Any) -> Iterator[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for part in get_args(annotation):
        yield from _sections_in(part)


def _chosen(sections: list[type[Section]], values: object) -> type[Section]:
    """The section whose kind these values name; otherwise the first."""
    if len(sections) == 1:
        return sections[0]
    kind = (judge_kind(values) or strategy_kind(values) or "").replace("-", "_")
    named = {get_args(section.model_fields["kind"].annotation)[0]: section for section in sections}
    return named.get(kind, sections[0])
