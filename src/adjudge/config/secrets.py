"""Keeps API keys out of run files and out of error messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from adjudge.config.mistakes import KeyPath
from adjudge.errors import InputError

ADVICE = (
    "put the key into the environment, or into .env beside the run file, "
    "and name the variable, as key: OPENAI_API_KEY"
)
IN_ENVIRONMENT = "put it into the environment or into .env, and write ${NAME} in its place"

_KNOWN_KEYS = re.compile(
    r"\b(sk|pk|rk|gsk|xai|ghp|hf|glpat|pplx)[-_][\w-]{8,}|\bAIza[\w-]{20,}|\bBearer\s+[^\s$]{8,}"
)
_SECRET_NAME = re.compile(r"key|secret|token|password|passwd|authorization|cookie", re.IGNORECASE)
_HARMLESS = frozenset({"key_header", "max_tokens", "max_completion_tokens", "tokens_per_minute"})
_VARIABLE = re.compile(r"\$\{(\w+)\}")


def names_a_secret(key: str) -> bool:
    """Whether a value under this key may be a secret."""
    return key not in _HARMLESS and _SECRET_NAME.search(key) is not None


def is_known_key(text: str) -> bool:
    """Whether the text contains something that looks like a provider's key."""
    return _KNOWN_KEYS.search(text) is not None


def may_be_shown(path: KeyPath, value: object) -> bool:
    """Whether an error message may show this value."""
    if any(names_a_secret(part) or part == "headers" for part in path if isinstance(part, str)):
        return False
    return not any(is_known_key(text) for _, text in _texts(value, ()))


def written_keys(values: object) -> Iterator[tuple[KeyPath, str]]:
    """The paths at which the file contains keys themselves, each with advice."""
    for path, text in _texts(values, ()):
        if is_known_key(text):
            filled_in = "headers" in path or "base_url" in path
            yield path, IN_ENVIRONMENT if filled_in else ADVICE


def variable_name(text: str) -> str:
    """The variable that `key:` names, as NAME, $NAME or ${NAME}."""
    name = text.removeprefix("$").removeprefix("{").removesuffix("}")
    is_name = re.fullmatch(r"[A-Z_][A-Z0-9_]*", name) is not None
    long_and_mixed = len(name) >= 16 and "_" not in name and any(c.isdigit() for c in name)
    if not is_name or long_and_mixed:
        raise InputError("key", "this is not the name of a variable (it is not shown here)", ADVICE)
    return name


def expanded(text: str, environment: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced by the variable's value."""
    return "".join(piece for piece, _ in pieces(text, environment))


def pieces(text: str, environment: Mapping[str, str]) -> list[tuple[str, str | None]]:
    """The expanded text in pieces, each with the variable that it comes from, or None."""
    found: list[tuple[str, str | None]] = []
    for index, part in enumerate(_VARIABLE.split(text)):
        if index % 2 == 0:
            found.append((part, None))
        elif environment.get(part):
            found.append((environment[part], part))
        else:
            raise InputError(
                "variable",
                f"the environment variable {part} is not set",
                "set it, or write it into .env beside the run file",
            )
    return found


def variables(text: str) -> list[str]:
    """The names of the variables in the text, written `${NAME}`."""
    return _VARIABLE.findall(text)


def has_variable(text: str) -> bool:
    """Whether the text contains a variable."""
    return _VARIABLE.search(text) is not None


def _texts(value: object, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from _texts(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _texts(below, (*path, index))
