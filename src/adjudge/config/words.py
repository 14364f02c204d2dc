"""Pydantic's errors in our words."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic_core import ErrorDetails

from adjudge.config.judge_sections import JUDGE_KINDS, judge_kind
from adjudge.config.known_keys import nearest, unknown_key
from adjudge.config.mistakes import KeyPath
from adjudge.config.secrets import may_be_shown
from adjudge.config.strategy_sections import STRATEGY_KINDS, strategy_kind
from adjudge.errors import InputError

_COMPARISONS = {
    "greater_than": ("gt", "above {}"),
    "greater_than_equal": ("ge", "of {} or more"),
    "less_than": ("lt", "below {}"),
    "less_than_equal": ("le", "of {} or less"),
}
_EXPECTED = {
    "bool": "write true or false",
    "decimal": "give an amount of money, as 12.50",
    "dict": "give keys and values below it",
    "finite": "give a finite number",
    "float": "give a number",
    "int": "give a whole number",
    "list": "give a list, each entry after a dash",
    "model": "give keys and values below it",
    "string": "give text, in quotes if need be",
    "too": "give at least one",
}
"""Advice by the first word of pydantic's error type."""


def key_path(error: ErrorDetails) -> KeyPath:
    """The keys as in the file, without the kinds of judges and strategies that pydantic inserts."""
    path, found = error["loc"], error["input"]
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, InputError) and isinstance(found, dict) and cause.field in found:
        path = (*path, cause.field)
    if path[:1] == ("judges",) and len(path) > 2:
        return path[:2] + path[3:]
    if error["type"] == "union_tag_invalid" and path[:1] == ("judges",):
        return (*path, "kind")
    if path[:1] == ("strategy",) and len(path) > 1:
        return path[:1] + path[2:]
    return path


def sentence(error: ErrorDetails, values: object) -> str:
    """A sentence: what is there, and what would be right; `values` is the whole file."""
    path, kind, found = key_path(error), error["type"], error["input"]
    if kind == "extra_forbidden":
        return unknown_key(path, values)
    if kind == "missing":
        return "it is missing; give it"
    if kind.startswith("union_tag"):
        return _unknown_kind(path, found)
    if found is None:
        return "it has no value; give one, or leave the key out"
    if not may_be_shown(path, found):
        return "its value (not shown here) cannot be used; see the documentation of this key"
    return f"{_found(error)}; {_expected(error)}"


def _found(error: ErrorDetails) -> str:
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause.found
    value = error["input"]
    if isinstance(value, dict):
        return "it has keys and values" if value else "it is empty"
    if isinstance(value, list):
        return "it is a list" if value else "it is an empty list"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _expected(error: ErrorDetails) -> str:
    kind, context = error["type"], error.get("ctx", {})
    cause = context.get("error")
    if isinstance(cause, InputError):
        return cause.expected
    if kind in {"literal_error", "enum"}:
        words = str(context["expected"]).replace(" or ", ", ").split(", ")
        known = [word.strip("'") for word in words]
        return nearest(str(error["input"]), known, otherwise="choose one of")
    if kind in _COMPARISONS:
        limit, words_for = _COMPARISONS[kind]
        return f"give a number {words_for.format(f'{float(context[limit]):g}')}"
    return _EXPECTED.get(kind.partition("_")[0], error["msg"].lower())


def _unknown_kind(path: KeyPath, found: object) -> str:
    kinds: Sequence[str] = JUDGE_KINDS
    what, given = "judge", judge_kind(found)
    if path[:1] == ("strategy",):
        kinds, what, given = STRATEGY_KINDS, "strategy", strategy_kind(found)
    if given is not None:
        return f'"{given}" is no {what}; {nearest(given, kinds, otherwise="choose one of")}'
    if isinstance(found, dict) and found and what == "judge":
        return "nothing says what it is; give model, or function, or kind: simulated"
    return f"this is no {what}; give keys and values below it"
