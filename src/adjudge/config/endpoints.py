"""Address and headers of an endpoint, with secrets taken from the environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from yarl import URL

from adjudge.config.judge_sections import ModelSection
from adjudge.config.mistakes import KeyPath, Mistakes
from adjudge.config.secrets import (
    IN_ENVIRONMENT,
    expanded,
    has_variable,
    names_a_secret,
    pieces,
    variable_name,
    variables,
)
from adjudge.errors import InputError
from adjudge.judges import ChatProtocol
from adjudge.judges.protocol_chat import CHAT
from adjudge.judges.providers import PROTOCOLS, PROVIDERS, Provider
from adjudge.judges.request_headers import check_header

_ORIGIN = re.compile(r"[^/?#]*//[^/?#]*")
_IN_PATH = re.compile(r"[^/?#&]{6,}")
"""Parts of a path or query that are long enough to be secrets, if they come from a variable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An endpoint's address."""

    url: str = field(default="https://api.openai.com/v1", repr=False)
    shown: str | None = None
    """The address with `${NAME}` in place of a variable's value in the path; None if none is."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values of variables in path and query; scheme, host and port are not secret."""


def provider_of(section: ModelSection) -> Provider | None:
    """The provider of the judge's endpoint; None if it has none.

    The model's name begins with the provider; without a prefix it is OpenAI. A `base_url` counts as
    the provider's only if it is its address; otherwise the name is the endpoint's own.
    """
    named = PROVIDERS.get(section.model.partition("/")[0])
    if section.base_url is None:
        return named or PROVIDERS["openai"]
    if named is not None and named.has(section.base_url) and named.name != "openrouter":
        return named
    openai = PROVIDERS["openai"]
    return openai if openai.has(section.base_url) else None


def protocol_of(section: ModelSection) -> ChatProtocol:
    """The endpoint's protocol."""
    if section.protocol is not None:
        return PROTOCOLS[section.protocol]
    provider = provider_of(section)
    if provider is not None:
        return provider.protocol
    router = PROVIDERS["openrouter"]
    return router.protocol if router.has(section.base_url or "") else CHAT


def model_at(section: ModelSection) -> str:
    """The endpoint's name of the model."""
    provider = provider_of(section)
    if provider is None:
        return section.model
    model = section.model.removeprefix(f"{provider.name}/")
    if "/" in model and provider.name == "openai":
        raise InputError(
            "model",
            f'"{model}" is not at OpenAI',
            f"begin it with {', '.join(f'{name}/' for name in PROVIDERS)}, or give the base_url of "
            "an endpoint that has it and speaks chat completions",
        )
    return model


def key_variable(section: ModelSection) -> str | None:
    """The variable that holds the API key; None for no key.

    A provider's key is sent only to that provider. For any other endpoint the run file must name
    the key.
    """
    if "key" in section.model_fields_set:
        return None if section.key is None else variable_name(section.key)
    provider = provider_of(section)
    if provider is not None:
        return provider.key
    raise InputError(
        "key",
        "it is missing",
        "name the variable that holds this endpoint's key, or write key: null if it asks for none",
    )


def is_local(section: ModelSection) -> bool:
    """Whether the model's name begins with a kind of local server, such as `ollama/`."""
    provider = provider_of(section)
    return provider is not None and provider.key is None


def written_address(section: ModelSection) -> str:
    """The address as written in the file, or else the provider's; empty if there is none."""
    provider = provider_of(section)
    return section.base_url or (provider.base_url if provider is not None else None) or ""


def address(section: ModelSection, environment: Mapping[str, str]) -> Address:
    """The endpoint's address, checked, with its variables filled in."""
    given, provider = written_address(section), provider_of(section)
    if not given:
        example = "https://host/v1" if provider is None else provider.example
        raise InputError("base_url", "it is missing", f"each customer has one, as {example}")
    url = expanded(given, environment)
    try:
        parsed, written = URL(url), URL(given)
        port = parsed.port
    except ValueError:
        raise InputError("base_url", "it is not an address", "give it as https://host/v1") from None
    if parsed.scheme not in {"http", "https"} or not parsed.host or port is None:
        raise InputError("base_url", "it is not an http address", "give it as https://host/v1")
    if parsed.user is not None or parsed.password is not None:
        raise InputError(
            "base_url", "it holds a login", 'put it into headers, as {Authorization: "Basic ${X}"}'
        )
    for name, value in written.query.items():
        if names_a_secret(name) and not has_variable(value):
            raise InputError("base_url", f"it holds a key, as {name}", IN_ENVIRONMENT)
    ending = "/" + "/".join(protocol_of(section).path("")[-2:])
    if parsed.path.rstrip("/").endswith(ending):
        raise InputError("base_url", f"it ends in {ending}", "give it up to /v1; the rest is added")
    return _without_secrets(url, pieces(given, environment))


def _without_secrets(url: str, written: list[tuple[str, str | None]]) -> Address:
    """The address, and a form of it without secrets.

    Only that form identifies the judge. So a changed key in the path leaves the judge the same, but
    a changed host is another judge, even if a variable sets it.
    """
    origin = _ORIGIN.match(url)
    end = origin.end() if origin is not None else 0
    shown, secrets, position = url[:end], [], 0
    for piece, variable in written:
        beyond = piece[max(end - position, 0) :]
        position += len(piece)
        if variable is not None:
            secrets += _IN_PATH.findall(beyond)
            beyond = _IN_PATH.sub(lambda _, name=variable: f"${{{name}}}", beyond)  # type: ignore[misc]
        shown += beyond
    path = re.split(r"[?#]", shown, maxsplit=1)[0].rstrip("/")
    return Address(url=url, shown=path if "${" in path else None, secrets=tuple(secrets))


def headers_of(
    section: ModelSection, path: KeyPath, environment: Mapping[str, str], mistakes: Mistakes
) -> dict[str, str]:
    """The headers with their variables filled in; wrong headers are noted and left out."""
    found = {}
    for name, value in section.headers.items():
        filled = mistakes.attempt(
            (*path, "headers", name),
            lambda: _header(name, value, environment),  # noqa: B023 - called at once
        )
        if filled is not None:
            found[name] = filled
    return found


def header_secrets(
    section: ModelSection, headers: Mapping[str, str], environment: Mapping[str, str]
) -> Iterator[str]:
    """The values of variables in headers, and the whole values of these headers."""
    for name, filled in headers.items():
        names = variables(section.headers[name])
        if names:
            yield filled
            yield from (environment[variable] for variable in names)


def _header(name: str, value: str, environment: Mapping[str, str]) -> str:
    check_header(name, "")
    if names_a_secret(name) and not has_variable(value):
        raise InputError("headers", "it holds a key", IN_ENVIRONMENT)
    filled = expanded(value, environment)
    check_header(name, filled)
    return filled
