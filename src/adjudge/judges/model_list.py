"""Lookup of a judge's model in an endpoint's list of models."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

import orjson

from adjudge.judges.transport import HttpAnswer

_SHOWN = 3
"""Number of listed models that an error names."""


def answered_json(answer: HttpAnswer) -> object:
    """The parsed JSON of a successful answer; None for any other."""
    if not 200 <= answer.status < 300 or answer.body is None:
        return None
    try:
        return orjson.loads(answer.body)
    except orjson.JSONDecodeError:
        return None


def lists(ids: Collection[str], model: str) -> bool:
    """Whether the list has the model, under any name that endpoints accept for it."""
    known = {name.lower().removeprefix("models/") for name in ids}
    return any(
        name in known or any("*" in one and fnmatchcase(name, one) for one in known)
        for name in _names(model.lower().removeprefix("models/"))
    )


def names_a_model(answer: HttpAnswer) -> bool:
    """Whether this describes one model: endpoints may have models that they do not list."""
    said = answered_json(answer)
    return isinstance(said, dict) and isinstance(said.get("id", said.get("name")), str)


def unknown_model(ids: Collection[str], model: str) -> str:
    """The error for a model that the endpoint does not have, as the rest of a sentence."""
    near = get_close_matches(model, sorted(ids), n=_SHOWN, cutoff=0.5)
    if near:
        return f'has no model "{model}"; the nearest that it lists: {", ".join(near)}'
    more = f" and {len(ids) - _SHOWN:,} more" if len(ids) > _SHOWN else ""
    return f'has no model "{model}"; it lists {", ".join(sorted(ids)[:_SHOWN])}{more}'


def _names(model: str) -> Iterator[str]:
    yield model
    yield f"{model}:latest"  # Ollama lists a model without a tag this way
    yield model.rpartition(":")[0] or model  # OpenRouter does not list `:nitro`, `:online`, ...
