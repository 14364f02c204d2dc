"""Public prices of models, by the package genai-prices: data that it brings with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from adjudge.errors import InputError
from adjudge.judges.listed_rates import listed_prices
from adjudge.judges.price_origin import Origin
from adjudge.judges.prices import Prices

if TYPE_CHECKING:  # its data take a while to import: only who looks something up waits for them
    from genai_prices.types import ModelInfo, Provider

PROVIDERS = MappingProxyType(
    {
        "openai": "openai",
        "anthropic": "anthropic",
        "gemini": "google",
        "bedrock": "aws",
        "openrouter": "openrouter",
        "typesafe": "typesafe",
        "openai-decisions": "openai-decisions",
    }
)
"""What model names begin with, and what the list calls that provider."""
_FREE_OUTPUT = frozenset({"typesafe", "openai-decisions"})
"""Providers that bill what is sent to them, and no answer."""
_NEAR = 3
_LONGEST = 200
"""Characters of a name that is looked up: comparing longer ones would take its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """Which list this is, and how old."""

    source: str
    """As `genai-prices 0.2.2`."""
    newest: date
    """The day of its last dated price that holds already: it is no older than that."""


def looked_up(name: str, *, day: date, asked: date | None = None) -> Prices:
    """What a model costs on this day, by a name as `openai/gpt-4o-mini`.

    `asked` is the day that the user asked for, if one was.
    """
    found = _entry(name)
    if found is None:
        raise InputError("model", f"{source()} has no price of {name[:_LONGEST]}", _advice(name))
    return _priced(found, name, day=day, asked=asked)


def known_models(*, day: date) -> Iterator[tuple[str, Prices | None]]:
    """Every name in the list and its price; None where a judge cannot be paid by it."""
    for prefix in PROVIDERS:
        for model in _provider(prefix).models:
            name = f"{prefix}/{model.id}"
            try:
                yield name, _priced(model, name, day=day)
            except InputError:
                yield name, None


def _entry(name: str) -> ModelInfo | None:
    """The entry of this name, or the one that the list takes it for."""
    prefix, _, model = name.partition("/")
    if prefix not in PROVIDERS or len(name) > _LONGEST:
        return None
    provider = _provider(prefix)
    exact = (one for one in provider.models if one.id.lower() == model.lower())
    return next(exact, None) or provider.find_model(model)


def _priced(found: ModelInfo, name: str, *, day: date, asked: date | None = None) -> Prices:
    entry = f"{name.partition('/')[0]}/{found.id}"
    origin = Origin(
        source=source(),
        model=name,
        entry="" if entry == name else entry,
        day=day,
        asked=asked,
    )
    moment = datetime.combine(day, time(), UTC)
    return listed_prices(found, moment, origin, free_output=name.partition("/")[0] in _FREE_OUTPUT)


@cache
def source() -> str:
    """The source, as `genai-prices 0.2.2`."""
    from importlib.metadata import version  # noqa: PLC0415 - only who looks something up

    return f"genai-prices {version('genai-prices')}"


def list_state(today: date) -> ListState:
    """Which list this is; it does not say when it was made, but has prices of known days."""
    days = (day for key in PROVIDERS for model in _provider(key).models for day in _days(model))
    return ListState(source=source(), newest=max(day for day in days if day <= today))


def _days(model: ModelInfo) -> Iterator[date]:
    prices = model.prices if isinstance(model.prices, list) else []
    for dated in (*prices, *(model.price_variants or ())):
        day = getattr(dated.constraint, "start_date", None)
        if day is not None:
            yield day


def _advice(name: str) -> str:
    near = nearest(name)
    guess = f"did you mean {' or '.join(near)}? Else give" if near else "give"
    return f"{guess} prices in dollars per million tokens, as {{input: 0.15, output: 0.60}}"


def nearest(name: str) -> list[str]:
    """The names in the list that are most like this one, of the same provider if there are any."""
    prefix, _, model = name[:_LONGEST].partition("/")
    own = get_close_matches(model, _ids(prefix), n=_NEAR) if prefix in PROVIDERS else []
    if own:
        return [f"{prefix}/{found}" for found in own]
    every = {found: other for other in reversed(PROVIDERS) for found in _ids(other)}
    last = model.rpartition("/")[2] or prefix
    return [f"{every[found]}/{found}" for found in get_close_matches(last, every, n=_NEAR)]


def _ids(prefix: str) -> list[str]:
    return [model.id for model in _provider(prefix).models]


@cache
def _provider(prefix: str) -> Provider:
    from genai_prices.data import providers  # noqa: PLC0415 - see above

    return next(provider for provider in providers if provider.id == PROVIDERS[prefix])
